// SPDX-License-Identifier: Apache-2.0

/// An index that might serve some statement.
public struct IndexCandidate: Hashable, Sendable {
  public var table: String
  public var columns: [String]
  /// The indexed expression, as SQL; nil for an index on the columns themselves.
  public var expression: String?
  /// The words after a column in the index, such as `DESC` or `COLLATE NOCASE`, by the column.
  public var modifiers: [String: String] = [:]
  /// The WHERE of a partial index.
  public var condition: String?
  /// Whether some columns are included only to make the index covering.
  var isWidened = false
  /// The name of an attached database; nil for the main one.
  public var schema: String?
  /// Distinguishes it from another object of its name.
  var number = 1

  /// The SQL that creates it.
  public var sql: String { sql(named: name) }

  func sql(named name: String) -> String {
    let part = condition.map { " WHERE \($0)" } ?? ""
    let prefix = schema.map { SQLName.quotedIfNeeded($0) + "." } ?? ""
    return "CREATE INDEX \(prefix)\(SQLName.quotedIfNeeded(name)) "
      + "ON \(SQLName.quotedIfNeeded(table)) (\(terms))\(part)"
  }

  /// Whether it is an index of whole columns, in their own order and of all rows.
  public var isPlain: Bool { expression == nil && modifiers.isEmpty && condition == nil }

  /// Its sort terms, as SQL.
  public var terms: String {
    expression
      ?? columns.map { column in
        SQLName.quotedIfNeeded(column) + (modifiers[column].map { " \($0)" } ?? "")
      }.joined(separator: ", ")
  }

  /// The name that a store in Core Data's layout uses for an index; of an expression, its words.
  public var name: String {
    let words = expression?.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
    let terms = columns.flatMap { column in
      [column] + (modifiers[column] ?? "").split(separator: " ").map(String.init)
    }
    let part = condition.map { $0.uppercased().hasSuffix("NOT NULL") ? ["present"] : ["part"] }
    var name = ([table] + (words ?? terms) + (part ?? [])).joined(separator: "_")
    // The words of a long expression make no name.
    if name.count > 64 {
      name = ([table] + columns + ["expression"] + (part ?? [])).joined(separator: "_")
    }
    return number == 1 ? name : "\(name)_\(number)"
  }

  /// An index of the rows for which a condition is true.
  func partial(where condition: String) -> IndexCandidate {
    var index = self
    index.condition = condition
    return index
  }

  /// The index under the first name that is not one of others, which are in lower case.
  func named(otherThan names: Set<String>) -> IndexCandidate {
    var index = self
    while names.contains(index.name.lowercased()) { index.number += 1 }
    return index
  }

  /// Whether an index of the database has these columns first already.
  func isServed(by indexes: [DatabaseIndex]) -> Bool {
    isPlain
      && indexes.contains { index in
        index.table.lowercased() == table.lowercased() && !index.isPartial
          && index.terms.count >= columns.count
          && zip(index.terms, columns).allSatisfy {
            $0.column?.lowercased() == $1.lowercased() && $0.collation == "BINARY"
              && !$0.isDescending
          }
      }
  }

  /// Whether another index has its first columns, and is an index of the same rows.
  func begins(with other: Self) -> Bool {
    table == other.table && condition == other.condition && expression == nil
      && other.expression == nil
      && columns.starts(with: other.columns)
      && other.columns.allSatisfy { modifiers[$0] == other.modifiers[$0] }
  }

  /// Candidates that could serve the predicates, joins and sorts of a statement.
  ///
  /// Columns compared for equality come first, then one range, then the other ranges, which the
  /// index can then check without the table; or the columns of the sort instead of ranges.
  static func all(for sql: String) -> [IndexCandidate] {
    var candidates: [IndexCandidate] = []
    func add(_ table: String, _ columns: [String], isWidened: Bool = false) {
      var seen: Set<String> = []
      let columns = columns.filter {
        $0.uppercased() != "Z_PK" && seen.insert($0.lowercased()).inserted
      }
      // An index of more than four columns is hardly smaller than its table.
      guard !columns.isEmpty, columns.count <= 4 else { return }
      let candidate = IndexCandidate(table: table, columns: columns, isWidened: isWidened)
      if !candidates.contains(where: {
        $0.columns == columns && $0.table == table && $0.expression == nil
      }) {
        candidates.append(candidate)
      }
    }
    candidates += ComparedExpression.all(in: sql).map { IndexCandidate($0) }
    for columns in ComparedColumns.all(in: sql) {
      let table = columns.table
      for joined in [[]] + columns.joined.map({ [$0] }) {
        let equal = joined + columns.equal
        add(table, equal)
        for range in columns.ranges {
          let others = columns.ranges.filter { $0 != range }
          add(table, equal + [range])
          add(table, equal + [range] + others)
        }
        if !columns.sorted.isEmpty { add(table, equal + columns.sorted) }
        if !columns.windowed.isEmpty { add(table, equal + columns.windowed) }
        // Z_OPT changes with each update of its row, and no model declares it.
        if columns.covered.count <= 3, !columns.covered.containsName("Z_OPT") {
          add(table, equal + columns.ranges + columns.covered, isWidened: true)
        }
      }
      if columns.hasAlternatives { for column in columns.filtered { add(table, [column]) } }
    }
    return candidates
  }
}

extension IndexCandidate {
  /// An index on an expression.
  public init(_ compared: ComparedExpression) {
    self.init(table: compared.table, columns: compared.columns, expression: compared.text)
  }
}

extension Collection<IndexCandidate> {
  /// The number of columns that the indexes store, including columns of conditions.
  var columnCount: Int {
    reduce(0) { count, index in
      let condition = SQLTokenizer.tokens(of: index.condition ?? "").filter { $0.kind != .text }
        .compactMap(\.name)
      let isOther = condition.first.map { !index.columns.containsName($0) } ?? false
      return count + index.columns.count + (isOther ? 1 : 0)
    }
  }
}

/// The tables in which Core Data keeps its own records: it makes their indexes, and may remove others.
///
///     ACHANGE  ATRANSACTION  ATRANSACTIONSTRING      persistent history
///     ANSCKRECORDMETADATA …                          CloudKit
///     Z_METADATA  Z_PRIMARYKEY  Z_1TAGS …            the model, and many-to-many relationships
public enum BookkeepingTable {
  /// Whether Core Data keeps a table for itself, by its name.
  public static func isNamed(_ name: String) -> Bool {
    isFromHistory(name) || name.hasPrefix("ANSCK") || name.hasPrefix("Z_RT_")
      || ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"].contains(name)
      || (name.hasPrefix("Z_") && name.dropFirst(2).first?.isNumber == true)
  }

  /// Whether a table holds the persistent history.
  public static func isFromHistory(_ name: String) -> Bool {
    ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(name)
  }
}
