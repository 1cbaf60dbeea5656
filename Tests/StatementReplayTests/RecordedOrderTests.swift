// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing

@testable import StatementReplay

/// Events are written when runs end; a database saw a reader when it began.
@Suite struct RecordedOrderTests {
  private static let process = ProcessIdentity(id: 1, name: "app")

  private func run(
    _ sql: String, connection: UInt64, openTime: Int64 = 0, waitTime: Int64 = 0,
    isReadOnly: Bool = true
  ) -> RecordedStep {
    let id = StatementID(sql: sql)
    let event = StatementRun(
      connectionID: connection, statementID: id, runID: 1, transactionID: 0, callerID: 0,
      bindHash: 0,
      stepTime: openTime, openTime: openTime, rows: 0, changes: 0, isReadOnly: isReadOnly ? 1 : 0,
      memory: 0, reprepares: 0,
      filterHits: 0, filterMisses: 0, timedSteps: 1, error: "")
    return .run(
      RecordedRun(
        connection: RecordedConnection(process: Self.process, id: connection), sql: sql,
        statement: id, event: event, waitTime: waitTime))
  }

  private func order(_ steps: [(RecordedStep, Nanoseconds)]) -> [String] {
    var order = RecordedOrder()
    var texts: [String] = []
    let body = { (step: RecordedStep, _: Nanoseconds) in
      if case .run(let run) = step { texts.append(run.sql) }
    }
    for (step, time) in steps { order.add(step, at: time, body) }
    order.finish(body)
    return texts
  }

  @Test func aReaderComesBeforeACommitThatEndedWhileItRead() {
    let texts = order([
      (run("COMMIT", connection: 1, openTime: 5), 100),
      (run("SELECT a", connection: 2, openTime: 50), 120),
      (run("SELECT b", connection: 2, openTime: 10), 140),
    ])
    #expect(texts == ["SELECT a", "COMMIT", "SELECT b"])
  }

  @Test func aReaderThatWaitedForTheCommitComesAfterIt() {
    let texts = order([
      (run("COMMIT", connection: 1, openTime: 5), 100),
      (run("SELECT a", connection: 2, openTime: 50, waitTime: 40), 120),
    ])
    #expect(texts == ["COMMIT", "SELECT a"])
  }

  @Test func aWriterComesWhenItEnded() {
    let texts = order([
      (run("COMMIT", connection: 1, openTime: 5), 100),
      (run("UPDATE", connection: 2, openTime: 50, isReadOnly: false), 120),
      (run("BEGIN", connection: 3, openTime: 90), 130),
    ])
    #expect(texts == ["COMMIT", "UPDATE", "BEGIN"])
  }

  @Test func allStepsComeOutInOrderHoweverMany() {
    let steps = (1...10_000).map { (run("\($0)", connection: UInt64($0 % 3)), Nanoseconds($0)) }
    #expect(order(steps) == (1...10_000).map { "\($0)" })
  }

  @Test(
    arguments: [
      ("", nil), ("SQLITE_BUSY: database is locked", "SQLITE_BUSY"),
      ("SQLITE_BUSY_SNAPSHOT", "SQLITE_BUSY"), ("SQLITE_CONSTRAINT_UNIQUE: x", "SQLITE_CONSTRAINT"),
      ("SQLITE_ERROR: no such table: a", "SQLITE_ERROR"),
    ] as [(String, String?)])
  func aResultCodeIsThePrimaryOne(error: String, code: String?) {
    #expect(ResultCode.recorded(error) == code)
  }
}
