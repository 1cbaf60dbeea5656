// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import SQLiteDriver

extension ExternalDataFolder {
  /// The files that rows refer to, of any table and column: what the model lacks stays in the file.
  ///
  ///     SELECT substr(ZBLOB, 2, 36) FROM ZPHOTO WHERE length(ZBLOB) IN (37, 38) AND …
  static func references(in connection: Connection) throws(SQLiteError) -> Set<UUID> {
    var uuids: Set<UUID> = []
    let columns = try connection.prepare(
      "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c "
        + "WHERE t.type = 'table' AND upper(c.type) = 'BLOB'")
    while try columns.step() {
      let (table, column) = (
        SchemaComparison.quoted(columns.string(0)), SchemaComparison.quoted(columns.string(1))
      )
      let references = try connection.prepare(
        "SELECT substr(\(column), 2, 36) FROM \(table) "
          + "WHERE \(ExternalDataColumn.isReference(column))")
      while try references.step() {
        if let uuid = UUID(uuidString: references.string(0)) { uuids.insert(uuid) }
      }
    }
    return uuids
  }

  /// Brings the folder in order when its store is opened: files that rows refer to and that are
  /// elsewhere come here, and files that no row refers to go to the trash.
  ///
  /// Files younger than the grace period stay: a save of another process may be about to refer to
  /// them, or a backup that is being restored. Nothing is removed.
  func tidy(_ connection: Connection, owner: String?, gracePeriod: Duration) throws(SQLiteError) {
    guard let owner, !neighbors.supportFolders.isEmpty else { return }
    let present = files
    // Before the rows are read: a file that a save writes from now on is none of these.
    let old = present.filter { FileStamp(path(of: $0)).map { $0.age >= gracePeriod } ?? false }
    let references = try Self.references(in: connection)
    for uuid in references.subtracting(present) { bringBack(uuid) }
    guard access(path, F_OK) == 0, (try? mark(owner: owner)) != nil else { return }
    let orphans = old.subtracting(references)
    guard !orphans.isEmpty, maySweep(owner) else { return }
    for uuid in orphans { moveToTrash(uuid) }
  }

  /// Whether no other file of the directory, and no store that has marked the folder, may refer to a
  /// file of it.
  private func maySweep(_ owner: String) -> Bool {
    guard case .sole(let copies) = claim(owner), copies.isEmpty else { return false }
    return !neighbors.hasNamesake
  }

  /// The files that no row refers to, if the connection holds the write lock: those in the trash, and
  /// those in the folder if no other store may refer to them.
  func orphans(in connection: Connection, owner: String) throws(SQLiteError) -> [URL] {
    let trashed = try trashedOrphans(in: connection)
    var paths = trashed.map { trashPath(of: $0) }
    if maySweep(owner) {
      let present = files.subtracting(try Self.references(in: connection))
      paths += present.map { path(of: $0) }
    }
    return paths.sorted().map { URL(fileURLWithPath: $0) }
  }

  /// The files of the trash that no row of a store of the directory refers to.
  private func trashedOrphans(in connection: Connection) throws(SQLiteError) -> Set<UUID> {
    let trashed = trashedFiles
    guard !trashed.isEmpty, let others = neighbors.references() else { return [] }
    return trashed.subtracting(try Self.references(in: connection)).subtracting(others)
  }

  /// Deletes files of the trash that no row of a store of the directory refers to.
  ///
  /// - Parameter age: how long they must have been there.
  func emptyTrash(in connection: Connection, olderThan age: Duration) throws(SQLiteError) -> Int {
    var count = 0
    for uuid in try trashedOrphans(in: connection) {
      let path = trashPath(of: uuid)
      guard let stamp = FileStamp(path), stamp.age >= age, unlink(path) == 0 else { continue }
      count += 1
    }
    return count
  }
}

extension PersistentContainer {
  /// The files of external storage that no row refers to: those in the trash of the store, and what a
  /// process that was killed has left.
  ///
  /// An opening removes no file. It moves files that no row refers to, and that are older than
  /// ``StoreOptions/externalDataGracePeriod``, from `.NAME_SUPPORT/_EXTERNAL_DATA` to
  /// `.NAME_SUPPORT/_TRASH`, unless another store of the directory may refer to them; these are not
  /// listed here either. A value that refers to a file in the trash is read from there.
  ///
  /// It waits for the write lock, so that no save is under way; a read-only container does not, and
  /// lists files that a save is about to refer to.
  ///
  /// - Throws: ``StoreError``.
  public func orphanedExternalFiles() throws -> [URL] {
    let (folder, owner) = (store.externalData, store.uuid)
    do {
      guard !store.isReadOnly else {
        let reader = try store.pool.takeReader()
        defer { store.pool.release(reader) }
        return try folder.orphans(in: reader.connection, owner: owner)
      }
      return try withWriteLock { try folder.orphans(in: $0, owner: owner) }
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }

  /// Deletes files in the trash of external storage, which ``orphanedExternalFiles()`` lists.
  ///
  /// Nothing else deletes them. Files that a row of a store in the same directory refers to stay.
  ///
  ///     try container.deleteOrphanedExternalFiles(olderThan: .seconds(30 * 86_400))
  ///
  /// - Parameter age: how long they must have been in the trash.
  /// - Returns: how many were deleted.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func deleteOrphanedExternalFiles(olderThan age: Duration) throws -> Int {
    let folder = store.externalData
    do {
      return try withWriteLock { try folder.emptyTrash(in: $0, olderThan: age) }
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }

  private func withWriteLock<R>(_ body: (Connection) throws -> R) throws -> R {
    try store.pool.withWriter { writer in
      try writer.connection.execute("BEGIN IMMEDIATE")
      defer { try? writer.connection.execute("ROLLBACK") }
      return try body(writer.connection)
    }
  }
}
