// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import SQLiteDriver

/// A b-tree of the main database that a statement opens: that of a table or of an index.
struct BTree: Hashable {
  /// Empty for one that the statement itself makes.
  var rootPage: String

  // OPFLAG_P2ISREG: the second operand is a register, with a page that is known only later.
  private static let isRegister: Int64 = 0x10

  /// The b-trees that the code of a statement opens, those of its triggers included.
  ///
  ///     EXPLAIN UPDATE book SET price = 1
  ///     // 2  OpenWrite  0  4  0  3  0
  static func opened(by sql: String, on connection: Connection) throws -> Set<Self> {
    let code = try connection.prepare("EXPLAIN " + sql)
    var trees: Set<Self> = []
    while try code.step() {
      // The last one is the database: 0 is main.
      let opens = ["OpenRead", "OpenWrite", "ReopenIdx"].contains(code.string(1))
      guard opens, code.int64(4) == 0 else { continue }
      let isNew = code.int64(6) & isRegister != 0
      trees.insert(Self(rootPage: isNew ? "" : code.string(3)))
    }
    return trees
  }

  /// The name of its table in lower case; none for the schema's and a new one.
  func table(on connection: Connection) throws -> [String] {
    try connection.texts(
      "SELECT lower(tbl_name) FROM main.sqlite_schema WHERE rootpage = CAST(?1 AS INTEGER)",
      rootPage)
  }
}

extension Connection {
  /// The size of the cache of the main database, in pages.
  var cachePages: UInt64 {
    get throws(SQLiteError) {
      let size = Int(try texts("PRAGMA main.cache_size").first ?? "") ?? 0
      let page = Int(try texts("PRAGMA main.page_size").first ?? "") ?? 4096
      // Negative sizes are KiB.
      return UInt64(max(size < 0 ? -size * 1024 / page : size, 1))
    }
  }
}
