// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension DatabaseIndex {
  /// The columns of each foreign key of a table, in lower case.
  static func foreignKeys(
    of table: String, _ connection: Connection
  ) throws(SQLiteError) -> [Set<String>] {
    let query = try connection.prepare("SELECT id, \"from\" FROM pragma_foreign_key_list(?1)")
    query.bind(table, at: 1)
    var keys: [Int64: Set<String>] = [:]
    while try query.step() {
      keys[query.int64(0), default: []].insert(query.string(1).lowercased())
    }
    return Array(keys.values)
  }

  /// Whether its first columns are a foreign key of its table: a deletion in the other table finds
  /// the rows by it, whether or not a statement of a workload deletes there.
  func serves(_ foreignKeys: [Set<String>]) -> Bool {
    foreignKeys.contains { columns in
      Set(terms.prefix(columns.count).compactMap { $0.column?.lowercased() }) == columns
    }
  }
}
