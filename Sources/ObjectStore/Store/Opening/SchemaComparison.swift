// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Names and indexes of a file's tables.
enum SchemaComparison {
  /// The columns of each index that CREATE INDEX made, or UNIQUE if `origin` is `u`.
  static func indexes(
    of table: String, in connection: Connection, origin: String = "c"
  ) throws(SQLiteError) -> [String: [String]] {
    let list = try connection.prepare("PRAGMA index_list(\(quoted(table)))")
    var indexes: [String: [String]] = [:]
    while try list.step() {
      guard list.string(3) == origin else { continue }
      let name = list.string(1)
      let info = try connection.prepare("PRAGMA index_info(\(quoted(name)))")
      var columns: [String] = []
      while try info.step() { columns.append(info.string(2)) }
      indexes[name] = columns
    }
    return indexes
  }

  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
