// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import Synchronization

/// The files that one transaction creates, and the files that it no longer needs.
///
///     BEGIN EXCLUSIVE ─ files written and synced ─ their folder synced ─ COMMIT ─ files removed
///
/// Wherever that is cut off, each row that is left refers to a file that exists. There may be files
/// that no row refers to; a later opening moves them to the trash.
final class ExternalDataTransaction {
  private let folder: ExternalDataFolder
  private var made: Set<UUID> = []
  private var unused: Set<UUID> = []

  /// - Parameter folder: the folder of a store; the transaction holds the store's write lock.
  init(_ folder: ExternalDataFolder) {
    self.folder = folder
    _ = folder.replaced.drain()
  }

  /// - Throws: ``StoreError``: `full`, `cannotWriteExternalData`.
  func write(_ data: Data) throws -> ExternalDataReference {
    let uuid = try folder.write(data)
    made.insert(uuid)
    return ExternalDataReference(uuid: uuid)
  }

  func read(_ reference: ExternalDataReference) throws(ExternalDataProblem) -> Data {
    try folder.read(reference)
  }

  /// Marks a file of this transaction as unused, as no row refers to it.
  func discard(_ reference: ExternalDataReference) {
    if let uuid = reference.uuid { unused.insert(uuid) }
  }

  /// Marks a file as replaced, as its row no longer refers to it and no trigger reports that.
  func replace(_ reference: ExternalDataReference) { folder.replaced.insert(reference) }

  /// Runs the statements of the transaction, and lets the files follow its end.
  ///
  /// - Parameters:
  ///   - execute: runs BEGIN, COMMIT and ROLLBACK, for callers that report them.
  ///   - willCommit: called last before the COMMIT.
  func run<R>(
    _ kind: Connection.TransactionKind, on connection: Connection,
    execute: ((String) throws -> Void)? = nil, willCommit: () -> Void = {},
    _ body: () throws -> R
  ) throws -> R {
    var isCommitting = false
    do {
      let result = try connection.transaction(kind, execute: execute) {
        let result = try body()
        try self.willCommit(connection)
        try connection.checkFile()
        isCommitting = true
        willCommit()
        return result
      }
      didCommit(connection)
      return result
    } catch {
      isCommitting ? commitDidFail(connection) : didRollBack()
      throw error
    }
  }

  private func willCommit(_ connection: Connection) throws {
    if !folder.doubtful.isEmpty { try rewriteFirstPage(connection) }
    guard !made.isEmpty else { return }
    try folder.mark(owner: ExternalDataFolder.owner(connection))
    try folder.sync()
  }

  private func didCommit(_ connection: Connection) {
    let (replaced, doubtful) = (folder.replaced.drain(), folder.doubtful.drain())
    let useless = unused.union(doubtful)
    guard !useless.isEmpty || !replaced.isEmpty, folder.syncLog() else { return }
    folder.remove(useless)
    // Without a UUID, owners cannot be distinguished, so the files stay.
    guard let owner = try? ExternalDataFolder.owner(connection) else { return }
    folder.release(replaced.subtracting(useless), owner: owner)
  }

  /// After a rollback that no commit was tried before.
  private func didRollBack() {
    for uuid in made { unlink(folder.path(of: uuid)) }
  }

  // MARK: - A commit that failed

  /// Removes the files of a commit that failed and was rolled back: now, or if the disk is still
  /// broken, with the next commit.
  ///
  /// The commit may still be in the log and become effective after a crash, because SQLite updates
  /// the valid length of the log in memory last. Another commit instead of it prevents that.
  private func commitDidFail(_ connection: Connection) {
    guard !made.isEmpty else { return }
    folder.doubtful.insert(made)
    try? ExternalDataTransaction(folder).run(.exclusive, on: connection) {}
  }

  /// Writes the first page unchanged, so that the commit is written even if nothing was changed.
  private func rewriteFirstPage(_ connection: Connection) throws(SQLiteError) {
    let version = try connection.prepare("PRAGMA user_version")
    guard try version.step() else { return }
    let number = version.int64(0)
    try connection.execute("PRAGMA user_version = \(number)")
  }
}

/// Files that are removed with the end of a transaction.
final class RemovableFiles: Sendable {
  private let files = Mutex<Set<UUID>>([])

  var isEmpty: Bool { files.withLock { $0.isEmpty } }

  func insert(_ uuids: Set<UUID>) { files.withLock { $0.formUnion(uuids) } }

  func insert(_ reference: ExternalDataReference) {
    if let uuid = reference.uuid { insert([uuid]) }
  }

  func drain() -> Set<UUID> {
    files.withLock { files in
      defer { files = [] }
      return files
    }
  }

  /// Reports every replaced or deleted value by triggers of the connection.
  func watch(_ model: ManagedObjectModel, on connection: Connection) throws(SQLiteError) {
    let function = "ObjectStoreReplacedData"
    try connection.createFunction(function, argumentCount: 1) { call in
      if case .reference(let reference) = ExternalDataColumn(call.blob(0)) {
        self.insert(reference)
      }
    }
    for root in model.roots {
      for attribute in root.attributes where attribute.allowsExternalBinaryDataStorage {
        let (table, column) = (root.table, attribute.column)
        let isFile = ExternalDataColumn.isReference("OLD." + column)
        let action = "BEGIN SELECT \(function)(OLD.\(column)); END"
        try connection.execute(
          "CREATE TEMP TRIGGER \(table)_\(column)_UPDATED AFTER UPDATE OF \(column) ON \(table) "
            + "WHEN \(isFile) AND OLD.\(column) IS NOT NEW.\(column) \(action)")
        try connection.execute(
          "CREATE TEMP TRIGGER \(table)_\(column)_DELETED AFTER DELETE ON \(table) "
            + "WHEN \(isFile) \(action)")
      }
    }
  }
}
