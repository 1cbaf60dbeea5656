// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceReading

@Suite struct CompletenessTests {
  private let run: (inout RunBuilder) -> Void = { trace in
    trace.open()
    trace.fetch("SELECT a")
  }

  @Test func aClosedStoreIsComplete() {
    let profile = RunBuilder {
      run(&$0)
      $0.close()
    }.profile()
    #expect(profile.processes.map(\.coverage) == [.complete])
    #expect(profile.completeness.isComplete)
  }

  @Test func countersReportLostEvents() {
    let completeness = RunBuilder {
      run(&$0)
      $0.close(missing: 3)
    }.profile().completeness
    #expect(completeness.eventsLost == 3)
    #expect(completeness.doubts == ["transit[2367]: emitted 3 more events than were read"])
  }

  @Test func eventsOfAnotherVersionAreNotLost() {
    var profile = RunBuilder {
      run(&$0)
      $0.close(missing: 3)
    }.profile()
    profile.reading.sources = [
      SourceReport(
        path: "t", kind: .ctf, eventsRead: 4, unrecognizedLines: 3,
        unrecognizedSamples: ["fetch: field 'rows' is missing"])
    ]
    #expect(profile.completeness.eventsLost == 0)
    #expect(!profile.completeness.isComplete)
    #expect(
      profile.completeness.doubts.last == """
        t: 3 events could not be read (fetch: field 'rows' is missing): read the trace with the version that recorded it
        """)
  }

  @Test func aProcessWithoutCountersCannotBeChecked() {
    let profile = RunBuilder(run).profile()
    #expect(profile.processes.map(\.coverage) == [.uncounted(3)])
    #expect(profile.completeness.eventsLost == 0)
    #expect(!profile.completeness.isComplete)
  }

  @Test func eventsAfterTheLastCountersCannotBeChecked() {
    let profile = RunBuilder {
      run(&$0)
      $0.close()
      $0.fetch("SELECT a")
    }.profile()
    #expect(profile.processes.map(\.coverage) == [.uncounted(2)])
  }

  @Test func aRunReadTwiceIsASurplus() {
    let once = RunBuilder {
      run(&$0)
      $0.close()
    }
    let twice = RunBuilder { trace in
      for record in (once.records + once.records).sorted(by: { $0.timestamp < $1.timestamp }) {
        trace.append(record.event)
      }
    }
    #expect(twice.profile().processes.map(\.coverage) == [.surplus(4)])
    #expect(twice.profile().completeness.doubts.first?.contains("twice") == true)
  }

  @Test func aProcessIdUsedAgainIsANewProcess() {
    let profile = RunBuilder { trace in
      run(&trace)
      trace.close()
      let count = UInt64(trace.records.count)
      trace.open(start: 2)
      trace.fetch("SELECT a")
      trace.append(
        .counters(
          CountersSampled(
            storeID: 1, fetches: 0, faults: 0, cacheHits: 0, cacheMisses: 0, saves: 0,
            events: count - 2)))
    }.profile()
    #expect(profile.processes.map(\.coverage) == [.complete, .complete])
  }

  @Test func discardedEventsAreLost() {
    let profile = RunBuilder {
      run(&$0)
      $0.close()
    }.profile(eventsLost: 7)
    #expect(profile.completeness.eventsLost == 7)
    #expect(!profile.completeness.isComplete)
  }

  @Test func anUnfinishedFetchIsADoubt() {
    let completeness = RunBuilder {
      $0.begin()
      $0.close()
    }.profile().completeness
    #expect(completeness.doubts == ["transit[2367]: 1 fetch began and had not ended"])
  }
}
