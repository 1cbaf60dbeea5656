// SPDX-License-Identifier: Apache-2.0

/// A WHERE clause as the format string of a predicate, its terms in the order of the SQL.
///
///     WHERE (t0.ZTIMESTAMP >= ?2 AND NSCoreDataStringSearch(t0.ZNAME, ?1, 129, 0))
///     // timestamp >= %@ AND name CONTAINS[cd] %@
///
/// Properties are the columns in lower case, and a to-many relationship is the other table: the
/// database does not contain the model's spelling.
public struct PredicateFormat {
  /// The part that cannot be written as a predicate.
  public struct Failure: Error, Hashable, Sendable {
    public var term: String

    public init(term: String) { self.term = term }
  }

  private let outline: StatementOutline
  private let sql: String
  private var tokens: [SQLToken] { outline.tokens }

  /// Writes the outer WHERE.
  public static func text(of sql: String) throws(Failure) -> String {
    let format = PredicateFormat(outline: StatementOutline(sql), sql: sql)
    guard let scope = format.outline.scopes.first(where: { $0.role == .statement }),
      let filter = scope.filter, let alias = scope.sources.first?.alias
    else { throw Failure(term: sql) }
    return try format.text(TermTree(filter, of: format.tokens), Names(alias: alias, prefix: ""))
  }

  /// The text operator of the outer WHERE, such as MATCHES; nil without one.
  ///
  /// Core Data compares a normalized property with a range for BEGINSWITH: `name >= %@ AND name < %@`.
  public static func textOperator(of sql: String) -> String? {
    guard let words = try? text(of: sql).split(separator: " ") else { return nil }
    let names: Set = ["BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE", "MATCHES"]
    for (index, word) in words.enumerated() {
      let name = word.prefix { $0 != "[" }
      if names.contains(String(name)) { return String(name) }
      let range = words[index...].prefix(7).map { $0.filter { !"()".contains($0) } }
      if range.count == 7, range[1] == ">=", range[3] == "AND", range[5] == "<",
        range[0] == range[4]
      {
        return "BEGINSWITH"
      }
    }
    return nil
  }

  /// The aliases of the columns that are written without, or with, a variable before them.
  private struct Names {
    var alias: String
    var prefix: String
  }

  private func text(_ tree: TermTree, _ names: Names) throws(Failure) -> String {
    guard tree.kind != .term else { return try term(tree.range, names) }
    var parts: [String] = []
    for part in tree.parts {
      let text = try text(part, names)
      parts.append(part.kind == .term ? text : "(\(text))")
    }
    return parts.joined(separator: tree.kind == .and ? " AND " : " OR ")
  }

  private func term(_ range: Range<Int>, _ names: Names) throws(Failure) -> String {
    let term = TermTree.unwrapped(range, tokens)
    if tokens[term.lowerBound].isWord("NOT"), term.count > 1 {
      return "NOT (" + (try text(TermTree(term.dropFirst(), of: tokens), names)) + ")"
    }
    let text =
      search(term, names) ?? comparison(term, names) ?? null(term, names)
    if let text { return text }
    if let text = try count(term, names) { return text }
    throw Failure(term: outline.text(of: range, in: sql))
  }

  // MARK: - Terms

  /// `t0.ZNAME` as `name`, at a position.
  private func path(at index: Int, _ names: Names) -> String? {
    guard index + 2 < tokens.count, tokens[index + 1].isSymbol("."),
      tokens[index].name?.lowercased() == names.alias.lowercased(),
      let column = tokens[index + 2].name
    else { return nil }
    if column == "Z_PK" { return names.prefix.isEmpty ? "SELF" : String(names.prefix.dropLast()) }
    return names.prefix
      + (column.hasPrefix("Z") ? String(column.dropFirst()) : column).lowercased()
  }

  private func isParameter(_ index: Int) -> Bool {
    index < tokens.count && tokens[index].kind == .parameter
  }

  private static let operators = [
    "=": "==", "==": "==", "<>": "!=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
    "IS": "==",
  ]

  /// `t0.ZX >= ?`, `? <= t0.ZX`, `t0.ZX BETWEEN ? AND ?`, `t0.ZX IN (…)`.
  private func comparison(_ term: Range<Int>, _ names: Names) -> String? {
    let start = term.lowerBound
    if let path = path(at: start, names) {
      let sign = tokens[start + 3].text.uppercased()
      if term.count == 5, let sign = Self.operators[sign], isParameter(start + 4) {
        return "\(path) \(sign) %@"
      }
      if term.count == 7, sign == "BETWEEN", isParameter(start + 4), isParameter(start + 6) {
        return "\(path) BETWEEN {%@, %@}"
      }
      let isList = tokens[term.dropFirst(4)].contains { $0.kind == .parameter }
      return sign == "IN" && isList ? "\(path) IN %@" : nil
    }
    guard term.count == 5, isParameter(start), let path = path(at: start + 2, names),
      let sign = Self.operators[tokens[start + 1].text.uppercased()]
    else { return nil }
    return "%@ \(sign) \(path)"
  }

  private func null(_ term: Range<Int>, _ names: Names) -> String? {
    guard let path = path(at: term.lowerBound, names), tokens[term.upperBound - 1].isWord("NULL")
    else { return nil }
    let isNot = term.count == 6 && tokens[term.lowerBound + 4].isWord("NOT")
    return isNot ? "\(path) != nil" : term.count == 5 ? "\(path) == nil" : nil
  }

  /// `NSCoreDataStringSearch(t0.ZNAME, ?, 137, 0)` and related functions,
  /// `NSCoreDataStringFold(t0.ZNAME, 1) = ?`,
  /// `instr(t0.ZNAME, ?) > 0`.
  private func search(_ term: Range<Int>, _ names: Names) -> String? {
    let start = term.lowerBound
    guard term.count >= 10, let path = path(at: start + 2, names) else { return nil }
    switch (tokens[start].text, term.count) {
    case ("instr", 10):
      let isFound = tokens[start + 8].isSymbol(">") && tokens[start + 9].text == "0"
      return isParameter(start + 6) && isFound ? "\(path) CONTAINS %@" : nil
    case ("NSCoreDataStringFold", 10):
      guard isParameter(start + 9), let suffix = suffix(at: start + 6),
        let sign = Self.operators[String(tokens[start + 8].text)]
      else { return nil }
      return "\(path) \(sign)\(suffix) %@"
    case ("NSCoreDataMatches", 10), ("NSCoreDataLike", 12), ("NSCoreDataStringSearch", 12):
      guard isParameter(start + 6), let suffix = suffix(at: start + 8) else { return nil }
      return "\(path) \(word(of: start))\(suffix) %@"
    default: return nil
    }
  }

  /// The flags of a search: 8 is anchored, 4 at the end.
  private func word(of call: Int) -> String {
    switch tokens[call].text {
    case "NSCoreDataMatches": return "MATCHES"
    case "NSCoreDataLike": return "LIKE"
    default:
      let options = Int(tokens[call + 8].text) ?? 0
      return options & 8 == 0 ? "CONTAINS" : options & 4 == 0 ? "BEGINSWITH" : "ENDSWITH"
    }
  }

  /// `[cd]` of 129: 1 [c], 128 [d], 32 [l]; nil for options that a format string cannot express.
  private func suffix(at index: Int) -> String? {
    guard let options = Int(tokens[index].text), options & ~(1 | 4 | 8 | 32 | 128) == 0 else {
      return nil
    }
    let flags = [(1, "c"), (128, "d"), (32, "l")].filter { options & $0.0 != 0 }.map(\.1).joined()
    return flags.isEmpty ? "" : "[\(flags)]"
  }

  /// `(SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND …)) <> ?`.
  private func count(_ term: Range<Int>, _ names: Names) throws(Failure) -> String? {
    guard tokens[term.upperBound - 1].kind == .parameter, term.count > 8,
      let sign = Self.operators[tokens[term.upperBound - 2].text.uppercased()],
      tokens[term.lowerBound + 1].isWord("SELECT"), tokens[term.lowerBound + 2].isWord("COUNT"),
      let scope = outline.scopes.first(where: { scope in
        scope.columns?.lowerBound == term.lowerBound + 2
      }), let filter = scope.filter, let source = scope.sources.first, scope.sources.count == 1,
      let table = source.table
    else { return nil }
    let inner = Names(alias: source.alias, prefix: "$x.")
    var conditions: [String] = []
    for part in TermTree(filter, of: tokens).conjunctTrees where !isTie(part.range, names, inner) {
      let text = try text(part, inner)
      conditions.append(part.kind == .or ? "(\(text))" : text)
    }
    let members = String(table.dropFirst(table.hasPrefix("Z") ? 1 : 0)).lowercased() + "s"
    return conditions.isEmpty
      ? "\(names.prefix)\(members).@count \(sign) %@"
      : "SUBQUERY(\(names.prefix)\(members), $x, \(conditions.joined(separator: " AND ")))"
        + ".@count \(sign) %@"
  }

  /// `t0.Z_PK = t1.ZSTOP`, which the relationship implies.
  private func isTie(_ range: Range<Int>, _ outer: Names, _ inner: Names) -> Bool {
    let term = TermTree.unwrapped(range, tokens)
    guard term.count == 7, tokens[term.lowerBound + 3].isSymbol("=") else { return false }
    let (left, right) = (term.lowerBound, term.lowerBound + 4)
    return (path(at: left, outer) != nil && path(at: right, inner) != nil)
      || (path(at: left, inner) != nil && path(at: right, outer) != nil)
  }
}

extension TermTree {
  /// The operands of a top-level AND; the whole term if the top level is an OR.
  fileprivate var conjunctTrees: [TermTree] { kind == .and ? parts : [self] }
}
