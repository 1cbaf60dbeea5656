// SPDX-License-Identifier: Apache-2.0

public import Foundation
import SQLiteDriver

extension PersistentContainer {
  /// The files of external storage that no row refers to: files in the store's trash, and files
  /// that a killed process has left.
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
    guard store.isReadOnly else {
      return try store.write(.immediate) { try folder.orphans(in: $0, owner: owner) }
    }
    do {
      let reader = try store.pool.acquireReader()
      defer { store.pool.release(reader) }
      return try folder.orphans(in: reader.connection, owner: owner)
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }

  /// Deletes files in the trash of external storage, which ``orphanedExternalFiles()`` lists.
  ///
  /// Only this method deletes them. Files that a row of a store in the same directory refers to are
  /// kept.
  ///
  ///     try container.deleteOrphanedExternalFiles(olderThan: .seconds(30 * 86_400))
  ///
  /// - Parameter age: how long they must have been in the trash.
  /// - Returns: how many were deleted.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func deleteOrphanedExternalFiles(olderThan age: Duration) throws -> Int {
    let folder = store.externalData
    return try store.write(.immediate) { try folder.emptyTrash(in: $0, olderThan: age) }
  }
}
