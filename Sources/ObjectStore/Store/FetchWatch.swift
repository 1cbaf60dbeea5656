// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Synchronization

/// How far a fetch is that runs beside the program.
public struct FetchProgress: Hashable, Sendable {
  /// The number of rows that were read so far; the total is known only at the end.
  public let rows: Int
}

/// Follows a fetch on the thread that runs it, and lets any thread end it early.
final class FetchWatch: Sendable {
  private let isCancelled = Atomic<Bool>(false)
  private let rows = Atomic<Int>(0)
  private let progress: (@Sendable (FetchProgress) -> Void)?

  // Some 200 µs of a scan.
  private static let rowsPerReport = 500

  init(_ progress: (@Sendable (FetchProgress) -> Void)?) { self.progress = progress }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  func check() throws {
    if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
  }

  /// Runs a statement to its end, or until it is cancelled.
  func run(_ statement: Statement, on connection: Connection, row: (Statement) -> Void) throws {
    try check()
    do {
      try connection.interrupting(when: { self.isCancelled.load(ordering: .relaxed) }) {
        while try statement.step() {
          row(statement)
          let count = rows.add(1, ordering: .relaxed).newValue
          if count.isMultiple(of: Self.rowsPerReport) { progress?(FetchProgress(rows: count)) }
        }
      }
    } catch {
      // SQLITE_INTERRUPT, or an error that it caused.
      try check()
      throw error
    }
    try check()
  }
}
