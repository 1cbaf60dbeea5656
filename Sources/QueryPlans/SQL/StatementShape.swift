// SPDX-License-Identifier: Apache-2.0

/// A statement without the columns that it lists and without its aliases: the same for one version
/// of a program and the next one, if a table has one more column, or the ORM names tables in
/// another way.
///
///     SELECT T3.id, T3.name FROM author AS T3 WHERE T3.id = ?
///     SELECT a.name, a.id, a.born FROM author a WHERE a.id = ?
///     select from author where author.id = ?
public struct StatementShape: Hashable, Sendable {
  /// The words that are left.
  public let description: String
  /// The number of columns that were left out.
  public let columns: Int

  public init(sql: String) {
    let outline = StatementOutline(sql)
    let tokens = outline.tokens
    let names = Self.namesByAlias(of: outline)
    let lists = Self.columnLists(of: outline)
    var words: [Substring] = []
    var columns = 0
    var index = 0
    while index < tokens.count {
      if let list = lists.first(where: { $0.lowerBound == index && !$0.isEmpty }) {
        let items = Self.items(of: tokens[list])
        // The result of a function is not a column that a table gained.
        let calls = items.filter { $0.contains { $0.isSymbol("(") } }
        columns += items.count - calls.count
        for token in calls.joined() { words.append(Self.word(token, nil, names)) }
        index = list.upperBound
        continue
      }
      let token = tokens[index]
      let next = index + 1 < tokens.count ? tokens[index + 1] : nil
      if token.isWord("RETURNING") {
        columns += Self.items(of: tokens[(index + 1)...]).count
        break
      }
      if !token.isSymbol(";"), !Self.declaresAlias(index, tokens, names) {
        words.append(Self.word(token, next, names))
      }
      index += 1
    }
    description = SQLFingerprint.joined(words)
    self.columns = columns
  }

  private static func word(
    _ token: SQLToken, _ next: SQLToken?, _ names: [String: String]
  ) -> Substring {
    let word = token.kind == .parameter ? "?" : SchemaWord.text(of: token)
    guard next?.isSymbol(".") == true || next == nil, let name = names[word] else {
      return word[...]
    }
    return name[...]
  }

  /// `AS T3` behind a table; `T3` alone.
  private static func declaresAlias(
    _ index: Int, _ tokens: [SQLToken], _ names: [String: String]
  ) -> Bool {
    let next = index + 1 < tokens.count ? tokens[index + 1] : nil
    if tokens[index].isWord("AS") {
      return next?.name.map { names[$0.lowercased()] != nil } ?? false
    }
    guard index > 0, let name = tokens[index].name, let table = names[name.lowercased()],
      next?.isSymbol(".") != true
    else { return false }
    let before = tokens[index - 1].isWord("AS") && index > 1 ? index - 2 : index - 1
    return tokens[before].name.map { table.hasPrefix($0.lowercased()) } ?? false
  }

  /// The second use of a table is `author#2`.
  private static func namesByAlias(of outline: StatementOutline) -> [String: String] {
    var names: [String: String] = [:]
    var uses: [String: Int] = [:]
    for source in outline.scopes.flatMap(\.sources) {
      guard let table = source.table?.lowercased() else { continue }
      uses[table, default: 0] += 1
      let use = uses[table] ?? 1
      let alias = source.alias.lowercased()
      guard !alias.isEmpty, alias != table else { continue }
      names[alias] = use == 1 ? table : "\(table)#\(use)"
    }
    return names
  }

  /// The columns of each SELECT, UPDATE's SET and INSERT.
  private static func columnLists(of outline: StatementOutline) -> [Range<Int>] {
    let tokens = outline.tokens
    var lists = outline.scopes.compactMap(\.columns).filter { range in
      range.lowerBound < tokens.count && !(tokens[range].first?.isWord("VALUES") ?? true)
        && !(range.lowerBound > 0 && tokens[range.lowerBound - 1].isWord("VALUES"))
    }
    if let into = tokens.firstIndex(where: { $0.isWord("INTO") }),
      let open = tokens[into...].prefix(5).firstIndex(where: { $0.isSymbol("(") }),
      let close = tokens[open...].firstIndex(where: { $0.isSymbol(")") })
    {
      lists.append(open..<close + 1)
    }
    return lists
  }

  /// The parts that commas separate, outside of parentheses.
  private static func items(of tokens: ArraySlice<SQLToken>) -> [[SQLToken]] {
    var tokens = tokens
    if tokens.first?.isSymbol("(") == true { tokens = tokens.dropFirst().dropLast() }
    var level = 0
    var items: [[SQLToken]] = [[]]
    for token in tokens {
      if token.isSymbol("(") { level += 1 }
      if token.isSymbol(")") { level -= 1 }
      if level == 0, token.isSymbol(",") {
        items.append([])
      } else {
        items[items.count - 1].append(token)
      }
    }
    return items.filter { !$0.isEmpty }
  }
}
