// SPDX-License-Identifier: Apache-2.0

/// The indexes that could serve a table of a statement, the best guess first.
///
/// They are guesses from the text: ``IndexTrial`` finds which of them SQLite uses, and `advise`
/// counts their steps. Some serve only together, such as the indexes of the terms of an OR.
struct IndexProposals {
  /// The statement, with the table before each column, and the views that it reads.
  let outlines: [StatementOutline]
  /// Nil for a table or view that cannot have an index.
  let columns: (String) -> TableColumns?

  init(
    sql: String, viewSQL: (String) -> String?, qualified: (String) -> String,
    columns: @escaping (String) -> TableColumns?
  ) {
    let statement = StatementOutline(qualified(sql))
    var views: [String: StatementOutline] = [:]
    var names = statement.tableNames
    while let name = names.popLast()?.lowercased() {
      guard views[name] == nil, let sql = viewSQL(name) else { continue }
      let view = StatementOutline(qualified(sql))
      views[name] = view
      names += view.tableNames
    }
    outlines = [statement] + views.sorted { $0.key < $1.key }.map(\.value)
    self.columns = columns
    viewTerms = ViewTerm.all(in: outlines, views)
  }

  /// The columns of tables that the statement compares by a view.
  private let viewTerms: [ViewTerm]

  /// The indexes that find the rows of a table.
  func finding(rowsOf table: String) -> [[IndexCandidate]] {
    unique(
      viewIndexes(on: table)
        + occurrences(of: table).flatMap { finding($0.source, in: $0.scope, $0.outline) })
  }

  /// The indexes that have the order of the rows, or of a window: with a LIMIT, its rows are then not sorted.
  func sorting() -> [[IndexCandidate]] {
    let sets = outlines.prefix(1).flatMap { outline in
      outline.scopes.flatMap { scope in
        scope.sources.flatMap { sorting($0, in: scope, outline) }
      }
    }
    return unique(sets)
  }

  /// All of all tables.
  var sets: [[IndexCandidate]] {
    let tables = outlines.flatMap(\.tableNames)
    var seen: Set<String> = []
    let finding = tables.filter { seen.insert($0.lowercased()).inserted }
      .flatMap { self.finding(rowsOf: $0) }
    return finding + sorting()
  }

  /// All of all tables, each alone.
  var candidates: [IndexCandidate] { unique(sets.joined().map { [$0] }).compactMap(\.first) }

  /// The columns that a view compares, and the columns that join it.
  private func viewIndexes(on table: String) -> [[IndexCandidate]] {
    guard let known = columns(table) else { return [] }
    let terms = viewTerms.filter {
      $0.table.lowercased() == table.lowercased() && known.isIndexable($0.column)
    }
    let equal = terms.filter(\.isEqual).map(\.column)
    let ranges = terms.filter { !$0.isEqual }.map(\.column)
    return ([equal + ranges] + (equal + ranges).map { [$0] }).filter { !$0.isEmpty }.map {
      [IndexCandidate(table: table, columns: Array($0.prefix(4)))]
    }
  }

  // MARK: - Reading

  private struct Occurrence {
    var source: SelectScope.Source
    var scope: SelectScope
    var outline: StatementOutline
  }

  private func occurrences(of table: String) -> [Occurrence] {
    outlines.flatMap { outline in
      outline.isCommonTable(table)
        ? []
        : outline.scopes.flatMap { scope in
          scope.sources.filter { $0.table?.lowercased() == table.lowercased() && $0.schema == nil }
            .map { Occurrence(source: $0, scope: scope, outline: outline) }
        }
    }
  }

  private func finding(
    _ source: SelectScope.Source, in scope: SelectScope, _ outline: StatementOutline
  ) -> [[IndexCandidate]] {
    guard let table = source.table, let known = columns(table),
      let compared = ComparedColumns(of: source, in: scope, outline)
    else { return [] }
    let equal = compared.equal.filter(known.isIndexable)
    let ranges = compared.ranges.filter(known.isIndexable)
    let joined = compared.joined.filter(known.isIndexable)
    let expressions = ComparedExpression.all(in: scope, outline).filter { expression in
      expression.table.lowercased() == table.lowercased()
        && expression.columns.allSatisfy { known.names.contains($0.lowercased()) }
    }.map { ($0, IndexCandidate($0)) }
    let prefixes = TextPrefix.all(in: scope, of: source, outline.tokens)
      .filter { known.isIndexable($0.column) }.map { $0.index(on: table, known) }
    let collations = collations(of: source, known, in: scope, outline.tokens)
    func index(_ columns: [String]) -> [IndexCandidate] {
      guard !columns.isEmpty else { return [] }
      var index = IndexCandidate(table: table, columns: Array(columns.prefix(4)))
      for column in index.columns { index.modifiers[column] = collations[column] }
      return [index]
    }
    var sets: [[IndexCandidate]] = []
    if compared.hasAlternatives {
      sets.append((equal + ranges).flatMap { index([$0]) } + expressions.map(\.1) + prefixes)
    }
    sets += expressions.filter(\.0.hasCollation).map { [$0.1] }
    let conditions = Self.conditions(in: scope, of: source, outline.tokens)
      .filter { known.isIndexable($0.column) }
    if compared.isLimited, ranges.isEmpty, !(equal.isEmpty && conditions.isEmpty),
      !compared.hasAlternatives
    {
      sets += sorting(source, in: scope, outline)
    }
    sets += [joined + equal + ranges, equal + ranges, joined + equal].map(index)
    sets += ranges.map { index(equal + [$0]) } + (joined + equal + ranges).map { index([$0]) }
    sets += prefixes.map { [$0] } + expressions.map { [$0.1] }
    sets += conditions.flatMap { condition in
      // One on equal columns serves other statements as well, and is as good without the condition.
      [index(equal.isEmpty ? ranges : []), index([condition.column])].map { set in
        set.map { $0.partial(where: condition.text) }
      }
    }
    sets += Self.extremes(of: scope, source, outline.tokens).filter(known.isIndexable).flatMap {
      [index(equal + [$0]), index([$0])]
    }
    return sets
  }

  private func sorting(
    _ source: SelectScope.Source, in scope: SelectScope, _ outline: StatementOutline
  ) -> [[IndexCandidate]] {
    guard let table = source.table, source.schema == nil, !outline.isCommonTable(table),
      let known = columns(table), let compared = ComparedColumns(of: source, in: scope, outline)
    else { return [] }
    let equal = compared.equal.filter(known.isIndexable)
    guard let order = scope.order else {
      let terms = compared.windowTerms
      guard !terms.isEmpty, terms.allSatisfy({ known.names.contains($0.column.lowercased()) })
      else { return [] }
      return [equal, []].map { [IndexCandidate(table: table, equal: $0, order: terms)] }
    }
    guard !outline.tokens[order].contains(where: \.isLocalizedCollation) else { return [] }
    let terms = SortTerm.all(in: order, of: source, scope, outline.tokens)
    guard !terms.isEmpty, terms.allSatisfy({ known.names.contains($0.column.lowercased()) }) else {
      let sorted = SortedExpressions(of: scope, outline.tokens)
      return [equal, []].compactMap { sorted?.index(on: table, equal: $0, scope) }.map { [$0] }
    }
    // An index ends with the rowid, so that an order by it comes without a column.
    let short = terms.last?.column.lowercased() == known.rowid ? terms.dropLast() : terms[...]
    let plain = [short, terms[...]].filter { !$0.isEmpty && $0.count <= 4 }.flatMap { terms in
      [equal, []].map { IndexCandidate(table: table, equal: $0, order: Array(terms)) }
    }
    let conditions = Self.conditions(in: scope, of: source, outline.tokens)
    return plain.map { [$0] }
      + conditions.flatMap { condition in plain.map { [$0.partial(where: condition.text)] } }
  }

  /// The collations of the columns that are compared with a column on their left, which decides it.
  private func collations(
    of source: SelectScope.Source, _ known: TableColumns, in scope: SelectScope,
    _ tokens: [SQLToken]
  ) -> [String: String] {
    scope.conditions.flatMap { TermTree($0, of: tokens).terms }.reduce(into: [:]) { found, term in
      guard let left = ColumnComparison.all(in: term, of: tokens).first, left.kind == .equality,
        let right = left.otherColumn(in: tokens),
        right.alias?.lowercased() == source.alias.lowercased(),
        let table = left.alias.flatMap({ scope.source(named: $0) })?.table,
        let collation = columns(table)?.collation(of: left.column),
        collation != known.collation(of: right.column)
      else { return }
      found[right.column] = "COLLATE \(collation)"
    }
  }

  /// The terms of a column and literals that no range of an index has, such as `a <> 'x'` and `a IS NOT NULL`.
  ///
  /// A partial index has their rows. One of `a = 'x'` finds no more than an index that begins with a.
  private static func conditions(
    in scope: SelectScope, of source: SelectScope.Source, _ tokens: [SQLToken]
  ) -> [(column: String, text: String)] {
    scope.conditions.flatMap { TermTree($0, of: tokens).conjuncts }.compactMap { term in
      let term = TermTree.unwrapped(term, tokens)
      guard let comparison = ColumnComparison.all(in: term, of: tokens).first,
        comparison.kind == .other,
        comparison.alias.map({ $0.lowercased() == source.alias.lowercased() })
          ?? (scope.sources.count == 1),
        ComparedExpression.names(in: comparison.value, tokens).isEmpty,
        !tokens[comparison.value].contains(where: { $0.kind == .parameter || $0.isWord("SELECT") })
      else { return nil }
      return (column: comparison.column, text: ComparedExpression.text(term, tokens))
    }
  }

  /// The column of `SELECT max(a)`.
  static func extremes(
    of scope: SelectScope, _ source: SelectScope.Source, _ tokens: [SQLToken]
  ) -> [String] {
    guard !scope.hasGroupBy, let columns = scope.columns else { return [] }
    let words = Array(tokens[columns])
    guard words.count >= 4, words[0].isWord("MAX") || words[0].isWord("MIN"),
      words[1].isSymbol("("), let end = words.firstIndex(where: { $0.isSymbol(")") })
    else { return [] }
    return column(words[2..<end], of: source, scope).map { [$0] } ?? []
  }

  /// The name of `a` or `t.a`.
  static func column(
    _ words: ArraySlice<SQLToken>, of source: SelectScope.Source, _ scope: SelectScope
  ) -> String? {
    let words = Array(words)
    guard let last = words.last, last.kind == .word || last.kind == .quotedName else { return nil }
    let isOfSource =
      words.count == 1
      ? scope.sources.count == 1
      : words.count == 3 && words[1].isSymbol(".")
        && words[0].name?.lowercased() == source.alias.lowercased()
    return isOfSource ? last.name : nil
  }

  private func unique(_ sets: [[IndexCandidate]]) -> [[IndexCandidate]] {
    var seen: Set<[IndexCandidate]> = []
    return sets.map { set in
      set.filter { !BookkeepingTable.isNamed($0.table) }.compactMap { index in
        columns(index.table).map { index.simplified(for: $0) } ?? index
      }
    }.filter { !$0.isEmpty && seen.insert($0).inserted }
  }
}

/// A LIKE or GLOB with a pattern that starts with text, which an index can find.
///
/// See <https://www.sqlite.org/optoverview.html#the_like_optimization>.
private struct TextPrefix {
  var column: String
  var isGlob: Bool

  static func all(
    in scope: SelectScope, of source: SelectScope.Source, _ tokens: [SQLToken]
  ) -> [TextPrefix] {
    scope.conditions.flatMap { TermTree($0, of: tokens).terms }.compactMap { term in
      let words = tokens[TermTree.unwrapped(term, tokens)]
      guard let position = words.firstIndex(where: { $0.isWord("LIKE") || $0.isWord("GLOB") }),
        let column = IndexProposals.column(words[..<position], of: source, scope)
      else { return nil }
      return TextPrefix(column: column, isGlob: words[position].isWord("GLOB"))
    }
  }

  func index(on table: String, _ known: TableColumns) -> IndexCandidate {
    var index = IndexCandidate(table: table, columns: [column])
    let needed = isGlob ? "BINARY" : "NOCASE"
    if known.collation(of: column) != needed {
      index.modifiers[column] = "COLLATE \(needed)"
    }
    return index
  }
}
