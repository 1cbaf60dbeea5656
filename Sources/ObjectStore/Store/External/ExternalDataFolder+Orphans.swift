// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import SQLiteDriver

extension ExternalDataFolder {
  /// The files that rows refer to, in any table and column: contents that the model does not have
  /// stay in the file.
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
  /// Files younger than the grace period stay: a save of another process, or a backup that is being
  /// restored, may be about to refer to them. Nothing is removed.
  func tidy(_ connection: Connection, owner: String?, gracePeriod: Duration) throws(SQLiteError) {
    guard let owner, !neighbors.supportFolders.isEmpty else { return }
    let present = files
    // Before the rows are read: a file that a save writes from now on is not among these.
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

  /// The files that no row refers to, if the connection holds the write lock: files in the trash,
  /// and files in the folder if no other store may refer to them.
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
