// SPDX-License-Identifier: Apache-2.0

/// Another way to write a term, with which SQLite may use an index.
struct TermRewrite {
  /// The tokens that it replaces.
  var term: Range<Int>
  var reason: IndexObstacle.Reason
  var text: String
  /// The same for a trial, where a literal stands for a value.
  var trial: String
  /// Other texts instead of the term, each of which SQLite has to find by an index as well.
  var others: [String] = []
  /// The column of a range, or of a term without its OR, with its table.
  var column: HiddenColumn?

  struct HiddenColumn: Hashable {
    var table: String
    var name: String
  }

  init(
    _ term: Range<Int>, _ reason: IndexObstacle.Reason, _ text: String, trial: String? = nil,
    column: HiddenColumn? = nil
  ) {
    (self.term, self.reason, self.text, self.column) = (term, reason, text, column)
    self.trial = trial ?? text
  }

  /// This rewrite with the trial of another one, in which parameters are numbered.
  func tried(as other: TermRewrite) -> TermRewrite {
    var rewrite = self
    (rewrite.trial, rewrite.others) = (other.trial, other.others)
    return rewrite
  }

  static func all(
    of term: Range<Int>, _ scope: SelectScope, _ tokens: [SQLToken], _ schema: SchemaCopy
  ) -> [TermRewrite] {
    let reader = Reader(scope: scope, tokens: tokens, schema: schema)
    let tree = TermTree(term, of: tokens)
    if tree.kind == .or {
      return reader.withoutConstants(tree) + reader.rowValues(tree) + reader.ofTables(tree)
    }
    let inner = TermTree.unwrapped(term, tokens)
    guard let position = reader.operatorPosition(in: inner) else {
      return reader.truths(term, inner)
    }
    let sides = (inner.lowerBound..<position, position + 1..<inner.upperBound)
    if tokens[position].isWord("LIKE") {
      return reader.columnsInOtherCase(term, inner, position) + reader.glob(term, inner, position)
    }
    let ranges = reader.ranges(term, sides, position)
    return reader.collations(term, sides, position) + reader.affinities(term, sides, position)
      + (ranges.isEmpty ? reader.columnsAlone(term, sides, position) : ranges)
      + reader.expressionsOfIndexes(term, sides, position)
      + reader.literalsOfPartialIndexes(term, sides, position) + reader.truths(term, inner)
  }

  struct Reader {
    let scope: SelectScope
    let tokens: [SQLToken]
    let schema: SchemaCopy

    func text(_ range: Range<Int>) -> String { SQLFingerprint.joined(tokens[range].map(\.text)) }

    func operatorPosition(in term: Range<Int>) -> Int? {
      var level = 0
      return term.first { index in
        if tokens[index].isSymbol("(") || tokens[index].isWord("CASE") { level += 1 }
        if tokens[index].isSymbol(")") || tokens[index].isWord("END") { level -= 1 }
        guard level == 0, let kind = ColumnComparison.Kind(tokens[index]) else { return false }
        return kind != .other && !tokens[index].isWord("GLOB") && !tokens[index].isWord("MATCH")
      }
    }

    /// `(? IS NULL OR a = ?)` without the part that has no column.
    func withoutConstants(_ tree: TermTree) -> [TermRewrite] {
      let parts = tree.parts.map(\.range)
      let rest = parts.filter { !ComparedExpression.names(in: $0, tokens).isEmpty }
      guard !rest.isEmpty, rest.count < parts.count else { return [] }
      return [
        TermRewrite(
          tree.range, .optional, rest.map(text).joined(separator: " OR "),
          column: rest.count == 1 ? comparedColumn(rest[0]) : nil)
      ]
    }

    /// The column of `a = ?`.
    private func comparedColumn(_ term: Range<Int>) -> TermRewrite.HiddenColumn? {
      let inner = TermTree.unwrapped(term, tokens)
      guard let position = operatorPosition(in: inner),
        let column = column(inner.lowerBound..<position) ?? column(position + 1..<inner.upperBound)
      else { return nil }
      return TermRewrite.HiddenColumn(table: column.table, name: column.name.lowercased())
    }

    /// `a.x = ? OR b.y = ?` as `a.x = ?` and `b.y = ?`, each in a SELECT of its own.
    func ofTables(_ tree: TermTree) -> [TermRewrite] {
      let parts = tree.parts.map(\.range)
      let tables = parts.map { part in
        Set(ComparedExpression.names(in: part, tokens).compactMap { $0.qualifier?.lowercased() })
      }
      guard tables.allSatisfy({ $0.count == 1 }), Set(tables).count > 1,
        !tokens[tree.range].contains(where: { $0.isWord("SELECT") })
      else { return [] }
      let texts = parts.map(text)
      var rewrite = TermRewrite(
        tree.range, .tables, texts.joined(separator: " and "), trial: texts[0])
      rewrite.others = Array(texts.dropFirst())
      return [rewrite]
    }

    /// `a > ? OR (a = ? AND b > ?)` as `(a, b) > (?, ?)`.
    func rowValues(_ tree: TermTree) -> [TermRewrite] {
      guard let row = rowValue([[tree]]), row.columns.count > 1 else { return [] }
      let columns = row.columns.joined(separator: ", ")
      let values = row.values.joined(separator: ", ")
      return [TermRewrite(tree.range, .keyset, "(\(columns)) \(row.symbol) (\(values))")]
    }

    private struct RowValue {
      var columns: [String]
      var symbol: String
      var values: [String]
    }

    /// - Parameter alternatives: the terms that OR joins, each as the terms that AND joins.
    private func rowValue(_ alternatives: [[TermTree]]) -> RowValue? {
      if alternatives.count == 1, alternatives[0].count == 1, alternatives[0][0].kind == .or {
        return rowValue(alternatives[0][0].parts.map { $0.kind == .and ? $0.parts : [$0] })
      }
      guard let position = alternatives.firstIndex(where: { $0.count == 1 }),
        let first = comparison(alternatives[position][0])
      else { return nil }
      var row = RowValue(
        columns: [text(first.column)], symbol: first.symbol, values: [text(first.value)])
      var others = alternatives
      others.remove(at: position)
      if others.isEmpty { return ["<", ">", "<=", ">="].contains(row.symbol) ? row : nil }
      guard ["<", ">"].contains(first.symbol) else { return nil }
      for index in others.indices {
        guard let equal = others[index].firstIndex(where: { isEqual($0, to: first) }) else {
          return nil
        }
        others[index].remove(at: equal)
      }
      guard let next = rowValue(others), next.symbol.hasPrefix(first.symbol) else { return nil }
      row.columns += next.columns
      row.symbol = next.symbol
      row.values += next.values
      return row
    }

    private struct Comparison {
      var column: Range<Int>
      var symbol: String
      var value: Range<Int>
    }

    /// `a > ?`, or `? < a` as it.
    private func comparison(_ term: TermTree) -> Comparison? {
      let inner = TermTree.unwrapped(term.range, tokens)
      guard term.kind == .term, let position = operatorPosition(in: inner) else { return nil }
      let (left, right) = (inner.lowerBound..<position, position + 1..<inner.upperBound)
      let symbol = String(tokens[position].text)
      guard column(left) == nil else {
        return Comparison(column: left, symbol: symbol, value: right)
      }
      return Comparison(column: right, symbol: Self.mirrored[symbol] ?? symbol, value: left)
    }

    static let mirrored = ["<": ">", ">": "<", "<=": ">=", ">=": "<="]

    /// Whether a term is `a = ?` beside `a > ?`, which may have the same value.
    private func isEqual(_ term: TermTree, to range: Comparison) -> Bool {
      guard let own = comparison(term), own.symbol == "=" || own.symbol == "==" else {
        return false
      }
      let values = [own.value, range.value]
      let isBound =
        values.allSatisfy { $0.count == 1 }
        && values.contains { tokens[$0.lowerBound].kind == .parameter }
      return text(own.column).lowercased() == text(range.column).lowercased()
        && (isBound || text(own.value) == text(range.value))
    }

    /// `a LIKE ?` as `a GLOB ?`, which has no ESCAPE, and no index for a pattern that starts with a
    /// wildcard.
    func glob(_ term: Range<Int>, _ inner: Range<Int>, _ position: Int) -> [TermRewrite] {
      let pattern = position + 1 < inner.upperBound ? tokens[position + 1].text : ""
      guard !tokens[inner].contains(where: { $0.isWord("ESCAPE") }),
        !pattern.hasPrefix("'%"), !pattern.hasPrefix("'_")
      else { return [] }
      let column = text(inner.lowerBound..<position)
      return [
        TermRewrite(term, .like, "\(column) GLOB ?", trial: "\(column) GLOB 'a*'")
      ]
    }

    /// `upper(a) LIKE ?` as `a LIKE ?`, which ignores case anyway.
    func columnsInOtherCase(
      _ term: Range<Int>, _ inner: Range<Int>, _ position: Int
    ) -> [TermRewrite] {
      let names = ComparedExpression.names(in: inner.lowerBound..<position, tokens)
      guard names.count == 1, tokens[inner.lowerBound + 1].isSymbol("("),
        ["LOWER", "UPPER"].contains(where: tokens[inner.lowerBound].isWord),
        position - inner.lowerBound == (names[0].qualifier == nil ? 4 : 6)
      else { return [] }
      let column = text(inner.lowerBound + 2..<position - 1)
      return [
        TermRewrite(term, .expression, "\(column) LIKE ?", trial: "\(column) LIKE 'a%'")
      ]
    }

    /// `NOT a` and `a IS FALSE` as the `a = 0` of a partial index.
    func truths(_ term: Range<Int>, _ inner: Range<Int>) -> [TermRewrite] {
      let words = unqualified(inner).filter { !$0.isWord("NOT") }
      guard inner.count > 1, let name = words.first?.name,
        words.count == 1 || words.count == 3 && words[1].isWord("IS") && words[2].isWord("FALSE")
      else { return [] }
      return indexes.flatMap(\.conditions).compactMap { condition in
        guard condition.count == 3, condition[0].name?.lowercased() == name.lowercased(),
          condition[1].isSymbol("="), condition[2].text == "0"
        else { return nil }
        return TermRewrite(term, .partial, "\(name) = 0")
      }
    }

    /// `a.x = b.y` where one is compared as a number, and an index has the other as it is.
    func affinities(_ term: Range<Int>, _ sides: (Range<Int>, Range<Int>), _ position: Int)
      -> [TermRewrite]
    {
      guard let left = column(sides.0), let right = column(sides.1),
        Affinity(left.type) != Affinity(right.type)
      else { return [] }
      let reason = IndexObstacle.Reason.affinity(left.description, right.description)
      let symbol = tokens[position].text
      return [
        "\(text(sides.0)) \(symbol) +\(text(sides.1))",
        "+\(text(sides.0)) \(symbol) \(text(sides.1))",
      ].map { TermRewrite(term, reason, $0) }
    }

    /// `a.x = b.y` as `b.y = a.x`, which compares by the collation of b.
    func collations(_ term: Range<Int>, _ sides: (Range<Int>, Range<Int>), _ position: Int)
      -> [TermRewrite]
    {
      guard tokens[position].isSymbol("=") || tokens[position].isSymbol("=="),
        let left = column(sides.0), let right = column(sides.1), left.collation != right.collation
      else { return [] }
      return [
        TermRewrite(term, .leftColumn(left.collation), "\(text(sides.1)) = \(text(sides.0))")
      ]
    }

    /// `lower(a) = ?`, `a + 0 = ?`, `a = ? COLLATE NOCASE` as `a = ?`.
    func columnsAlone(_ term: Range<Int>, _ sides: (Range<Int>, Range<Int>), _ position: Int)
      -> [TermRewrite]
    {
      let symbol = tokens[position].text
      let isList = tokens[position].isWord("IN") || tokens[position].isWord("BETWEEN")
      func rewrite(_ side: Range<Int>, _ other: Range<Int>, isLeft: Bool) -> TermRewrite? {
        let names = ComparedExpression.names(in: side, tokens)
        guard Set(names.map { $0.column.lowercased() }).count == 1, let name = names.first,
          !tokens[side].contains(where: { $0.isWord("SELECT") }) || isList
        else { return nil }
        // A value of the same row is none that could be converted.
        let others = ComparedExpression.names(in: other, tokens)
        let isOfRow = others.contains {
          $0.qualifier?.lowercased() == name.qualifier?.lowercased()
        }
        guard isList || !isOfRow else { return nil }
        let column = name.qualifier.map { "\($0).\(name.column)" } ?? name.column
        let collates = tokens[side.lowerBound..<term.upperBound].contains { $0.isWord("COLLATE") }
        let isPlain = side.count == (name.qualifier == nil ? 1 : 3)
        guard isPlain ? collates : collates || isConvertible(side) else { return nil }
        let reason: IndexObstacle.Reason = collates ? .collation : .expression
        let value = isList || isPlain && !collates ? text(other) : "?"
        return TermRewrite(
          term, reason, isLeft ? "\(column) \(symbol) \(value)" : "\(value) \(symbol) \(column)")
      }
      return [
        rewrite(sides.0, sides.1, isLeft: true),
        isList ? nil : rewrite(sides.1, sides.0, isLeft: false),
      ]
      .compactMap(\.self)
    }

    /// Whether the value can be converted instead of the column: an expression such as `length(a)` or `a % 7` has one
    /// value for many of the column.
    private func isConvertible(_ side: Range<Int>) -> Bool {
      side.allSatisfy { index in
        let token = tokens[index]
        let isMany =
          ["/", "%", "&", "|", "<<", ">>", "->", "->>"].contains(where: token.isSymbol)
          || ["NOT", "CASE"].contains(where: token.isWord)
        let isFunction =
          token.kind == .word && index + 1 < side.upperBound && tokens[index + 1].isSymbol("(")
        return !isMany && (!isFunction || Self.conversions.contains(token.text.lowercased()))
      }
    }

    private static let conversions: Set = [
      "cast", "coalesce", "hex", "ifnull", "lower", "ltrim", "rtrim", "trim", "upper",
    ]

    /// `json_extract(a, ?) = ?` with the path of an index.
    func expressionsOfIndexes(
      _ term: Range<Int>, _ sides: (Range<Int>, Range<Int>), _ position: Int
    ) -> [TermRewrite] {
      let symbol = tokens[position].text
      return [(sides.0, true), (sides.1, false)].flatMap { side, isLeft in
        let other = text(isLeft ? sides.1 : sides.0)
        return indexes.flatMap(\.expressions).compactMap { expression -> TermRewrite? in
          let isSame = hasSameValue(side, expression)
          guard isSame || matches(side, expression) else { return nil }
          let words = SQLFingerprint.joined(expression.map(\.text))
          return TermRewrite(
            term, isSame ? .sameValue : .parameter,
            isLeft ? "\(words) \(symbol) \(other)" : "\(other) \(symbol) \(words)")
        }
      }
    }

    /// `data ->> '$.kind'` for `json_extract(data, '$.kind')`, and the reverse.
    private func hasSameValue(_ side: Range<Int>, _ expression: [SQLToken]) -> Bool {
      func call(_ words: [String]) -> [String] {
        words.count == 3 && words[1] == "->>" && words[2].hasPrefix("'$")
          ? ["json_extract", "(", words[0], ",", words[2], ")"] : words
      }
      let own = unqualified(side).map(SchemaWord.text)
      let indexed = expression.map(SchemaWord.text)
      return own != indexed && call(own) == call(indexed)
    }

    private func unqualified(_ side: Range<Int>) -> [SQLToken] {
      let words = tokens[side].filter { !$0.isSymbol(".") }
      let names = scope.sources.map { $0.alias.lowercased() }
      return words.enumerated().filter { position, token in
        !(names.contains(token.name?.lowercased() ?? "") && position + 1 < words.count
          && tokens[side].dropFirst(position + 1).first?.isSymbol(".") == true)
      }.map(\.element)
    }

    /// Whether both are the same but for parameters where the index has literals.
    private func matches(_ side: Range<Int>, _ expression: [SQLToken]) -> Bool {
      let own = unqualified(side)
      guard own.count == expression.count else { return false }
      var differs = false
      for (a, b) in zip(own, expression) where SchemaWord.text(of: a) != SchemaWord.text(of: b) {
        guard a.kind == .parameter, b.kind == .text || b.kind == .number else { return false }
        differs = true
      }
      return differs
    }

    /// `state IN (?, ?)` as the `state = 'waiting'` of a partial index.
    func literalsOfPartialIndexes(
      _ term: Range<Int>, _ sides: (Range<Int>, Range<Int>), _ position: Int
    ) -> [TermRewrite] {
      guard let own = column(sides.0)?.name.lowercased(),
        tokens[sides.1].contains(where: { $0.kind == .parameter })
      else { return [] }
      return indexes.flatMap(\.conditions).compactMap { condition in
        guard condition.count == 3, condition[0].name?.lowercased() == own,
          condition[1].isSymbol("=")
        else { return nil }
        return TermRewrite(term, .partial, "\(text(sides.0)) = \(condition[2].text)")
      }
    }

    // MARK: - The schema

    struct Column {
      var table: String
      var name: String
      var type: String
      var collation: String
      var description: String { "'\(name)' is \(type.isEmpty ? "declared without a type" : type)" }
    }

    func column(_ range: Range<Int>) -> Column? {
      let range = TermTree.unwrapped(range, tokens)
      guard let name = ComparedExpression.names(in: range, tokens).first,
        range.count == (name.qualifier == nil ? 1 : 3),
        let source = name.qualifier.map(scope.source(named:)) ?? scope.sources.first,
        let table = source.table, let known = schema.columns(of: table)
      else { return nil }
      return Column(
        table: table, name: name.column, type: known.types[name.column.lowercased()] ?? "",
        collation: known.collation(of: name.column))
    }

    private var indexes: [IndexText] {
      scope.sources.compactMap(\.table).flatMap { table in
        ((try? DatabaseIndex.all(of: table, schema.connection)) ?? []).compactMap {
          $0.sql.map(IndexText.init)
        }
      }
    }
  }

  /// The terms and the WHERE of a CREATE INDEX.
  private struct IndexText {
    var expressions: [[SQLToken]] = []
    var conditions: [[SQLToken]] = []

    init(sql: String) {
      let tokens = SQLTokenizer.tokens(of: sql)
      guard let on = tokens.firstIndex(where: { $0.isWord("ON") }), on + 2 < tokens.count else {
        return
      }
      let end = tokens.firstOuter(["WHERE"], from: on) ?? tokens.count
      var level = 0
      expressions = tokens[(on + 3)..<max(end - 1, on + 3)].split { token in
        if token.isSymbol("(") { level += 1 }
        if token.isSymbol(")") { level -= 1 }
        return level == 0 && token.isSymbol(",")
      }.map(Array.init).filter { $0.count > 1 }
      if end < tokens.count {
        conditions = TermTree(end + 1..<tokens.count, of: tokens).conjuncts.map {
          Array(tokens[TermTree.unwrapped($0, tokens)])
        }
      }
    }
  }
}

/// The affinity of a column, by its declared type.
///
/// See <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>.
enum Affinity {
  case integer, text, blob, real, numeric

  init(_ type: String) {
    let type = type.uppercased()
    if type.contains("INT") {
      self = .integer
    } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
      self = .text
    } else if type.isEmpty || type.contains("BLOB") {
      self = .blob
    } else if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) {
      self = .real
    } else {
      self = .numeric
    }
  }
}
