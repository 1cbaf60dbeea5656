// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing

@testable import TraceAnalysis

struct ProfileGroupsTests {
  private static let list = SourceLocation(file: "transit/List.swift", line: 7)
  private static let profile = RunBuilder { trace in
    trace.open()
    trace.fetch("SELECT a WHERE x IN (1)", total: 1000)
    trace.fetch("SELECT a WHERE x IN (1, 2)", at: list, total: 3000)
    trace.fetch("SELECT b", entity: "StopTime", at: list, total: 2000)
    trace.fault(pk: 1, source: .rowCache, duration: 10)
    trace.fault(pk: 2, duration: 500)
    trace.save()
    trace.close()
  }.profile()

  private func group(_ grouping: Grouping, _ name: String) throws -> GroupProfile {
    try #require(Self.profile.groups(by: grouping).first { $0.name == name })
  }

  @Test func statementsOfOneFormAreOneGroup() throws {
    let groups = Self.profile.groups(by: .statement)
    #expect(groups.map(\.work.count) == [2, 1, 1])
    #expect(groups[0].work.totalTime == 4000)
    #expect(abs(groups[0].latency.max - 3000) <= 30)
    let group = try #require(Self.profile.statementGroups.values.first { $0.texts == 2 })
    #expect(group.callers.map(\.location) == [Self.list, .search])
  }

  @Test func entitiesHaveTheirFaults() throws {
    let stops = try group(.entity, "Stop")
    // Two fetches, and the miss.
    #expect(stops.work.count == 3)
    #expect(stops.cacheHits == 1)
    #expect(stops.cacheMisses == 1)
    #expect(stops.faultTime == 510)
    #expect(try group(.entity, "StopTime").work.count == 1)
  }

  @Test func callersHaveTheirFaultsAndSaves() throws {
    let search = try group(.caller, "transit/Search.swift:42")
    #expect(search.work.count == 2)
    #expect(search.saves == 1)
    #expect(search.saveTime == 9000)
    #expect(search.cacheHits == 1)
    #expect(try group(.caller, "transit/List.swift:7").work.totalTime == 5000)
  }

  @Test func contextsAndProcessesAreReported() throws {
    let context = try group(.context, "transit[2367] context 1")
    #expect(context.work.count == 3)
    #expect(context.work.totalTime == 6000)
    #expect(context.cacheMisses == 1)
    #expect(context.saves == 1)
    #expect(Self.profile.groups(by: .process).map(\.name) == ["transit[2367]"])
    #expect(abs(Self.profile.groups(by: .process)[0].latency.p50 - 2000) <= 20)
  }

  @Test func tablesAreNamedForTheEntityOfTheirFaults() throws {
    let profile = RunBuilder { trace in
      trace.fetch("SELECT a", entity: "ZSTOP")
      trace.fault("Stop", pk: 2)
    }.profile()
    #expect(profile.entities.map(\.name) == ["Stop"])
    #expect(profile.entities[0].fetches == 1)
  }
}
