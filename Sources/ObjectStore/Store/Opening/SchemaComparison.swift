// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Names and indexes of a file's tables.
enum SchemaComparison {
  struct Index {
    let name: String
    /// SQLite's word: `c` for CREATE INDEX, `u` for UNIQUE, `pk` for PRIMARY KEY.
    let origin: String
    let columns: [String]
    /// Whether no two rows may have the same values; false for an index over some rows only.
    let isUnique: Bool
  }

  static func indexes(
    of table: String, in connection: Connection
  ) throws(SQLiteError) -> [Index] {
    let list = try connection.prepare("PRAGMA index_list(\(quoted(table)))")
    var indexes: [Index] = []
    while try list.step() {
      let name = list.string(1)
      let info = try connection.prepare("PRAGMA index_info(\(quoted(name)))")
      var columns: [String] = []
      while try info.step() { columns.append(info.string(2)) }
      indexes.append(
        Index(
          name: name, origin: list.string(3), columns: columns,
          isUnique: list.int64(2) != 0 && list.int64(4) == 0))
    }
    return indexes
  }

  static func quoted(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "\"")) else { return "\"" + name + "\"" }
    return "\""
      + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
