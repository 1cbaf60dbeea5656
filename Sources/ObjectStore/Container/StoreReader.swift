// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreInstruments

/// Reads a store with SQL of the program's own, within ``PersistentContainer/read(_:)``.
public struct StoreReader {
  fileprivate let store: PersistentStore
  fileprivate let connection: Connection

  /// Runs one SELECT, and returns its rows as the file holds them.
  ///
  ///     let rows = try container.read {
  ///       try $0.rows("SELECT ZNAME, count(*) FROM ZSTOP WHERE ZRANK > ? GROUP BY 1", [.integer(3)])
  ///     }
  ///
  /// Booleans are integers, dates are seconds since 2001, UUIDs are data, as in the tables. The
  /// statement is part of the log and of the trace, like the statements of fetches.
  ///
  /// - Throws: ``StoreError/notAQuery(_:)`` for another statement than SELECT, VALUES, WITH and EXPLAIN,
  ///   ``StoreError/sqlite(_:)`` for SQL that does not compile or that writes.
  public func rows(_ sql: String, _ values: [StoreValue] = []) throws -> [[StoreValue]] {
    // Other statements that a read-only connection accepts would end the transaction, or affect the
    // connection, which fetches use later: COMMIT, CREATE TEMP TABLE, ATTACH, PRAGMA. Use SELECT …
    // FROM pragma_table_info('ZSTOP') for the facts of a PRAGMA.
    guard SQLKeyword.queries.contains(SQLKeyword.first(of: sql)) else {
      throw StoreError.notAQuery(sql)
    }
    if store.interests.contains(.sql) {
      store.instruments.willRun(sql: sql, bindings: values.map(\.boundValue), contextID: 0)
    }
    do {
      return try run(sql, values)
    } catch {
      throw error.isReadOnly ? StoreError.sqlite(error) : StoreError(error, path: store.path)
    }
  }

  private func run(_ sql: String, _ values: [StoreValue]) throws(SQLiteError) -> [[StoreValue]] {
    let statement = try connection.prepare(sql)
    for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index + 1)) }
    var rows: [[StoreValue]] = []
    while try statement.step() {
      var row: [StoreValue] = []
      for column in 0..<statement.columnCount { row.append(statement.value(column, as: .dynamic)) }
      rows.append(row)
    }
    return rows
  }
}

extension PersistentContainer {
  /// Reads with SQL, all of it from one snapshot of the file: a commit of another connection
  /// meanwhile is not visible.
  ///
  /// Unsaved changes of contexts are not in the file. The connection cannot write.
  ///
  /// - Throws: the closure's errors, and ``StoreError``.
  public func read<Result>(_ body: (StoreReader) throws -> Result) throws -> Result {
    let reader = try store.pool.acquireReader()
    defer { store.pool.release(reader) }
    do {
      return try reader.connection.transaction(.deferred) {
        try body(StoreReader(store: store, connection: reader.connection))
      }
    } catch let error as SQLiteError {
      throw StoreError(error, path: path)
    }
  }

  /// The id of an object by its URI, such as `x-coredata://UUID/Stop/p7`.
  ///
  /// Nil if it is not the URI of an object, or if it belongs to another store, an entity that the
  /// model does not have, or an object that was never saved.
  public func managedObjectID(forURI uri: String) -> ManagedObjectID? {
    let scheme = "x-coredata://"
    let parts = uri.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false)
    guard uri.hasPrefix(scheme), parts.count == 3, parts[0] == storeUUID[...],
      let entity = model.entity(named: String(parts[1])), parts[2].hasPrefix("p"),
      let key = Int64(parts[2].dropFirst()), key > 0, parts[2] == "p\(key)"
    else { return nil }
    return ManagedObjectID(reference: entity.reference, primaryKey: key)
  }
}
