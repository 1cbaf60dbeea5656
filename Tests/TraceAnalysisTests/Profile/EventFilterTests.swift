// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceReading

@testable import TraceAnalysis

struct EventFilterTests {
  private static let list = SourceLocation(file: "transit/List.swift", line: 7)

  private func profile(_ set: (inout EventFilter) -> Void) -> Profile {
    let run = RunBuilder { trace in
      trace.open()
      trace.fetch("SELECT a", total: 1000)
      trace.fetch("SELECT b", entity: "StopTime", at: Self.list, total: 9_000_000)
      trace.fault(pk: 1, duration: 4000)
      trace.fault("StopTime", pk: 2, at: Self.list, duration: 6000)
      trace.save()
      trace.close()
    }
    var filter = EventFilter()
    set(&filter)
    var builder = ProfileBuilder(filter)
    for record in run.records { builder.add(record) }
    var profile = builder.profile(of: .init(sources: []))
    profile.selection = filter.words
    return profile
  }

  @Test func withoutConditionsEverythingPasses() {
    #expect(profile { _ in }.totals.fetches == 2)
    #expect(EventFilter().isEmpty)
  }

  @Test func anEntityHasItsFetchesAndFaultsAndNoSaves() {
    let profile = profile { $0.entity = "StopTime" }
    #expect(profile.totals.fetches == 1)
    #expect(profile.totals.faults == 1)
    #expect(profile.totals.cacheMisses == 1)
    #expect(profile.totals.saves == 0)
    #expect(profile.entities.map(\.name) == ["StopTime"])
    #expect(profile.selection == ["entity StopTime"])
    #expect(profile.processes.map(\.coverage) == [.complete])
  }

  @Test(arguments: [
    ("transit/List.swift:7", 1), ("List.swift:7", 1), ("List.swift", 1), ("transit", 2),
    ("List.swift:70", 0), ("ist.swift", 0), ("other", 0),
  ])
  func aCallerIsALineAFileOrAModule(caller: String, fetches: UInt64) {
    let profile = profile { $0.caller = caller }
    #expect(profile.totals.fetches == fetches)
    #expect(profile.totals.faults == fetches)
  }

  @Test func minimumDurationExcludesShorterEvents() {
    let profile = profile { $0.minimumDuration = 5000 }
    #expect(profile.statements.map(\.sql) == ["SELECT b", nil])
    #expect(profile.totals.faults == 1)
    #expect(profile.totals.saves == 1)
  }

  @Test func aSpanOfTimeHasEventsThatEndedInIt() {
    // The builder's events are a microsecond apart: the fetches end at 3 and 6, the faults at 8
    // and 10, the save at 11.
    #expect(profile { $0.since = .afterStart(4000) }.totals.fetches == 1)
    #expect(profile { $0.since = .afterStart(4000) }.totals.faults == 2)
    #expect(profile { $0.until = .afterStart(4000) }.totals.fetches == 1)
    #expect(profile { $0.until = .absolute(3000) }.totals.fetches == 0)
    let middle = profile {
      $0.since = .absolute(6000)
      $0.until = .absolute(9000)
    }
    #expect(middle.statements.map(\.sql) == ["SELECT b", nil])
    #expect(middle.totals.faults == 1)
    #expect(middle.totals.saves == 0)
  }

  @Test(arguments: [
    ("1970-01-01T00:00:01", 1_000_000_000), ("2026-11-21 14:12:28.5Z", 1_795_270_348_500_000_000),
  ])
  func timesAreUTC(text: String, timestamp: Nanoseconds) {
    #expect(TracePoint(utc: text) == .absolute(timestamp))
  }

  @Test(arguments: ["", "2s", "2026-11-21", "2026-13-01T00:00:00", "x-1-1T1:1:1", "1e9-1-1T1:1:1"])
  func otherTextsAreNoTimes(text: String) { #expect(TracePoint(utc: text) == nil) }
}
