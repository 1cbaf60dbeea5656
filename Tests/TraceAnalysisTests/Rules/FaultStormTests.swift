// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

@Suite struct FaultStormTests {
  private func findings(_ write: (inout RunBuilder) -> Void) -> [Finding] {
    RunBuilder(write).profile().findings
  }

  @Test func flagsObjectsReadOneByOne() throws {
    let found = findings { trace in
      let fetch = trace.fetch("SELECT photos", entity: "Photo", rows: 184)
      for pk in 1...184 as ClosedRange<Int64> { trace.fault("Photo", pk: pk, origin: fetch) }
    }
    let finding = try #require(found.first)
    #expect(found.map(\.rule) == ["AvoidFaultStorm"])
    #expect(finding.caller == .search)
    #expect(finding.statement == StatementID(sql: RunBuilder.faultSQL))
    #expect(
      finding.message == """
        Photo objects fetched here were read from the database one by one: 184 queries, up to \
        184 for one fetch.
        """)
    #expect(finding.fix.hasPrefix("fetch the values with the objects"))
    #expect(finding.savesAtMost == 920_000)
  }

  @Test func advisesPrefetchingForObjectsOfAnotherEntity() {
    let found = findings { trace in
      let fetch = trace.fetch("SELECT photos", entity: "Photo", rows: 184)
      for pk in 1...184 as ClosedRange<Int64> { trace.fault("Author", pk: pk, origin: fetch) }
    }
    #expect(found.map(\.rule) == ["AvoidFaultStorm"])
    #expect(
      found[0].fix.hasPrefix("prefetch the Author objects with the objects that refer to them"))
  }

  @Test func faultsThatTheRowCacheAnswersAreFree() {
    #expect(
      findings { trace in
        for pk in 1...184 as ClosedRange<Int64> { trace.fault(pk: pk, source: .rowCache) }
      }.isEmpty)
  }

  @Test func aFewMissesAreNoStorm() {
    #expect(
      findings { trace in
        for pk in 1...9 as ClosedRange<Int64> { trace.fault(pk: pk, origin: 1) }
      }.isEmpty)
  }

  @Test func oneMissForEachOfManyFetchesIsNoStorm() {
    #expect(
      findings { trace in
        for click in 1...500 as ClosedRange<Int64> { trace.fault(pk: click, origin: UInt64(click)) }
      }.isEmpty)
  }

  @Test(
    arguments: [(1, 900_000_000), (1, 1_100_000_000), (2, 1_100_000_000)] as [(Int64, Nanoseconds)])
  func clicksThatASecondSeparatesAreNoStorm(misses: Int64, pause: Nanoseconds) {
    let found = findings { trace in
      let fetch = trace.fetch("SELECT photos", entity: "Photo", rows: 184)
      for click in 1...15 as ClosedRange<Int64> {
        for miss in 1...misses { trace.fault("Photo", pk: click * 10 + miss, origin: fetch) }
        trace.pause(pause)
      }
    }
    let isReported = misses > 1 || pause < 1_000_000_000
    #expect(found.map(\.rule) == (isReported ? ["AvoidFaultStorm"] : []))
  }

  @Test func flagsARelationshipWalkedForEveryObject() {
    let found = findings { trace in
      let fetch = trace.fetch("SELECT stops", rows: 15)
      for pk in 1...15 as ClosedRange<Int64> {
        trace.fault(relationship: "stopTimes", pk: pk, origin: fetch, rows: 70, duration: 50_000)
        trace.fault("StopTime", pk: pk, source: .rowCache, origin: fetch)
      }
    }
    #expect(found.map(\.rule) == ["AvoidRelationshipFaultStorm"])
    #expect(
      found[0].fix
        == """
        prefetch the members with their owners, in one additional statement: \
        request.relationshipKeyPathsForPrefetching = ["stopTimes"]
        """)
    #expect(found[0].evidence.contains(.init("cacheMisses", 15)))
  }

  @Test func membersThatAreOnlyCountedAreCountedInOneStatement() {
    let found = findings { trace in
      let fetch = trace.fetch("SELECT stops", rows: 15)
      for pk in 1...15 as ClosedRange<Int64> {
        trace.fault(relationship: "stopTimes", pk: pk, origin: fetch, rows: 70)
      }
    }
    #expect(found.map(\.rule) == ["AvoidRelationshipFaultStorm"])
    #expect(found[0].fix.contains("count 'stopTimes' for all owners"))
    #expect(found[0].saving == nil)
  }

  @Test func aStormIsReportedWhateverItTook() {
    for duration in [1, 50_000] as [Nanoseconds] {
      let found = findings { trace in
        let fetch = trace.fetch("SELECT photos", entity: "Photo", rows: 125)
        for pk in 1...125 as ClosedRange<Int64> {
          trace.fault("Photo", pk: pk, origin: fetch, duration: duration)
        }
      }
      #expect(found.map(\.rule) == ["AvoidFaultStorm"])
    }
  }

  @Test func fetchesOfObjectsReadInTurnAreTwoStorms() {
    let found = findings { trace in
      for pk in 1...100 as ClosedRange<Int64> {
        trace.fault(pk: pk, origin: 1, duration: 10_000)
        trace.fault(pk: pk, origin: 2, duration: 10_000)
      }
    }
    #expect(found.map(\.rule) == ["AvoidFaultStorm"])
    #expect(found[0].evidence.contains(.init("mostMissesPerFetch", 100)))
  }

  @Test func aStormIsSeenAmongVeryManyFetches() {
    let found = findings { trace in
      for pk in 1...5000 as ClosedRange<Int64> {
        trace.fault(pk: pk, origin: UInt64(1000 + pk), duration: 10_000)
        if pk.isMultiple(of: 50) { trace.fault(pk: pk, origin: 1, duration: 10_000) }
      }
    }
    #expect(found.map(\.rule) == ["AvoidFaultStorm"])
    #expect((found.first?.evidence.first { $0.name == "mostMissesPerFetch" }?.value ?? 0) >= 80)
  }

  @Test func aRelationshipThatWasPrefetchedIsNoStorm() {
    #expect(
      findings { trace in
        for pk in 1...15 as ClosedRange<Int64> {
          trace.fault(relationship: "stopTimes", pk: pk, source: .rowCache, origin: 1)
        }
      }.isEmpty)
  }
}
