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
    ("fault  storm > 200", .faultStorm(moreThan: 200)), ("corrupt", .corrupt), ("hazard", .hazard),
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
  func refusesTextThatIsNoCondition(text: String) { #expect(FlightCondition(text) == nil) }

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

  @Test func aHazardCancelsLocksOrChangesAFile() throws {
    let hazard = try #require(FlightCondition("hazard"))
    let touches = [
      ("close", "database"), ("close", "shm"), ("close", "wal"), ("close", "journal"),
      ("delete", "wal"), ("fork", "database"),
    ].map { operation, file in
      StoreEvent.databaseFileTouched(
        DatabaseFileTouched(
          connectionID: 1, operation: operation, file: file, path: "/srv/app.db", device: 1,
          inode: 7, callerID: 1))
    }
    #expect(touches.map(hazard.matches) == [true, true, false, false, true, true])
    #expect(hazard.rules.map(\.event) == ["sqliteprobe:database_file_touched"])
  }

  @Test(arguments: [
    ("SQLITE_CORRUPT: database disk image is malformed", true),
    ("SQLITE_NOTADB: file is not a database", true), ("SQLITE_IOERR: disk I/O error", true),
    ("SQLITE_BUSY: database is locked", false), ("", false),
  ])
  func aFailureOfADamagedFileIsCorrupt(error: String, isCorrupt: Bool) throws {
    let run = StatementRun(
      connectionID: 1, statementID: StatementID(rawValue: 1), runID: 1, transactionID: 0,
      callerID: 0, bindHash: 0, stepTime: 0, openTime: 0, rows: 0, changes: 0, isReadOnly: 1,
      memory: 0, reprepares: 0,
      filterHits: 0, filterMisses: 0, timedSteps: 0, error: error)
    let corrupt = try #require(FlightCondition("corrupt"))
    #expect(corrupt.matches(.statementRun(run)) == isCorrupt)
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
