// SPDX-License-Identifier: Apache-2.0

public import Testing

/// Expects counts of the statements that run on a connection of SQLite during a body, and records
/// an issue if they differ.
///
///     @Test func showsTheListWithOneStatement() throws {
///       try queue.read { database in
///         try expectStatements(on: database.sqliteConnection!, atMost: 1, fullScans: 0) {
///           try list.show(database)
///         }
///       }
///     }
///
/// The issue names the statements that ran and how often. The handle belongs to the SQLite with which
/// the program is linked. While the body runs, the connection's trace callback is replaced; afterwards
/// it has none.
///
/// - Parameters:
///   - handle: A `sqlite3 *`.
///   - limit: The most statements that may run; nil for any number.
///   - statements: How many statements run; a trigger's statements are part of the statement that
///     fired it.
///   - rows: Rows that the statements return.
///   - fullScans: Runs that step through a table without an index.
///   - sourceLocation: The line to which a failure is attributed.
///   - body: The code that runs the counted statements.
/// - Returns: The body's result.
@discardableResult
public func expectStatements<Result, Failure: Error>(
  on handle: OpaquePointer, atMost limit: Int? = nil, statements: ExpectedCount? = nil,
  rows: ExpectedCount? = nil, fullScans: ExpectedCount? = nil,
  sourceLocation: Testing.SourceLocation = #_sourceLocation,
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  let watcher = StatementWatcher(handle)
  defer {
    watcher.end()
    let counts = watcher.counts
    let wrong = [
      (limit.map(ExpectedCount.atMost), counts.statements, "statements"),
      (statements, counts.statements, "statements"), (rows, counts.rows, "rows"),
      (fullScans, counts.fullScans, "full scans"),
    ].compactMap { expected, count, name in
      expected.flatMap {
        $0.range.contains(count) ? nil : "expected \($0.text) \(name), counted \(count)"
      }
    }
    if !wrong.isEmpty {
      Issue.record(
        Comment(rawValue: wrong.joined(separator: "; ") + "\n" + counts.report),
        sourceLocation: sourceLocation)
    }
  }
  return try body()
}
