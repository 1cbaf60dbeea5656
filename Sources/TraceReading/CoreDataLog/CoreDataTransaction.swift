// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The write transactions of one thread of a Core Data log.
///
/// A save is two: the first takes primary keys from `Z_PRIMARYKEY`, the second writes the rows.
///
///     BEGIN EXCLUSIVE · SELECT Z_MAX … · UPDATE Z_PRIMARYKEY … · COMMIT
///     BEGIN EXCLUSIVE · INSERT INTO ZSTOP … · COMMIT                        one save
struct CoreDataTransactions {
  private struct Transaction {
    var begin: Nanoseconds
    var statements: UInt64 = 0
    var inserted: UInt64 = 0
    var updated: UInt64 = 0
    var deleted: UInt64 = 0
    var joined: UInt64 = 0
    var error = ""

    var writes: Bool { inserted > 0 || updated > 0 || deleted > 0 || joined > 0 }
  }

  /// The last one is written to; SQLite has one, and others lack the line of their end.
  private var open: [Transaction] = []
  /// The one that took keys, counted with the save after it.
  private var keys: (begin: Nanoseconds, statements: UInt64)?
  /// Writing transactions without an error and without the line of their end.
  private(set) var unended: UInt64 = 0

  // 64 is arbitrary.
  private static let maxOpen = 64

  var isOpen: Bool { !open.isEmpty }

  /// Begins one; returns the events of the one before it, if that failed without a ROLLBACK.
  mutating func begin(
    at time: Nanoseconds, process: CoreDataProcess, clock: CoreDataClock
  ) -> [(Nanoseconds, StoreEvent)] {
    let events =
      open.last?.error.isEmpty == false
      ? end(isCommit: false, at: clock.now, process: process, isTimed: clock.isReal) : []
    if open.count >= Self.maxOpen { abandon(open.removeFirst()) }
    open.append(Transaction(begin: time, statements: 1))
    return events
  }

  /// Ends the transactions that the log's end cut.
  mutating func finish(
    process: CoreDataProcess, clock: CoreDataClock
  ) -> [(Nanoseconds, StoreEvent)] {
    var events: [(Nanoseconds, StoreEvent)] = []
    while let last = open.last {
      if last.error.isEmpty {
        abandon(open.removeLast())
      } else {
        events += end(isCommit: false, at: clock.now, process: process, isTimed: clock.isReal)
      }
    }
    return events
  }

  private mutating func abandon(_ transaction: Transaction) {
    if transaction.writes { unended += 1 }
  }

  mutating func run(_ statement: CoreDataStatement, at time: Nanoseconds) {
    let isWrite = statement != .housekeeping
    // The line of its BEGIN may be cut off.
    guard isOpen || isWrite else { return }
    var transaction = open.popLast() ?? Transaction(begin: time)
    transaction.statements += 1
    switch statement {
    case .insert: transaction.inserted += 1
    case .update: transaction.updated += 1
    case .delete: transaction.deleted += 1
    case .join: transaction.joined += 1
    default: break
    }
    open.append(transaction)
  }

  /// Records an error of the transaction; false if none is open.
  mutating func fail(_ error: String) -> Bool {
    guard isOpen else { return false }
    open[open.count - 1].error = error
    return true
  }

  /// Ends the transaction; the log has no times of it except the times of its lines.
  mutating func end(
    isCommit: Bool, at end: Nanoseconds, process: CoreDataProcess, isTimed: Bool
  ) -> [(Nanoseconds, StoreEvent)] {
    guard let transaction = open.popLast() else { return [] }
    func duration(since begin: Nanoseconds) -> Nanoseconds {
      isTimed ? max(0, end - begin) : 0
    }
    let statements = transaction.statements + 1
    var ended = TransactionEnded(
      storeID: 0, saveID: 0, outcome: isCommit ? "commit" : "rollback", waitTime: 0,
      totalTime: duration(since: transaction.begin))
    guard transaction.writes else {
      if isCommit { keys = (transaction.begin, statements) }
      return [(end, .transaction(ended))]
    }
    ended.saveID = process.nextSaveID()
    let begin = keys?.begin ?? transaction.begin
    let total = duration(since: begin)
    defer { keys = nil }
    let error = transaction.error.isEmpty && !isCommit ? "rolled back" : transaction.error
    return [
      (
        begin,
        .saveBegin(
          SaveBegin(
            saveID: ended.saveID, inserted: transaction.inserted, updated: transaction.updated,
            deleted: transaction.deleted, location: .unknown))
      ),
      (end, .transaction(ended)),
      (
        end,
        .saveEnd(
          SaveEnd(
            saveID: ended.saveID, inserted: transaction.inserted, updated: transaction.updated,
            deleted: transaction.deleted, statements: statements + (keys?.statements ?? 0),
            waitTime: 0, writeTime: total, commitTime: 0, totalTime: total, location: .unknown,
            error: error))
      ),
    ]
  }
}
