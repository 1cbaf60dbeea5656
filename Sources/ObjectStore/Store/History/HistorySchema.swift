// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The tables that the persistent history is kept in.
enum HistorySchema {
  /// Core Data numbers its own entities from here on.
  static let firstEntity: Int64 = 16_000

  private static let entities = ["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"]

  private static let statements = [
    "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
      + "ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, "
      + "ZCOLUMNS BLOB )",
    "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
      + "ZAUTHORTS INTEGER, ZCONTEXTNAMETS INTEGER, ZTIMESTAMP FLOAT, ZQUERYGEN BLOB )",
    "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
      + "ZNAME VARCHAR )",
    "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
    "CREATE INDEX ATRANSACTION_ZTIMESTAMP_INDEX ON ATRANSACTION (ZTIMESTAMP)",
    "CREATE UNIQUE INDEX ATRANSACTIONSTRING_ZNAME_INDEX ON ATRANSACTIONSTRING (ZNAME)",
  ]

  /// The form of a file's history; nil if it has none.
  static func columns(in connection: Connection) throws(SQLiteError) -> ChangedColumns? {
    let rows = try connection.prepare("PRAGMA table_info(ATRANSACTION)")
    var names: [String] = []
    while try rows.step() { names.append(rows.string(1)) }
    return names.isEmpty ? nil : ChangedColumns(transaction: names)
  }

  static func create(in connection: Connection) throws(SQLiteError) {
    for sql in statements { try connection.execute(sql) }
    for (index, name) in entities.enumerated() {
      let insert = try connection.prepare("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, 0, 0)")
      insert.bind(firstEntity + 1 + Int64(index), at: 1)
      insert.bind(name, at: 2)
      try insert.run()
    }
  }
}
