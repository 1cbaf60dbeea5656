// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing

@testable import TraceRecording

struct FlightConditionTests {
  @Test(arguments: [
    ("statement > 100ms", FlightCondition.Kind.statement(longerThan: 100_000_000)),
    ("Statement>1.5s", .statement(longerThan: 1_500_000_000)),
    ("save > 20 ms", .save(longerThan: 20_000_000)),
    ("transaction > 250us", .transaction(longerThan: 250_000)),
    ("busy", .busy(longerThan: -1)), ("busy > 50ms", .busy(longerThan: 50_000_000)),
    ("locked", .locked), ("error", .error), ("fault storm", .faultStorm(moreThan: 999)),
    ("fault  storm > 200", .faultStorm(moreThan: 200)),
  ])
  func readsEachForm(text: String, kind: FlightCondition.Kind) {
    #expect(FlightCondition(text)?.kind == kind)
  }

  @Test(arguments: [
    "", "statement", "statement >", "statement > 100", "statement > -1ms", "statement > 1h",
    "statement > nanms", "statement < 100ms", "busy >", "busy > x", "locked > 1ms", "storm",
    "fault storm > 0", "fault storm > 1.5", "statement > 100ms; lttng destroy", "error == \"\"",
    "statement > 99999999999999999999s",
  ])
  func refusesWhatIsNoCondition(text: String) { #expect(FlightCondition(text) == nil) }

  /// The filter runs within the program, the predicate on the snapshot: they name the same field.
  @Test func aWaitThatEndedIsBusyAndNotLocked() throws {
    let wait = StoreEvent.busy(BusyWaited(storeID: 1, attempts: 3, waitTime: 5_000_000, gaveUp: 0))
    let failure = StoreEvent.busy(BusyWaited(storeID: 1, attempts: 0, waitTime: 0, gaveUp: 1))
    let (busy, long, locked) = try (
      #require(FlightCondition("busy")), #require(FlightCondition("busy > 5ms")),
      #require(FlightCondition("locked"))
    )
    #expect([wait, failure].map(busy.matches) == [true, true])
    #expect([wait, failure].map(long.matches) == [false, false])
    #expect([wait, failure].map(locked.matches) == [false, true])
    #expect(busy.rules.map(\.filter) == ["wait_ns > -1", "wait_ns > -1"])
    #expect(locked.rules.map(\.event) == ["objectstore:busy", "sqliteprobe:busy"])
  }

  @Test func grantsAtMostSoManyWithinAnHour() {
    var limit = HourlyLimit(2)
    let start = ContinuousClock.now
    limit.note(start)
    limit.note(start + .seconds(60))
    let answers = [61, 3599, 3600].map { limit.permits(start + .seconds($0)) }
    #expect(answers == [false, false, true])
  }

  @Test func manyProcessorsGetSmallerBuffers() throws {
    var options = FlightOptions([try #require(FlightCondition("statement > 1s"))])
    #expect(options.memory <= 8 << 20)
    options.disk = 1 << 20
    #expect(options.memory == 512 << 10)
  }
}
