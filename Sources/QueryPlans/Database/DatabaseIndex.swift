// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// An index of a database, as its schema has it.
public struct DatabaseIndex: Hashable, Sendable {
  /// One term of an index.
  public struct Term: Hashable, Sendable {
    /// nil for an expression.
    public var column: String?
    public var collation: String
    public var isDescending: Bool
  }

  public var name: String
  public var table: String
  public var terms: [Term]
  public var isUnique: Bool
  public var isDeclared: Bool
  /// The CREATE INDEX; nil where a constraint made it.
  public var sql: String?
  /// Whether it holds only the rows that its WHERE clause names.
  public var isPartial: Bool
  /// Whether a store in Core Data's layout creates it for a relationship.
  public var servesRelationship: Bool
  /// Pages in the file times their size; nil where SQLite was built without `dbstat`, or where the
  /// file is so large that counting would take long.
  public var bytes: UInt64?

  /// Whether the terms of this index are a prefix of another one's terms, so that the other one
  /// serves the same statements.
  public func isPrefix(of other: DatabaseIndex) -> Bool {
    table == other.table && terms.count <= other.terms.count && !isPartial && !other.isPartial
      && terms.allSatisfy { $0.column != nil } && Array(other.terms.prefix(terms.count)) == terms
  }

  /// Whether both indexes have the same terms, expressions and rows, so the same entries in the same
  /// order.
  public func isSame(as other: DatabaseIndex) -> Bool {
    guard table == other.table, terms == other.terms, isPartial == other.isPartial else {
      return false
    }
    let isPlain = !isPartial && terms.allSatisfy { $0.column != nil }
    return isPlain || (definition != nil && definition == other.definition)
  }

  /// The text after ON in the CREATE INDEX, in lower case except for string literals.
  private var definition: [String]? {
    guard let sql else { return nil }
    let tokens = SQLTokenizer.tokens(of: sql)
    guard let position = tokens.firstIndex(where: { $0.isWord("ON") }) else { return nil }
    return tokens[(position + 1)...].map(SchemaWord.text)
  }

  /// Whether a statement with one of these sets of names, in lower case, may use it once it is written
  /// differently: it names the table, or a view of it, and a column of the index.
  public func mayServe(_ statements: [Set<String>]) -> Bool {
    let columns = Set(
      terms.compactMap { $0.column?.lowercased() }.prefix(1)
        + (terms.first?.column == nil ? definition ?? [] : []).filter { $0.first?.isLetter == true }
    )
    return statements.contains { words in
      words.contains(table.lowercased())
        && !words.isDisjoint(with: columns.subtracting([table.lowercased()]))
    }
  }

  /// The columns as written: `ZNAME, ZDATE DESC`.
  public var termsText: String {
    terms.map { ($0.column ?? "<expression>") + ($0.isDescending ? " DESC" : "") }
      .joined(separator: ", ")
  }

  static func all(
    of table: String, _ connection: Connection, catalog: Catalog? = nil
  ) throws(SQLiteError) -> [Self] {
    let catalog = if let catalog { catalog } else { try Catalog(of: connection, table: table) }
    let query = try connection.prepare(
      "SELECT name, \"unique\", origin, partial FROM pragma_index_list(?1) ORDER BY name")
    query.bind(table, at: 1)
    let integers = Set(
      try connection.texts("SELECT name FROM pragma_table_info(?1) WHERE type = 'INTEGER'", table))
    var indexes: [Self] = []
    while try query.step() {
      let name = query.string(0)
      let terms = try terms(of: name, connection)
      indexes.append(
        Self(
          name: name, table: table, terms: terms, isUnique: query.int64(1) != 0,
          isDeclared: query.string(2) == "c", sql: catalog.sql[name],
          isPartial: query.int64(3) != 0,
          servesRelationship: servesRelationship(name, table, terms, integers),
          bytes: catalog.bytes.map { $0[name] } ?? bytes(of: name, connection)))
    }
    return indexes
  }

  /// Core Data's `ZSTOPTIME_ZSTOP_INDEX` on a column of keys, `ZMESSAGE_Z_ENT_INDEX`, `Z_1TAGS_Z_2TAGS_INDEX`; Django's
  /// `blog_post_tags_post_id_a1172a2e`.
  private static func servesRelationship(
    _ name: String, _ table: String, _ terms: [Term], _ integers: Set<String>
  ) -> Bool {
    if let column = terms.first?.column, terms.count == 1,
      column.hasSuffix("_id"), name.hasPrefix("\(table)_\(column)_"),
      name.dropFirst(table.count + column.count + 2).allSatisfy(\.isHexDigit)
    {
      return true
    }
    guard let column = terms.first?.column, name == "\(table)_\(column)_INDEX" else { return false }
    let isOfPairs = table.dropFirst(2).first?.isNumber == true && table.hasPrefix("Z_")
    return isOfPairs || (terms.count == 1 && integers.contains(column))
  }

  private static func terms(
    of index: String, _ connection: Connection
  ) throws(SQLiteError) -> [Term] {
    let query = try connection.prepare(
      "SELECT name, coll, desc FROM pragma_index_xinfo(?1) WHERE key = 1 ORDER BY seqno")
    query.bind(index, at: 1)
    var terms: [Term] = []
    while try query.step() {
      terms.append(
        Term(
          column: query.isNull(0) ? nil : query.string(0), collation: query.string(1),
          isDescending: query.int64(2) != 0))
    }
    return terms
  }

  /// Facts that SQLite finds by reading the schema from its first object to the last: read once for
  /// all tables.
  struct Catalog {
    /// The CREATE INDEX of each index that has one.
    private(set) var sql: [String: String] = [:]
    /// Nil where each index is to be counted alone.
    private(set) var bytes: [String: UInt64]?

    init(of connection: Connection, table: String? = nil) throws(SQLiteError) {
      let query = try connection.prepare(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'index'"
          + (table == nil ? "" : " AND tbl_name = ?1 COLLATE NOCASE"))
      if let table { query.bind(table, at: 1) }
      var count = 0
      while try query.step() {
        count += 1
        if !query.isNull(1) { sql[query.string(0)] = query.string(1) }
      }
      guard table == nil else { return }
      if let capsule = CapsuleSizes(connection) {
        bytes = capsule.bytes
        return
      }
      // To count one index, SQLite reads the schema; to count all, it reads the file.
      let pages = DatabaseIndex.pageCount(connection)
      let objects = try connection.texts("SELECT count(*) FROM sqlite_schema").first.flatMap {
        Int($0)
      }
      guard pages <= DatabaseIndex.maxPages, count * (objects ?? 0) > pages else { return }
      bytes = [:]
      guard let sizes = try? connection.prepare("SELECT name, pgsize FROM dbstat('main', 1)") else {
        return
      }
      while (try? sizes.step()) == true {
        bytes?[sizes.string(0)] = UInt64(clamping: sizes.int64(1))
      }
    }
  }

  // 262,144 pages are a gigabyte of the usual size; counting an index reads all of its pages.
  private static let maxPages = 262_144

  private static func pageCount(_ connection: Connection) -> Int {
    guard let pages = try? connection.prepare("PRAGMA page_count"), (try? pages.step()) == true
    else { return .max }
    return Int(pages.int64(0))
  }

  private static func bytes(of index: String, _ connection: Connection) -> UInt64? {
    guard pageCount(connection) <= maxPages,
      let query = try? connection.prepare(
        "SELECT sum(pgsize) FROM dbstat('main', 1) WHERE name = ?1")
    else { return nil }
    query.bind(index, at: 1)
    guard (try? query.step()) == true, !query.isNull(0) else { return nil }
    return UInt64(clamping: query.int64(0))
  }
}
