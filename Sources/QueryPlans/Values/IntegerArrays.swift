// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The tables `_Z_intarrayN` in which Core Data keeps the keys of an IN list while a statement runs.
///
///     … WHERE  t0.ZAUTHOR IN (SELECT * FROM _Z_intarray0)
///
/// They are made in the temporary database of a connection, and filled with keys that the column
/// holds. Statements that name the same table take turns with it.
struct IntegerArrays {
  private(set) var keys: [(table: String, keys: [Int64])] = []
  private let names: [String]

  /// Makes the tables that a statement names, still empty.
  init(of outline: StatementOutline, on connection: Connection) throws(SQLiteError) {
    names = Set(outline.tokens.compactMap(\.name).filter(Self.isName)).sorted()
    for name in names { try connection.execute(Self.creation(of: name)) }
  }

  /// Finds keys for the tables.
  mutating func sample(by sampler: ParameterSampler) throws(OrderingError) {
    for name in names {
      let sampled = sampler.keys(ofArray: name)
      guard !sampled.isEmpty else { throw .noKeys(table: name) }
      keys.append((name, sampled))
    }
  }

  func fill(on connection: Connection) throws(SQLiteError) {
    for (table, keys) in keys {
      let table = PlanExplainer.quoted(table)
      try connection.execute("DELETE FROM temp.\(table)")
      let insert = try connection.prepare("INSERT INTO temp.\(table) VALUES (?)")
      for key in keys {
        insert.bind(key, at: 1)
        try insert.run()
      }
    }
  }

  static func isName(_ name: String) -> Bool { name.lowercased().hasPrefix("_z_intarray") }

  static func creation(of name: String) -> String {
    "CREATE TEMP TABLE IF NOT EXISTS \(PlanExplainer.quoted(name))(value INTEGER PRIMARY KEY)"
  }
}
