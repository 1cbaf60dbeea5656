// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The doubts that a Core Data log leaves: how often, and which counts may be wrong for it.
struct CoreDataDoubts {
  /// Lines of a fetch between lines of another one.
  private(set) var interleaved: UInt64 = 0
  /// Fetches without their SQL in the log.
  private(set) var nameless: UInt64 = 0
  /// Transactions without the line of their end.
  private(set) var unended: UInt64 = 0
  /// Lines of statements and times without `CoreData: `, which others have.
  var unmarked: UInt64 = 0
  /// Errors that belong to no statement of the log.
  var errors: UInt64 = 0
  /// The number of truncated statements.
  var cut: UInt64 = 0

  mutating func add(_ thread: CoreDataThread) {
    interleaved += thread.interleaved
    nameless += thread.nameless
    unended += thread.unended
  }

  func note(in ledger: SourceLedger) {
    if errors > 0 {
      ledger.addFailure(
        "Core Data logged \(errors.counted("error")) without a statement in the log")
    }
    if cut > 0 {
      ledger.addProblem(
        "the system's log cut \(cut.counted("statement")) after 1,024 bytes (<…>): those with the same "
          + "beginning are counted as one and have no plan")
    }
    if interleaved > 0 {
      ledger.addProblem(
        "lines of \(interleaved.counted("fetch", "fetches")) stand between those of another one, and the log has no "
          + "thread ids: rows, times and faults may be at the wrong statement")
    }
    if nameless > 0 {
      ledger.addProblem(
        "\(nameless.counted("fetch", "fetches")) without SQL in the log: lines are missing")
    }
    if unended > 0 {
      ledger.addProblem(
        "\(unended.counted("transaction")) without COMMIT or ROLLBACK in the log: not counted as a save"
      )
    }
    if unmarked > 0 {
      ledger.addProblem(
        "\(unmarked.counted("line")) of statements and times without 'CoreData: ', which other lines have: not read"
      )
    }
  }
}
