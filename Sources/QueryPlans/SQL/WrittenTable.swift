// SPDX-License-Identifier: Apache-2.0

/// The table that an INSERT, UPDATE or DELETE writes.
public struct WrittenTable: Hashable, Sendable {
  public var kind: WorkloadWrite.Kind
  /// The name of the database, as written; nil without one.
  var schema: String?
  public var table: String
  /// The columns that an UPDATE sets; nil for the others.
  public var columns: [String]?

  /// The writes of a statement: an INSERT with `ON CONFLICT … DO UPDATE` updates as well.
  static func all(in sql: String) -> [WrittenTable] {
    let all = SQLTokenizer.tokens(of: sql)
    guard let command = all.command,
      let write = WrittenTable(sql: String(sql[all[command].range.lowerBound...]))
    else { return [] }
    let tokens = all[command...]
    guard write.kind == .insert,
      let position = tokens.indices.dropLast(2).first(where: {
        tokens[$0].isWord("DO") && tokens[$0 + 1].isWord("UPDATE")
      })
    else { return [write] }
    var update = write
    update.kind = .update
    update.columns = assigned(tokens[position...])
    return [write, update]
  }

  /// The deletion of the rows that are in the way of a REPLACE.
  static func replaced(by sql: String) -> [WrittenTable] {
    guard SQLTokenizer.tokens(of: sql).replaceRows, var deletion = all(in: sql).first else {
      return []
    }
    deletion.kind = .delete
    deletion.columns = nil
    return [deletion]
  }

  /// Reads `INSERT OR REPLACE INTO t`, `UPDATE OR FAIL t SET a = ?, b = ?`, `DELETE FROM t`.
  ///
  /// - Returns: nil for a statement that writes no table, or that starts with a WITH clause.
  public init?(sql: String) {
    let tokens = SQLTokenizer.tokens(of: sql)
    guard let first = tokens.first else { return nil }
    var position = 1
    func skip(_ word: String, _ count: Int = 1) {
      if position < tokens.count, tokens[position].isWord(word) { position += count }
    }
    switch first.text.uppercased() {
    case "INSERT", "REPLACE":
      kind = .insert
      skip("OR", 2)
      skip("INTO")
    case "UPDATE":
      kind = .update
      skip("OR", 2)
    case "DELETE":
      kind = .delete
      skip("FROM")
    default: return nil
    }
    if position + 2 < tokens.count, tokens[position + 1].isSymbol(".") {
      schema = tokens[position].name
      position += 2
    }
    guard position < tokens.count, let name = tokens[position].name else { return nil }
    table = name
    columns = kind == .update ? Self.assigned(tokens[position...]) : nil
  }

  /// The names before `=` between SET and WHERE, at the outer level.
  private static func assigned(_ tokens: ArraySlice<SQLToken>) -> [String] {
    guard let set = tokens.firstIndex(where: { $0.isWord("SET") }) else { return [] }
    var (level, columns) = (0, [String]())
    for index in tokens.indices where index > set {
      let token = tokens[index]
      if token.isSymbol("(") { level += 1 }
      if token.isSymbol(")") { level -= 1 }
      if level == 0, token.isWord("WHERE") || token.isWord("FROM") { break }
      let startsTerm = tokens[index - 1].isSymbol(",") || index == set + 1
      let isAssigned = index + 1 < tokens.endIndex && tokens[index + 1].isSymbol("=")
      if level == 0, startsTerm, isAssigned, let name = token.name { columns.append(name) }
      // `SET (a, b) = …`: each name within the parentheses.
      if level == 1, tokens[set + 1].isSymbol("("), let name = token.name, !token.isSymbol("(") {
        columns.append(name)
      }
    }
    return columns
  }
}

extension WrittenTable {
  /// The statement for a part of the rows: `UPDATE t SET a = 1 WHERE rowid BETWEEN :first AND :last`.
  ///
  /// - Returns: nil where a clause follows its WHERE, or where another table is joined.
  public func batched(_ sql: String) -> String? {
    let tokens = SQLTokenizer.tokens(of: sql).filter { !$0.isSymbol(";") }
    guard let last = tokens.last,
      tokens.firstOuter(["FROM", "RETURNING", "ORDER", "LIMIT"], from: kind == .delete ? 2 : 0)
        == nil
    else { return nil }
    let range = "rowid BETWEEN :first AND :last"
    guard let position = tokens.firstOuter(["WHERE"]) else {
      // SQLite empties a table without reading its rows.
      guard kind == .update else { return nil }
      return "\(sql[..<last.range.upperBound]) WHERE \(range)"
    }
    let condition = tokens[position + 1].range.lowerBound..<last.range.upperBound
    return "\(sql[..<condition.lowerBound])\(range) AND (\(sql[condition]))"
  }
}
