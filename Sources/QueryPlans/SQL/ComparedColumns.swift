// SPDX-License-Identifier: Apache-2.0

/// The columns of one table that a SELECT compares with values, joins by, and sorts by.
///
///     SELECT … FROM ZSTOP t0 WHERE (? <= t0.ZLONGITUDE AND t0.ZKIND = ?) ORDER BY t0.ZNAME
///     // ZSTOP: equal ZKIND, ranges ZLONGITUDE, sorted ZNAME
public struct ComparedColumns: Hashable, Sendable {
  public var table: String
  /// The name of an attached database; nil for the main one.
  public var schema: String?
  public var equal: [String] = []
  public var ranges: [String] = []
  /// Compared for equality with a column of another table of the statement.
  public var joined: [String] = []
  public var sorted: [String] = []
  /// The same with their directions; empty where ORDER BY has other terms as well.
  public var sortTerms: [SortTerm] = []
  /// The columns by which a window is divided and sorted: `OVER (PARTITION BY a ORDER BY b DESC)`.
  var windowTerms: [SortTerm] = []
  var windowed: [String] { windowTerms.map(\.column) }
  /// Every other column of the table that the SELECT names.
  public var covered: [String] = []
  /// Whether an OR separates comparisons, so that no single index serves them all.
  public var hasAlternatives = false
  /// Whether the SELECT has a LIMIT, so that rows in the order of an index end it early.
  public var isLimited = false

  /// Whether they are columns of a table of a plan, such as `stop` or, in an attached database, `archive.stop`.
  public func areOf(_ table: String) -> Bool {
    let name = table.lowercased()
    return name == self.table.lowercased()
      || schema.map { name == "\($0).\(self.table)".lowercased() } ?? false
  }

  /// The columns in the order that serves an index: equal ones, then ranges.
  public var filtered: [String] { equal + ranges }

  /// Reads the tables of all SELECTs of a statement, outermost first.
  ///
  /// A column inside a function call is left out: an index does not find it. The primary key is
  /// left out: it is found without one. Common tables are left out: they have no index.
  public static func all(in sql: String) -> [ComparedColumns] {
    all(in: StatementOutline(sql), areCommonTables: false)
  }

  /// The compared columns of the tables that WITH defines.
  public static func ofCommonTables(in sql: String) -> [ComparedColumns] {
    all(in: StatementOutline(sql), areCommonTables: true)
  }

  private static func all(
    in outline: StatementOutline, areCommonTables: Bool
  ) -> [ComparedColumns] {
    // `name = "x"`: a text, unless there is a column x.
    let quoted = SQLValues.positions(in: outline.tokens).map { outline.tokens[$0] }
      .filter { $0.kind == .quotedName }.compactMap(\.name)
    return outline.scopes.flatMap { scope in
      scope.sources.filter { $0.table.map(outline.isCommonTable) == areCommonTables }
        .compactMap { ComparedColumns(of: $0, in: scope, outline)?.without(quoted) }
    }
  }

  private func without(_ texts: [String]) -> Self {
    guard !texts.isEmpty else { return self }
    var columns = self
    for path in [\Self.equal, \.ranges, \.joined, \.covered] {
      columns[keyPath: path].removeAll(where: texts.contains)
    }
    return columns
  }

  /// Reads the use of one table in one SELECT; nil for a subquery instead of a table.
  init?(of source: SelectScope.Source, in scope: SelectScope, _ outline: StatementOutline) {
    guard let table = source.table else { return nil }
    self.table = table
    schema = source.schema
    isLimited = scope.limit != nil
    let tokens = outline.tokens
    let trees = scope.conditions.map { TermTree($0, of: tokens) }
    for term in trees.flatMap(\.terms) {
      read(ColumnComparison.all(in: term, of: tokens), of: source, in: scope, outline)
    }
    hasAlternatives = trees.contains { $0.holdsAlternatives }
    // An index with a collation of Core Data's cannot be made, and one without has another order.
    if let order = scope.order, !tokens[order].contains(where: \.isLocalizedCollation) {
      sortTerms = SortTerm.all(in: order, of: source, scope, tokens)
      sorted = Self.columns(of: source, in: order, scope, tokens)
      if sorted.isEmpty, scope.sources.count == 1 {
        sorted = Self.plainTerms(of: order, scope, tokens)
      }
    }
    windowTerms = Self.window(of: source, in: scope, tokens)
    let named = filtered + joined + sorted + ["Z_PK"]
    covered = Self.columns(of: source, in: scope.tokens, scope, tokens)
      .filter { !named.containsName($0) }
  }

  private mutating func read(
    _ comparisons: [ColumnComparison], of source: SelectScope.Source, in scope: SelectScope,
    _ outline: StatementOutline
  ) {
    for comparison in comparisons
    where comparison.isIndexable && scope.names(source, comparison.alias) {
      let column = comparison.column
      if Self.isKey(column) || (filtered + joined).containsName(column) { continue }
      // To an inner SELECT the column of an outer one is a value.
      if let other = comparison.otherColumn(in: outline.tokens)?.alias,
        scope.source(named: other) != nil
      {
        if comparison.kind == .equality, !scope.names(source, other) { joined.append(column) }
      } else if comparison.kind == .equality {
        equal.append(column)
      } else {
        ranges.append(column)
      }
    }
  }

  /// Whether it is a name of the key that finds a row without an index.
  private static func isKey(_ column: String) -> Bool {
    ["Z_PK", "rowid", "_rowid_"].containsName(column)
  }

  /// The columns of `ORDER BY status, created DESC`; empty where a term is anything else, such as a name of
  /// a result.
  private static func plainTerms(
    of order: Range<Int>, _ scope: SelectScope, _ tokens: [SQLToken]
  ) -> [String] {
    var terms: [String] = []
    var isStart = true
    for index in order.dropFirst() {
      let token = tokens[index]
      if isStart, token.kind == .word || token.kind == .quotedName, let name = token.name,
        !scope.hasResult(name, tokens)
      {
        terms.append(name)
        isStart = false
      } else if !isStart, token.isSymbol(",") {
        isStart = true
      } else if isStart || !(token.isWord("ASC") || token.isWord("DESC")) {
        return []
      }
    }
    return terms
  }

  /// The columns of the first window; empty where one of its terms is anything else.
  private static func window(
    of source: SelectScope.Source, in scope: SelectScope, _ tokens: [SQLToken]
  ) -> [SortTerm] {
    guard let over = scope.columns?.first(where: { tokens[$0].isWord("OVER") }),
      let start = windowStart(after: over, in: scope, tokens),
      let end = tokens[start...].firstIndex(where: { token in
        token.isSymbol(")") || ["ROWS", "RANGE", "GROUPS"].contains(where: token.isWord)
      })
    else { return [] }
    let terms = tokens[(start + 1)..<end].split { token in
      token.isSymbol(",") || ["PARTITION", "ORDER", "BY"].contains(where: token.isWord)
    }
    var columns: [SortTerm] = []
    for var term in terms {
      let isDescending = term.last?.isWord("DESC") == true
      if isDescending || term.last?.isWord("ASC") == true { term.removeLast() }
      guard let column = IndexProposals.column(term, of: source, scope) else { return [] }
      columns.append(SortTerm(column: column, isDescending: isDescending))
    }
    return columns
  }

  /// The parenthesis of `OVER (…)`, or of `WINDOW w AS (…)` for `OVER w`.
  private static func windowStart(
    after over: Int, in scope: SelectScope, _ tokens: [SQLToken]
  ) -> Int? {
    guard over + 1 < tokens.count else { return nil }
    if tokens[over + 1].isSymbol("(") { return over + 1 }
    guard let name = tokens[over + 1].name?.lowercased(),
      let window = tokens[scope.extent].lastIndex(where: { $0.isWord("WINDOW") })
    else { return nil }
    return (window..<scope.extent.upperBound - 2).first { position in
      tokens[position].name?.lowercased() == name && tokens[position + 1].isWord("AS")
        && tokens[position + 2].isSymbol("(")
    }.map { $0 + 2 }
  }

  private static func columns(
    of source: SelectScope.Source, in range: Range<Int>, _ scope: SelectScope, _ tokens: [SQLToken]
  ) -> [String] {
    var columns: [String] = []
    for index in range where index + 2 < range.upperBound {
      guard tokens[index + 1].isSymbol("."), let alias = tokens[index].name,
        alias.lowercased() == source.alias.lowercased(), let column = tokens[index + 2].name,
        !columns.containsName(column)
      else { continue }
      columns.append(column)
    }
    return columns
  }
}

extension SelectScope {
  /// WHERE, and the ON of its joins.
  var conditions: [Range<Int>] { joinConditions + (filter.map { [$0] } ?? []) }

  /// From its first column to its last clause, including nested SELECTs.
  fileprivate var tokens: Range<Int> {
    let ends = [filter?.upperBound, order?.upperBound, columns?.upperBound].compactMap { $0 }
    let starts = [columns?.lowerBound, filter?.lowerBound].compactMap { $0 }
    guard let start = starts.min(), let end = ends.max(), start <= end else { return 0..<0 }
    return start..<end
  }

  /// Whether an alias, or none in a SELECT of one table, means a source.
  fileprivate func names(_ source: Source, _ alias: String?) -> Bool {
    guard let alias else { return sources.count == 1 }
    return alias.lowercased() == source.alias.lowercased()
  }
}
