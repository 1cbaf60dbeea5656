// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreInstruments

extension PersistentContainer {
  /// Compares each search index with the text of its attributes, and returns the names of the
  /// indexes that differ.
  ///
  ///     // INSERT INTO Z_FTS_NOTE(Z_FTS_NOTE, rank) VALUES ('integrity-check', 1)
  ///
  /// That happens only where a program has changed rows without the store's triggers. Saves wait
  /// meanwhile.
  ///
  /// - Throws: ``StoreError``.
  public func damagedSearchIndexes() throws -> [String] {
    var damaged: [String] = []
    try writeSearchIndexes { index, connection throws(SQLiteError) in
      store.report(index.checkSQL)
      do throws(SQLiteError) {
        try connection.execute(index.checkSQL)
      } catch {
        guard error.isCorrupt else { throw error }
        damaged.append(index.name)
      }
    }
    return damaged
  }

  /// Makes all search indexes again from the text of the objects.
  ///
  ///     // INSERT INTO Z_FTS_NOTE(Z_FTS_NOTE) VALUES ('rebuild')
  ///
  /// - Throws: ``StoreError``.
  public func rebuildSearchIndexes() throws {
    try writeSearchIndexes { index, connection throws(SQLiteError) in
      store.report(index.rebuildSQL)
      try SearchSchema.drop(index.name, on: connection)
      try SearchSchema.make(index, on: connection)
    }
  }

  private func writeSearchIndexes(
    _ body: (SearchIndexDescription, Connection) throws(SQLiteError) -> Void
  ) throws {
    try store.write(.immediate) { connection in
      for index in model.searchIndexes { try body(index, connection) }
    }
  }
}

extension PersistentStore {
  fileprivate func report(_ sql: String) {
    guard interests.contains(.sql) else { return }
    instruments.willRun(sql: sql, bindings: [], contextID: 0)
  }
}
