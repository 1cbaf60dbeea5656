// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import StoreInstruments

extension ManagedObjectContext {
  /// Writes all changes in one transaction, or none of them.
  ///
  ///     try context.save()
  ///     // BEGIN EXCLUSIVE
  ///     // SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?
  ///     // UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?
  ///     // INSERT INTO ZSTOP(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, ?, ?, ?)
  ///     // UPDATE ZSTOP SET ZNAME = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?
  ///     // DELETE FROM ZSTOP WHERE Z_PK = ? AND Z_OPT = ?
  ///     // COMMIT
  ///
  /// If it throws, nothing was written and the changes are still in the context; what the delete
  /// rules did stays done.
  ///
  /// - Throws: ``StoreError``: `invalid` for values the model does not allow, `deletionDenied`,
  ///   `conflict` if a row was changed by somebody else since it was read, `full`, `busy`.
  public func save(file: String = #fileID, line: UInt = #line) throws {
    checkQueue("save")
    guard hasChanges else { return }
    if let faultError { throw faultError }
    guard !store.isReadOnly else { throw StoreError.readOnly(path: store.path) }
    try followDeleteRules()
    tellObservations()
    let changes = ChangeSet(self)
    try changes.validate()
    var operation = SaveOperation(
      context: self, changes: changes,
      location: SourceLocation(file: file, line: UInt64(line)))
    if !changes.isEmpty { try operation.run { try $0.write(changes) } }
    changes.adopt(in: self)
    tellObservationsOfSave()
    store.checkpointIfNeeded(contextID: contextID)
  }
}
