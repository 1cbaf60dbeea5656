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

  private var current: Transaction?
  /// The one that took keys, counted with the save after it.
  private var keys: (begin: Nanoseconds, statements: UInt64)?

  var isOpen: Bool { current != nil }

  mutating func begin(at time: Nanoseconds) {
    current = Transaction(begin: time, statements: 1)
  }

  mutating func run(_ statement: CoreDataStatement, at time: Nanoseconds) {
    let isWrite = statement != .housekeeping
    // The line of its BEGIN may be cut off.
    guard current != nil || isWrite else { return }
    var transaction = current ?? Transaction(begin: time)
    transaction.statements += 1
    switch statement {
    case .insert: transaction.inserted += 1
    case .update: transaction.updated += 1
    case .delete: transaction.deleted += 1
    case .join: transaction.joined += 1
    default: break
    }
    current = transaction
  }

  /// Records an error of the transaction; false if none is open.
  mutating func fail(_ error: String) -> Bool {
    current?.error = error
    return current != nil
  }

  /// Ends the transaction; the log has no times of it but those at which its lines were written.
  mutating func end(
    isCommit: Bool, process: CoreDataProcess, clock: CoreDataClock
  ) -> [(Nanoseconds, StoreEvent)] {
    guard let transaction = current else { return [] }
    current = nil
    func duration(since begin: Nanoseconds) -> Nanoseconds {
      clock.isReal ? max(0, clock.now - begin) : 0
    }
    let statements = transaction.statements + 1
    var ended = TransactionEnded(
      storeID: 0, saveID: 0, outcome: isCommit ? "commit" : "rollback", waitTime: 0,
      totalTime: duration(since: transaction.begin))
    guard transaction.writes else {
      if isCommit { keys = (transaction.begin, statements) }
      return [(clock.now, .transaction(ended))]
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
      (clock.now, .transaction(ended)),
      (
        clock.now,
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
