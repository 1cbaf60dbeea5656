// SPDX-License-Identifier: Apache-2.0

/// A statement in the body of a trigger.
struct TriggeredStatement: Hashable {
  let trigger: String
  /// With a parameter instead of each column of `NEW` and `OLD`, and NULL instead of `RAISE(…)`.
  let sql: String

  /// The statements that a write runs by one trigger; none if the trigger is for other writes.
  ///
  ///     CREATE TRIGGER t AFTER UPDATE OF state ON job BEGIN DELETE FROM log WHERE job = OLD.id; END
  ///     // DELETE FROM log WHERE job = ?
  ///
  /// See <https://www.sqlite.org/lang_createtrigger.html>.
  static func all(inTrigger sql: String, firedBy write: WrittenTable) -> [TriggeredStatement] {
    let tokens = SQLTokenizer.tokens(of: sql)
    guard let trigger = tokens.firstIndex(where: { $0.isWord("TRIGGER") }),
      let begin = tokens.firstIndex(where: { $0.isWord("BEGIN") }),
      let name = name(of: tokens[(trigger + 1)..<begin]),
      isFired(tokens[(trigger + 1)..<begin], by: write)
    else { return [] }
    let end = tokens.last?.isWord("END") == true ? tokens.endIndex - 1 : tokens.endIndex
    let body = tokens[(begin + 1)..<end].split { $0.isSymbol(";") }.map { text(of: $0, in: sql) }
    return (condition(in: tokens[(trigger + 1)..<begin], of: sql) + body).map {
      TriggeredStatement(trigger: name, sql: $0)
    }
  }

  /// `WHEN (SELECT …) > 0` reads rows, too.
  private static func condition(in head: ArraySlice<SQLToken>, of sql: String) -> [String] {
    guard let when = head.firstIndex(where: { $0.isWord("WHEN") }),
      head[when...].contains(where: { $0.isWord("SELECT") })
    else { return [] }
    return ["SELECT " + text(of: head[(when + 1)...], in: sql)]
  }

  /// The name, behind IF NOT EXISTS and a schema.
  private static func name(of head: ArraySlice<SQLToken>) -> String? {
    var head = head
    if head.first?.isWord("IF") == true { head = head.dropFirst(3) }
    if head.dropFirst().first?.isSymbol(".") == true { head = head.dropFirst(2) }
    return head.first?.name
  }

  /// - Parameter head: the words between TRIGGER and BEGIN.
  private static func isFired(_ head: ArraySlice<SQLToken>, by write: WrittenTable) -> Bool {
    guard let on = head.firstIndex(where: { $0.isWord("ON") }), on + 1 < head.endIndex,
      head[on + 1].name?.lowercased() == write.table.lowercased()
    else { return false }
    // The name of the trigger may be one of these words; the event is the last of them before ON.
    guard let event = head[..<on].lastIndex(where: { WorkloadWrite.Kind($0) == write.kind }) else {
      return false
    }
    let columns = head[(event + 1)..<on].dropFirst().compactMap { $0.name?.lowercased() }
    guard !columns.isEmpty, let set = write.columns else { return true }
    return set.contains { columns.contains($0.lowercased()) }
  }

  private static func text(of tokens: ArraySlice<SQLToken>, in sql: String) -> String {
    guard let first = tokens.first else { return "" }
    var text = ""
    var (start, index) = (first.range.lowerBound, tokens.startIndex)
    while index < tokens.endIndex {
      if index + 2 < tokens.endIndex, tokens[index].isWord("NEW") || tokens[index].isWord("OLD"),
        tokens[index + 1].isSymbol(".")
      {
        text += sql[start..<tokens[index].range.lowerBound] + "?"
        start = tokens[index + 2].range.upperBound
        index += 3
      } else if tokens[index].isWord("RAISE"),
        let end = tokens[index...].firstIndex(where: { $0.isSymbol(")") })
      {
        // Only the body of a trigger may call it.
        text += sql[start..<tokens[index].range.lowerBound] + "NULL"
        start = tokens[end].range.upperBound
        index = end + 1
      } else {
        index += 1
      }
    }
    return text + sql[start..<tokens[tokens.endIndex - 1].range.upperBound]
  }
}

extension WorkloadWrite.Kind {
  fileprivate init?(_ token: SQLToken) {
    if token.isWord("INSERT") {
      self = .insert
    } else if token.isWord("UPDATE") {
      self = .update
    } else if token.isWord("DELETE") {
      self = .delete
    } else {
      return nil
    }
  }
}
