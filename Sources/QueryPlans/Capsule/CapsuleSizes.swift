// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver

/// The sizes of the tables and indexes of a capsule; its database has no rows.
///
/// They are in a temporary table of the connection, like the substitutes for a program's own
/// objects.
struct CapsuleSizes {
  /// Entries of an index.
  private var rows: [String: Int] = [:]
  private(set) var bytes: [String: UInt64] = [:]
  /// Whether the original has samples that this SQLite does not plan by.
  private(set) var lacksSamples = false

  private static let table = "temp.storescope_capsule"

  /// - Returns: nil for a connection to a database with its rows.
  init?(_ connection: Connection) {
    guard let query = try? connection.prepare("SELECT name, rows, bytes FROM \(Self.table)") else {
      return nil
    }
    while (try? query.step()) == true {
      lacksSamples = lacksSamples || query.string(0) == Self.samples
      if !query.isNull(1) { rows[query.string(0).lowercased()] = Int(query.int64(1)) }
      if !query.isNull(2) { bytes[query.string(0)] = UInt64(clamping: query.int64(2)) }
    }
  }

  // Not a name of a table or an index.
  private static let samples = "sqlite_stat4"

  static func write(_ capsule: CapsuleV1, to connection: Connection) throws(SQLiteError) {
    try connection.execute("CREATE TABLE \(table) (name TEXT, rows INTEGER, bytes INTEGER)")
    let insert = try connection.prepare("INSERT INTO \(table) VALUES (?1, ?2, ?3)")
    for size in capsule.sizes {
      insert.bind(size.name, at: 1)
      let bytes = size.pages.map { $0.multipliedReportingOverflow(by: capsule.pageSize) }
      let numbers = [size.rows, bytes.flatMap { $0.overflow ? nil : $0.partialValue }]
      for (position, number) in numbers.enumerated() {
        let index = Int32(position) + 2
        if let number { insert.bind(Int64(number), at: index) } else { insert.bindNull(at: index) }
      }
      try insert.run()
    }
    if capsule.samples?.isEmpty == false, !(try connection.hasTable(samples)) {
      try connection.execute("INSERT INTO \(table)(name) VALUES ('\(samples)')")
    }
  }

  /// The rows of a table or the entries of an index; nil where that is unknown.
  func size(of name: String) -> TableSize? { rows[name.lowercased()].map { TableSize(rows: $0) } }
}

extension CapsuleV1 {
  /// The reasons why plans on the database of a capsule may differ from the original's, one
  /// sentence each.
  public static func doubts(of connection: Connection) -> [String] {
    guard CapsuleSizes(connection)?.lacksSamples == true else { return [] }
    return [
      "the original has samples of its indexes (STAT4), and SQLite \(Connection.libraryVersion) here plans without them"
    ]
  }
}
