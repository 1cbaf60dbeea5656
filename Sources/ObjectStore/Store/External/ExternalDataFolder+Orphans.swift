// SPDX-License-Identifier: Apache-2.0

public import Foundation
import SQLiteDriver

extension ExternalDataFolder {
  /// The files that no row refers to, if the connection holds the write lock; without it, a save
  /// that goes on may have written some of them.
  ///
  /// Rows of any table count, of the model or not: what the model lacks stays in the file.
  ///
  ///     SELECT substr(ZBLOB, 2, 36) FROM ZPHOTO WHERE length(ZBLOB) IN (37, 38) AND substr(ZBLOB, 1, 1) = X'02'
  func orphans(in connection: Connection) throws(SQLiteError) -> Set<UUID> {
    var orphans = files
    guard !orphans.isEmpty else { return [] }
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
        if let uuid = UUID(uuidString: references.string(0)) { orphans.remove(uuid) }
      }
    }
    return orphans
  }
}

extension PersistentContainer {
  /// The files of external storage that no row refers to: what a process that was killed has left.
  ///
  /// The next opening of the store removes them, if its model has an attribute that allows external
  /// storage. It waits for the write lock, so that no save of any process goes on; a
  /// read-only container does not, and tells of files that a save is about to refer to.
  ///
  /// - Throws: ``StoreError``.
  public func orphanedExternalFiles() throws -> [URL] {
    let folder = store.externalData
    do {
      guard !store.isReadOnly else {
        let reader = try store.pool.takeReader()
        defer { store.pool.release(reader) }
        return folder.urls(try folder.orphans(in: reader.connection))
      }
      return try store.pool.withWriter { writer in
        try writer.connection.execute("BEGIN EXCLUSIVE")
        defer { try? writer.connection.execute("ROLLBACK") }
        return folder.urls(try folder.orphans(in: writer.connection))
      }
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }
}

extension ExternalDataFolder {
  fileprivate func urls(_ uuids: Set<UUID>) -> [URL] {
    uuids.map { URL(fileURLWithPath: path(of: $0)) }.sorted { $0.path < $1.path }
  }
}
