// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import SQLiteDriver
import StoreInstruments

extension PersistentContainer {
  /// Copies the state of the store at one moment to a new file, while the store is in use.
  ///
  ///     try container.backUp(to: folder.appending(path: "stops-backup.sqlite"))
  ///     // VACUUM INTO ?
  ///
  /// Unsaved changes of contexts are not part of it. The file appears under its name when it is
  /// complete. Files of external storage are copied beside it; saves wait meanwhile, but only if the
  /// model has such attributes.
  ///
  /// - Throws: ``StoreError``: `cannotOpen` if the file exists, or for a URL that is not a file's;
  ///   SQLite's errors. No file is left then.
  public func backUp(to url: URL) throws {
    let path = try Self.path(of: url)
    guard access(path, F_OK) != 0 else {
      throw StoreError.cannotOpen(path: path, reason: "there is a file already")
    }
    guard model.allowsExternalData, !store.isReadOnly else { return try store.copy(to: path) }
    do {
      try store.pool.withWriter { writer in
        // No save removes a file before it is copied.
        try writer.connection.transaction(.immediate) {
          try store.copyExternalData(nextTo: path)
          try store.copy(to: path)
        }
      }
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }
}

extension PersistentStore {
  fileprivate func copy(to path: String) throws {
    let partial = path + "-" + UUID().uuidString
    let reader = try pool.acquireReader()
    defer { pool.release(reader) }
    do {
      try copy(reader.connection, to: partial)
    } catch {
      unlink(partial)
      throw StoreError(error, path: path)
    }
    // Not over a file that has appeared meanwhile; some file systems have no links.
    let isDone = link(partial, path) == 0 || errno != EEXIST && rename(partial, path) == 0
    let reason = String(cString: strerror(errno))
    unlink(partial)
    guard isDone else { throw StoreError.cannotOpen(path: path, reason: reason) }
  }

  private func copy(_ connection: Connection, to path: String) throws(SQLiteError) {
    // VACUUM would write the copy by the VFS of the connection, which keeps it in memory, or only reads.
    guard !isInMemory, !isReadOnly else { return try connection.copy(to: Connection(path: path)) }
    let sql = "VACUUM INTO ?"
    if interests.contains(.sql) {
      instruments.willRun(sql: sql, bindings: [.text(path)], contextID: 0)
    }
    let statement = try connection.prepare(sql)
    statement.bind(path, at: 1)
    try statement.run()
  }

  /// Files of external storage never change, so existing ones are complete.
  fileprivate func copyExternalData(nextTo path: String) throws {
    let target = ExternalDataFolder(store: path)
    guard !externalData.files.isEmpty else { return }
    do {
      try FileManager.default.createDirectory(
        atPath: target.path, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      for uuid in externalData.files where access(target.path(of: uuid), F_OK) != 0 {
        try FileManager.default.copyItem(
          atPath: externalData.path(of: uuid), toPath: target.path(of: uuid))
      }
    } catch {
      throw StoreError.cannotWriteExternalData(
        path: target.path, reason: error.localizedDescription)
    }
  }
}
