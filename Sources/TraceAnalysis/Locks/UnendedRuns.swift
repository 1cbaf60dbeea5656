// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Runs that began and did not end: a run is an event when it ends, and the one that a killed process
/// left open has none.
///
///     process A   statement announced, its line, …                      killed: no run
///     process B               COMMIT  COMMIT  COMMIT …                  counted as commits beside it
///
/// The probe announces a statement when a run begins, at most once a second.
struct UnendedRuns {
  typealias Key = ProfileBuilder.Key
  // As for transactions that are open.
  private static let maxRuns = 10_000

  struct Run {
    var connection: Key
    var site: LockSite
    var start: Nanoseconds
  }

  private struct Statement: Hashable {
    var process: Int
    var id: StatementID
  }

  private var runs: [Statement: Run] = [:]
  /// By thread: the last statement that it announced.
  private var last: [Key: Statement] = [:]

  mutating func begin(_ event: StatementAnnounced, _ record: EventRecord, in process: Int) {
    let statement = Statement(process: process, id: event.statementID)
    let isRead = ["SELECT", "WITH", "VALUES"].contains(StatementCommand.name(of: event.sql))
    guard isRead, runs.count < Self.maxRuns, last.count < Self.maxRuns else { return }
    last[Key(thread: record, in: process)] = statement
    runs[statement] = Run(
      connection: Key(process: process, id: event.storeID),
      site: LockSite(statement: event.statementID, sql: event.sql, location: .unknown, count: 1),
      start: record.timestamp)
  }

  /// The line of the run that the thread began last.
  mutating func add(_ caller: CallerAnnounced, _ record: EventRecord, in process: Int) {
    guard let statement = last.removeValue(forKey: Key(thread: record, in: process)) else { return }
    runs[statement]?.site.location = SourceLocation(file: caller.file, line: caller.line)
  }

  mutating func end(_ run: StatementRun, in process: Int) {
    guard !runs.isEmpty else { return }
    runs.removeValue(forKey: Statement(process: process, id: run.statementID))
  }

  /// In the order of their beginnings.
  var all: [Run] {
    runs.values.sorted { ($0.start, $0.site.sortKey) < ($1.start, $1.site.sortKey) }
  }
}

/// A read without an end in the recording, of a process that did not close its databases.
struct UnendedRun: Hashable, Sendable {
  var site: LockSite
  /// The program: `python3 app.py[17524]`.
  var process: String
  /// The time from its beginning to the last event of its process.
  var timeInProcess: Nanoseconds
  /// The time from its beginning to the last event of the recording.
  var time: Nanoseconds

  // Arbitrary: a line of a terminal.
  private static let maxSQL = 100

  /// Where and when it began: `app.py:5: not ended; it began 4,020 ms before the recording's last event`.
  var sentence: String {
    let own =
      timeInProcess < time
      ? " and \(timeInProcess.millisecondsText) before that of its process" : ""
    return
      "\(site.location.text ?? "a statement"): not ended; it began \(time.millisecondsText) before the "
      + "recording's last event\(own)"
  }

  /// The same with the program and the statement, without its values.
  var doubt: String {
    let sql = site.sql.map { FoldedSQL(SharedStatement(sql: $0).template).text } ?? ""
    let text = sql.count > Self.maxSQL ? "\(sql.prefix(Self.maxSQL))…" : sql
    return "\(process): \(sentence): \(text)"
  }
}
