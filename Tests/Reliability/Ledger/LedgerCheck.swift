// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ObjectStore
import SQLiteDriver

/// Checks that a ledger's store is whole.
public struct LedgerCheck {
  let url: URL
  let seed: UInt64

  public init(_ url: URL, seed: UInt64) {
    self.url = url
    self.seed = seed
  }

  /// Checks the file as SQLite sees it, then opens it and compares it with the saves.
  ///
  /// - Parameter acknowledged: the last save that was reported as done.
  /// - Returns: the last save that is there.
  /// - Throws: ``LedgerError``, and the error of an opening.
  @discardableResult
  public func run(acknowledged: Int64) throws -> Int64 {
    guard let version = try inspect() else {
      guard acknowledged == 0 else { throw LedgerError("nothing is there") }
      return 0
    }
    let container = try version.open(url)
    defer { container.close() }
    guard let ledger = try Ledger(container.mainContext) else {
      guard acknowledged == 0 else { throw LedgerError("nothing is there") }
      return 0
    }
    guard (acknowledged...acknowledged + 1).contains(ledger.lastStep) else {
      throw LedgerError("\(ledger.lastStep) saves are there, \(acknowledged) were acknowledged")
    }
    let expected = Ledger(seed: seed, after: ledger.lastStep)
    if let difference = ledger.difference(to: expected) { throw LedgerError(difference) }
    try checkShelves(container, version)
    try checkHistory(container, ledger.lastStep)
    // Opening moves files that a killed process has left to the trash.
    let orphans = try container.orphanedExternalFiles().filter { !$0.path.contains("/_TRASH/") }
    guard orphans.isEmpty else { throw LedgerError("files that nobody refers to: \(orphans)") }
    return ledger.lastStep
  }

  private func checkShelves(_ container: PersistentContainer, _ version: LedgerVersion) throws {
    let shelves = try container.mainContext.fetch(entityNamed: "Shelf")
    let titles = try shelves.map { shelf in
      guard case .integer(let place) = try shelf.value(forKey: "place"),
        case .string(let title) = try shelf.value(forKey: version.shelfTitle),
        try version == .first || shelf.value(forKey: "stars") == .integer(3)
      else { throw LedgerError("a shelf has lost its values") }
      return (place, title)
    }
    guard titles.allSatisfy({ $1 == "shelf \($0)" }), Set(titles.map(\.0)).count == shelves.count,
      shelves.count == Ledger.shelfCount
    else { throw LedgerError("there are \(shelves.count) shelves, or they are mixed up") }
  }

  /// Each save is one transaction of the history, and the first one before them.
  private func checkHistory(_ container: PersistentContainer, _ lastStep: Int64) throws {
    let history = try container.history(after: nil)
    let expected = ["founder"] + (0..<lastStep).map { "step \($0 + 1)" }
    guard history.map({ $0.author ?? "" }) == expected,
      history.map(\.token.transaction) == (0...lastStep).map({ $0 + 1 })
    else { throw LedgerError("the history does not tell of each save once and in order") }
    for (step, transaction) in history.enumerated().dropFirst() {
      let inserted = transaction.changes.filter {
        $0.kind == .insert && $0.objectID.entityName == "Step"
      }
      guard inserted.count == 1, transaction.changes.contains(where: { $0.kind == .update }) else {
        throw LedgerError("the history of step \(step) is not whole")
      }
    }
  }
}
