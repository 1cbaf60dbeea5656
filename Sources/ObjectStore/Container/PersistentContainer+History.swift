// SPDX-License-Identifier: Apache-2.0

public import Foundation
import SQLiteDriver
import StoreInstruments

extension PersistentContainer {
  /// Whether writes are also recorded as history; see ``StoreOptions/tracksHistory``.
  public var tracksHistory: Bool { store.tracksHistory }

  /// The token of the last transaction; nil if there is none.
  ///
  /// - Throws: ``StoreError`` if SQLite fails.
  public func currentHistoryToken() throws -> HistoryToken? {
    var token: HistoryToken?
    guard store.tracksHistory else { return nil }
    try store.read("SELECT MAX(Z_PK) FROM ATRANSACTION", []) { row in
      if !row.isNull(0) { token = HistoryToken(transaction: row.int64(0)) }
    }
    return token
  }

  /// The transactions after a token, oldest first; all of them if it is nil.
  ///
  ///     let news = try container.history(after: lastToken)
  ///     for transaction in news where transaction.author != "import" { … }
  ///     lastToken = news.last?.token ?? lastToken
  ///
  /// - Throws: ``StoreError`` if SQLite fails.
  public func history(after token: HistoryToken?) throws -> [HistoryTransaction] {
    try history("t0.Z_PK > ?", .integer(token?.transaction ?? 0))
  }

  /// The transactions that were written after a time.
  ///
  /// - Throws: ``StoreError`` if SQLite fails.
  public func history(after date: Date) throws -> [HistoryTransaction] {
    try history("t0.ZTIMESTAMP > ?", .date(date))
  }

  /// Deletes the transactions before a token; the token's own transaction stays.
  ///
  /// - Returns: how many there were.
  /// - Throws: ``StoreError`` if SQLite fails.
  @discardableResult
  public func deleteHistory(before token: HistoryToken) throws -> Int {
    try deleteHistory("Z_PK < ?", .integer(token.transaction))
  }

  /// Deletes the transactions that were written before a time.
  ///
  /// - Returns: how many there were.
  /// - Throws: ``StoreError`` if SQLite fails.
  @discardableResult
  public func deleteHistory(before date: Date) throws -> Int {
    try deleteHistory("ZTIMESTAMP < ?", .date(date))
  }

  private func history(_ condition: String, _ value: StoreValue) throws -> [HistoryTransaction] {
    guard let columns = store.history else { return [] }
    let entities = Dictionary(
      model.entities.map { ($0.entityID, $0) }, uniquingKeysWith: { a, _ in a })
    // Core Data keeps a name in one of two ways.
    let (author, context) =
      columns == .bitmap
      ? ("ifnull(t1.ZNAME, t0.ZAUTHOR)", "ifnull(t2.ZNAME, t0.ZCONTEXTNAME)")
      : ("t1.ZNAME", "t2.ZNAME")
    var transactions: [HistoryTransaction] = []
    try store.read(
      "SELECT t0.Z_PK, t0.ZTIMESTAMP, \(author), \(context), t3.ZCHANGETYPE, t3.ZENTITY, "
        + "t3.ZENTITYPK, t3.ZCOLUMNS FROM ATRANSACTION t0 "
        + "LEFT OUTER JOIN ATRANSACTIONSTRING t1 ON t1.Z_PK = t0.ZAUTHORTS "
        + "LEFT OUTER JOIN ATRANSACTIONSTRING t2 ON t2.Z_PK = t0.ZCONTEXTNAMETS "
        + "LEFT OUTER JOIN ACHANGE t3 ON t3.ZTRANSACTIONID = t0.Z_PK "
        + "WHERE  \(condition)  ORDER BY t0.Z_PK, t3.Z_PK", [value]
    ) { row in
      let token = HistoryToken(transaction: row.int64(0))
      if transactions.last?.token != token {
        transactions.append(
          HistoryTransaction(
            token: token, timestamp: Date(timeIntervalSinceReferenceDate: row.double(1)),
            author: row.isNull(2) ? nil : row.string(2),
            contextName: row.isNull(3) ? nil : row.string(3), changes: []))
      }
      // An entity that the model lacks has no objects here.
      guard let entity = entities[row.int64(5)], let change = HistoryChange(row, entity, columns)
      else { return }
      transactions[transactions.count - 1].changes.append(change)
    }
    return transactions
  }

  private func deleteHistory(_ condition: String, _ value: StoreValue) throws -> Int {
    guard store.tracksHistory else { return 0 }
    var count = 0
    try store.write(.exclusive) { connection in
      for sql in [
        "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN "
          + "(SELECT Z_PK FROM ATRANSACTION WHERE \(condition))",
        "DELETE FROM ATRANSACTION WHERE \(condition)",
      ] {
        let statement = try connection.prepare(sql)
        statement.bind(value, at: 1)
        try statement.run()
        count = connection.changes
      }
    }
    return count
  }
}

extension HistoryChange {
  /// Nil for a kind that is not known.
  fileprivate init?(_ row: Statement, _ entity: EntityDescription, _ columns: ChangedColumns) {
    guard let kind = Kind(rawValue: row.int64(4)) else { return nil }
    self.kind = kind
    objectID = ManagedObjectID(reference: entity.reference, primaryKey: row.int64(6))
    updatedProperties =
      kind == .update && !row.isNull(7) ? columns.decoded(row.blob(7), of: entity) : nil
  }
}

extension PersistentStore {
  /// Runs a SELECT on a reader.
  fileprivate func read(
    _ sql: String, _ values: [StoreValue], row: (Statement) -> Void
  ) throws {
    var cost = QueryCost()
    try query(
      SelectStatement(sql: sql, bindings: values), interests: instruments.interests, contextID: 0,
      cost: &cost, row: row)
  }
}

extension HistoryTransaction {
  /// For ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``.
  public var contextChanges: ContextChanges {
    func ids(_ kind: HistoryChange.Kind) -> [ManagedObjectID] {
      changes.filter { $0.kind == kind }.map(\.objectID)
    }
    return ContextChanges(inserted: ids(.insert), updated: ids(.update), deleted: ids(.delete))
  }
}
