// SPDX-License-Identifier: Apache-2.0

// What level 4 adds.
extension LogLines {
  /// A statement's plan as the tree that `sqlite3` draws, and a warning for each full scan.
  mutating func plan(_ plan: [PlanLine], of sql: String) {
    line(.details) { text in
      text.append("SQLite: EXPLAIN QUERY PLAN ")
      text.append(escaping: sql)
    }
    var depths: [Int64: Int] = [:]
    for step in plan {
      let depth = depths[step.parent].map { $0 + 1 } ?? 0
      depths[step.id] = depth
      line(.details) { text in
        for _ in 0...depth { text.append("  ") }
        text.append(escaping: step.detail)
      }
    }
    for step in plan where step.isTableScan { fullScan(step, of: sql) }
  }

  private mutating func fullScan(_ step: PlanLine, of sql: String) {
    let scan = ScannedTable(detail: step.detail, sql: sql)
    line(.warning) { text in
      text.append("full scan of ")
      text.append(escaping: scan.table)
      if let alias = scan.alias {
        text.append(" (")
        text.append(escaping: alias)
        text.append(")")
      }
      text.append(": every row is read; index the columns that the predicate compares")
    }
  }
}

/// The table that `SCAN t0`, or before SQLite 3.36 `SCAN TABLE ZSTOP AS t0`, reads.
struct ScannedTable: Hashable {
  var table: String
  /// `nil` where the plan names the table itself.
  var alias: String?

  init(detail: String, sql: String) {
    var words = detail.split(separator: " ").dropFirst()
    if words.first == "TABLE" { words = words.dropFirst() }
    let name = words.popFirst().map(String.init) ?? detail
    if words.first == "AS", let alias = words.dropFirst().first {
      self.init(table: name, alias: String(alias))
    } else if let table = Self.table(aliased: name, in: sql) {
      self.init(table: table, alias: name)
    } else {
      self.init(table: name, alias: nil)
    }
  }

  private init(table: String, alias: String?) {
    self.table = table
    self.alias = alias
  }

  /// The word before the alias, where it stands as in `FROM ZSTOP t0` or `JOIN ZSTOP AS t0`.
  private static func table(aliased alias: String, in sql: String) -> String? {
    let words = sql.split { " \n\t,()".contains($0) }
    for (index, word) in words.enumerated() where word == alias && index > 0 {
      let before = words[index - 1].uppercased() == "AS" ? index - 2 : index - 1
      guard before > 0 else { continue }
      let keyword = words[before - 1].uppercased()
      if keyword == "FROM" || keyword == "JOIN" { return String(words[before]) }
    }
    return nil
  }
}
