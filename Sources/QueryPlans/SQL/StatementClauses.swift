// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The clauses of a statement's outer SELECTs that limit and order its rows.
public struct StatementClauses: Hashable, Sendable {
  public let hasLimit: Bool
  /// The number of `LIMIT 100`; nil without one, where it is a parameter, and beside an offset.
  public let limit: Int?
  public let hasOrderBy: Bool
  /// Whether it has a window function: SQLite sorts the rows for it.
  public let hasWindow: Bool
  /// Whether a subquery, but not the statement itself, has a window function.
  public let windowsInSubquery: Bool
  /// The column whose elements `json_each(t.a)` lists; nil without one.
  public let listColumn: String?
  /// Whether one of its SELECTs has a WHERE or an ON.
  public let hasTerms: Bool
  /// Whether it deletes rows that are in its way: REPLACE, INSERT OR REPLACE, UPDATE OR REPLACE.
  public let replacesRows: Bool
  /// Whether it is ORDER BY random().
  public let sortsRandomly: Bool
  /// Whether it computes rows of groups; no index has their order.
  public let isGrouped: Bool
  /// Whether it is SELECT DISTINCT.
  public let isDistinct: Bool
  /// Whether its result is two or more of the min and the max of columns: SQLite finds only one by an index.
  public let readsExtremes: Bool
  /// The number after OFFSET; nil without one, or where it is a parameter.
  public let offset: Int?
  /// Whether OFFSET is a parameter, and no other clause discards rows of the one table that is read.
  public let onlyOffsetDiscards: Bool
  /// Whether it has parameters, and all of them are in LIMIT and OFFSET.
  public let bindsOnlyLimit: Bool
  /// Whether its result is a number of rows, as of `SELECT COUNT(*) FROM ZSTOP t0`.
  public let isCount: Bool
  /// Whether WHERE calls a function or uses an operator that searches within text.
  public let searchesText: Bool
  /// Whether ORDER BY names a collation of Core Data's, which is localized.
  public let sortsByLocale: Bool
  /// Whether a collation of Core Data's is anywhere in it.
  private let namesLocale: Bool
  /// Whether it counts or deletes all rows of a table: `SELECT COUNT(*) FROM t`, `DELETE FROM t`.
  public let isOfWholeTable: Bool
  public let tables: Set<String>
  /// The indexes that it names with INDEXED BY, in small letters: without one of them it does not compile.
  public let namedIndexes: Set<String>

  public init(sql: String) {
    let outline = StatementOutline(sql)
    let outer = outline.scopes.filter { $0.depth == 0 }
    replacesRows = outline.tokens.replaceRows
    sortsRandomly = outer.compactMap(\.order).contains { order in
      outline.tokens[order].contains { $0.isWord("RANDOM") }
    }
    hasLimit = outer.contains { $0.limit != nil }
    limit = outer.compactMap(\.limit).first.flatMap {
      $0.count == 1 ? Int(outline.tokens[$0.lowerBound].text) : nil
    }
    hasOrderBy = outer.contains(where: \.hasOrderBy)
    hasTerms = outline.scopes.contains { !$0.conditions.isEmpty }
    windowsInSubquery = outline.scopes.filter { $0.depth > 0 }.compactMap(\.columns).contains {
      columns in outline.tokens[columns].contains { $0.isWord("OVER") }
    }
    listColumn = Self.listColumn(in: outline.tokens)
    hasWindow = outer.compactMap(\.columns).contains { columns in
      outline.tokens[columns].contains { $0.isWord("OVER") }
    }
    isGrouped = outer.contains { $0.hasGroupBy || $0.hasAggregate }
    isDistinct = outer.contains(where: \.isDistinct)
    readsExtremes =
      outline.scopes.count == 1
      && outer.allSatisfy { scope in
        guard !scope.hasGroupBy, scope.filter == nil, let columns = scope.columns else {
          return false
        }
        let words = Array(outline.tokens[columns])
        let functions = words.indices.dropFirst().filter { words[$0].isSymbol("(") }
          .map { words[$0 - 1] }
        return functions.count > 1
          && functions.allSatisfy { $0.isWord("MIN") || $0.isWord("MAX") }
      }
    offset = outer.compactMap(\.limit).compactMap { outline.offset(in: $0) }.first
    onlyOffsetDiscards =
      outline.scopes.count == 1
      && outer.allSatisfy {
        $0.sources.count == 1 && $0.filter == nil && !$0.hasGroupBy && !$0.isDistinct
          && !$0.hasAggregate && $0.limit.map(outline.bindsOffset) == true
      }
    let parameters = outline.tokens.indices.filter { outline.tokens[$0].kind == .parameter }
    let limits = outer.compactMap(\.limit)
    bindsOnlyLimit =
      !parameters.isEmpty
      && parameters.allSatisfy { position in limits.contains { $0.contains(position) } }
    let filters = outline.scopes.flatMap { $0.joinConditions + ($0.filter.map { [$0] } ?? []) }
    isCount = outer.contains { scope in
      scope.columns.map { outline.tokens[$0].prefix(2) }.map {
        $0.count == 2 && $0.first?.isName(from: "COUNT") == true && $0.last?.isSymbol("(") == true
      } ?? false
    }
    searchesText = filters.contains { outline.tokens[$0].contains(where: \.searchesText) }
    sortsByLocale = outer.compactMap(\.order).contains {
      outline.tokens[$0].contains(where: \.isLocalizedCollation)
    }
    namesLocale = outline.tokens.contains(where: \.isLocalizedCollation)
    isOfWholeTable = Self.isOfWholeTable(outline, outer)
    tables = Set(outline.scopes.flatMap(\.sources).compactMap { $0.table?.lowercased() })
    namedIndexes = Self.namedIndexes(in: outline.tokens)
  }

  static func namedIndexes(in tokens: [SQLToken]) -> Set<String> {
    Set(
      tokens.indices.dropLast(2).compactMap { position in
        tokens[position].isWord("INDEXED") && tokens[position + 1].isWord("BY")
          ? tokens[position + 2].name?.lowercased() : nil
      })
  }

  /// The indexes that the views of a database name with INDEXED BY, in lower case.
  static func indexesNamedByViews(of connection: Connection) throws(SQLiteError) -> Set<String> {
    let views = try connection.texts("SELECT sql FROM sqlite_schema WHERE type = 'view'")
    return views.reduce(into: []) { $0.formUnion(namedIndexes(in: SQLTokenizer.tokens(of: $1))) }
  }

  /// Whether it compares text in a way that no index can serve: the repair compares a stored,
  /// indexed form, whose index may exist already.
  public var comparesTextWithoutIndex: Bool { searchesText || namesLocale }

  private static func isOfWholeTable(_ outline: StatementOutline, _ outer: [SelectScope]) -> Bool {
    guard outline.scopes.count == 1, let scope = outer.first, scope.sources.count == 1,
      scope.filter == nil, !scope.hasGroupBy
    else { return false }
    if outline.tokens.first?.isWord("DELETE") == true { return scope.limit == nil }
    let columns = scope.columns.map { outline.tokens[$0].map(\.text).joined() } ?? ""
    return columns.uppercased() == "COUNT(*)"
  }
}

extension StatementOutline {
  /// `LIMIT 5 OFFSET ?`, or `LIMIT ?, 5`.
  fileprivate func bindsOffset(in limit: Range<Int>) -> Bool {
    let words = Array(tokens[limit])
    if let position = words.firstIndex(where: { $0.isWord("OFFSET") }), position + 1 < words.count {
      return words[position + 1].kind == .parameter
    }
    return words.count == 3 && words[1].isSymbol(",") && words[0].kind == .parameter
  }

  /// `LIMIT 5 OFFSET 100`, or `LIMIT 100, 5`.
  fileprivate func offset(in limit: Range<Int>) -> Int? {
    let words = Array(tokens[limit])
    if let position = words.firstIndex(where: { $0.isWord("OFFSET") }), position + 1 < words.count {
      return Int(words[position + 1].text)
    }
    guard let comma = words.firstIndex(where: { $0.isSymbol(",") }), comma == 1 else { return nil }
    return Int(words[0].text)
  }
}

/// The tables that a statement names.
public enum StatementTables {
  /// The table that is written first, then the tables that are read, outermost SELECT first; each
  /// once.
  ///
  ///     INSERT INTO a SELECT b.x FROM b JOIN c USING (y)
  ///     // a, b, c
  public static func all(in sql: String) -> [String] {
    let outline = StatementOutline(sql)
    let read = outline.scopes.flatMap(\.sources).compactMap(\.table)
      .filter { !outline.isCommonTable($0) }
    var known: Set<String> = []
    return ((WrittenTable(sql: sql).map { [$0.table] } ?? []) + read).filter {
      known.insert($0.lowercased()).inserted
    }
  }
}

extension StatementClauses {
  /// `tags` of `json_each(a.tags)`.
  fileprivate static func listColumn(in tokens: [SQLToken]) -> String? {
    let positions = tokens.indices.dropLast(2).filter {
      (tokens[$0].isWord("JSON_EACH") || tokens[$0].isWord("JSON_TREE"))
        && tokens[$0 + 1].isSymbol("(")
    }
    return positions.lazy.compactMap { position -> String? in
      let argument = tokens[(position + 2)...].prefix { !$0.isSymbol(")") && !$0.isSymbol(",") }
      guard let last = argument.last, last.kind == .word || last.kind == .quotedName else {
        return nil
      }
      return last.name
    }.first
  }
}
