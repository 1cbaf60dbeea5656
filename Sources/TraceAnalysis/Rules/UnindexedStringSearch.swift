// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct UnindexedStringSearch: Rule {
  // 100 is arbitrary: a regular expression takes several microseconds a row.
  private static let minExpressionRows = 100.0
  // To move on, to read a column of two tables and to call the function.
  private static let minStepsPerRow = 10.0

  static func minRows(_ search: TextSearch) -> Double {
    search.kind == .expression ? minExpressionRows : ScanBound.minRows
  }

  static let explanation = RuleExplanation(
    problem: "a text search without an index",
    law: "A text search is a prefix search on normalized text, which an index serves.",
    reason: """
      A function that ignores case and diacritics runs once for every row, and so does a search within the text or for a
      pattern.
      """,
    bad: """
      name BEGINSWITH[cd] "u gorli"
      SELECT … FROM ZSTOP t0 WHERE NSCoreDataStringSearch(t0.ZNAME, ?, 137, 0)
      -- SCAN t0
      """,
    good: """
      let normalizedName = Attribute<String>("normalizedName", derivedFrom: \\Self.name, \\.searchNormalized)
      normalizedName BEGINSWITH "u gorli"        // lower case, without marks, indexed
      SELECT … FROM ZSTOP t0 WHERE (t0.ZNORMALIZEDNAME >= ? AND  t0.ZNORMALIZEDNAME < ?)
      -- SEARCH t0 USING INDEX ZSTOP_ZNORMALIZEDNAME (ZNORMALIZEDNAME>? AND ZNORMALIZEDNAME<?)
      """,
    limits: """
      Reported when such a search reads 500 rows a run or more, and four or more for each that it returns. A search
      among rows that an index has selected is not reported, a GLOB of a shape without letters and digits ('????-*') is a
      note, since no full-text table finds it, and one with a comparison that an index could serve is
      reported as AvoidFullTableScan. A regular expression (MATCHES) is reported from 100 rows a run on, whatever it returns.
      So is a search that a join or a subquery repeats for each row of another table, from about as many rows on. Without
      counters and a plan, as from Core Data's log alone, a search that is the only term, without a limit that was reached, is a note, and a
      warning if another run of the log shows 500 rows of the table or more.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let sizes = workload.minRowsByTable
    return workload.findings { statement in
      if statement.scanCause == .stringSearch { return counted(statement) }
      guard statement.scanCause == nil, let sql = statement.sql else { return nil }
      let searches = TextSearch.all(in: sql)
      return searches.lazy.compactMap { repeated(statement, $0) }.first
        ?? searches.lazy.compactMap { single(statement, $0, sizes) }.first
    }
  }

  private func counted(_ statement: JudgedStatement) -> Finding {
    finding(
      statement, TextSearch.all(in: statement.sql ?? "").first,
      """
      Each run compares the text of \(statement.stepsPerRun.counted("row")), one by one\
      \(statement.averageText(\.fullScanSteps))\(statement.resultText(after: ","))\
      \(statement.runsText).
      """,
      severity: statement.searchesShapes ? .note : .warning)
  }

  /// A search among the rows of a join or of a subquery, for each row of another table again.
  private func repeated(_ statement: JudgedStatement, _ search: TextSearch) -> Finding? {
    guard let outer = search.repeatedFor else { return nil }
    let steps = statement.vmStepsPerRun
    let rows = steps / Self.minStepsPerRow
    guard statement.isTextOnly || rows >= Self.minRows(search),
      statement.isTextOnly || search.kind == .expression
        || steps >= statement.work.perRun(\.rows) * Self.minStepsPerRow * ScanBound.minStepsPerRow
    else { return nil }
    let count = steps > 0 ? ", in \(steps.counted("VM step"))" : ""
    return finding(
      statement, search,
      """
      For each row of '\(outer)' the text of its rows of '\(search.table)' is compared again\
      \(count)\(statement.resultText(after: ","))\(statement.runsText).
      """,
      severity: statement.isTextOnly ? .note : .warning)
  }

  /// A search of every row that no count shows to be expensive: by its text, or by a regular expression.
  private func single(
    _ statement: JudgedStatement, _ search: TextSearch, _ sizes: [String: Double]
  ) -> Finding? {
    guard search.isOnlyTerm, search.repeatedFor == nil else { return nil }
    let rows = statement.work.perRun(\.rows)
    if statement.isTextOnly {
      let size = sizes[search.table.lowercased()] ?? 0
      let isLarge = ScanBound.isExceeded(steps: size, rows: rows)
      // A limit that is not reached ends no search.
      let clauses = statement.clauses
      guard !clauses.hasLimit || clauses.limit.map({ rows < Double($0) }) == true else {
        return nil
      }
      return finding(
        statement, search,
        """
        Each run compares the text of \(isLarge ? "\(size.wholeText) rows or more" : "every row") of \
        '\(search.table)'\(statement.resultText())\(statement.runsText).
        """,
        severity: isLarge ? .warning : .note)
    }
    guard search.kind == .expression, statement.stepsPerRun + 1 >= Self.minRows(search) else {
      return nil
    }
    return finding(
      statement, search,
      """
      Each run matches a regular expression against the text of \
      \(statement.stepsPerRun.counted("row")), one by one\(statement.resultText(after: ","))\
      \(statement.runsText).
      """)
  }

  private func finding(
    _ statement: JudgedStatement, _ search: TextSearch?, _ message: String,
    severity: Finding.Severity = .warning
  ) -> Finding {
    Finding(
      rule: Self.name, severity: severity,
      confidence: statement.profile.isCounted ? .high : .medium,
      statement: statement.id, caller: statement.profile.mainCaller, message: message,
      evidence: statement.profile.scanEvidence, fix: Self.fix(statement, search),
      saving: statement.profile.isCounted && statement.scanCause != nil
        ? statement.scanSaving : nil)
  }

  /// Whether the text of each pattern begins with `%` or `*`, as `'%' || ?` does.
  private static func beginsWithAnyText(_ tokens: [SQLToken]) -> Bool {
    let patterns = tokens.indices.dropLast().filter {
      tokens[$0].isWord("LIKE") || tokens[$0].isWord("GLOB")
    }
    return !patterns.isEmpty
      && patterns.allSatisfy { index in
        ["'%", "'*"].contains(where: tokens[index + 1].text.hasPrefix)
      }
  }

  private static func fix(_ statement: JudgedStatement, _ search: TextSearch?) -> String {
    if statement.searchesShapes {
      return """
        no index has the shape of a text: store it in a column, or an index on the expression, if the search repeats
        """
    }
    guard statement.isOfObjects else {
      let tried = statement.judgement.indexes ?? statement.judgement.largestScan?.indexes ?? []
      let tokens = SQLTokenizer.tokens(of: statement.sql ?? "")
      if beginsWithAnyText(tokens) {
        return """
          no index serves a pattern that begins with any text: use an FTS5 table, with the trigram tokenizer for parts \
          of words
          """
      }
      // GLOB has no ESCAPE.
      let escapes = tokens.contains { $0.isWord("ESCAPE") }
      let index =
        tried.isEmpty
        ? "an index on the column with COLLATE NOCASE serves LIKE"
          + (escapes ? "" : ", and a plain index serves GLOB")
        : statement.sentence(IndexFix(tried, entity: statement.entity))
      return
        "if the pattern begins with text, \(index); for words within the text, use an FTS5 table"
    }
    let prefix =
      search?.kind == .expression ? "a prefix needs no regular expression: " : ""
    let attribute =
      statement.isFromCoreData
      ? "an attribute in lower case without diacritics, with a <fetchIndex>"
      : "an attribute with derivedFrom and searchNormalized: lower case, no marks"
    let index = statement.isFromCoreData ? "" : ", index that attribute"
    let normalized = """
      store the text a second time, normalized (\(attribute))\(index) and search it with BEGINSWITH
      """
    if let search, let outer = search.repeatedFor {
      return """
        \(prefix)fetch the objects of \(search.table) first, then those of \(outer) by the \
        relationship (IN); \(normalized)
        """
    }
    return "\(prefix)\(normalized); for words within the text, use an entity of search terms"
  }
}

extension JudgedStatement {
  /// Whether it searches texts by their shape alone, as `GLOB '????-??-*'` does.
  fileprivate var searchesShapes: Bool {
    let tokens = SQLTokenizer.tokens(of: profile.sql ?? "")
    let indices = tokens.indices.filter { tokens[$0].searchesText }
    return !indices.isEmpty
      && indices.allSatisfy { index in
        guard tokens[index].isWord("GLOB"), index + 1 < tokens.endIndex else { return false }
        let text = tokens[index + 1].text
        guard let quote = text.first, quote == "'" || quote == "\"", text.count > 2 else {
          return false
        }
        let pattern = text.dropFirst().dropLast().replacing(/\[[^\]]+\]/, with: "")
        return !pattern.contains { $0.isLetter || $0.isNumber }
      }
  }

  /// VM steps of a run: counted, or of a run on the database.
  fileprivate var vmStepsPerRun: Double {
    profile.isCounted ? profile.work.perRun(\.vmSteps) : judgement.work?.perRun(\.vmSteps) ?? 0
  }
}

extension Workload {
  /// The rows that each table has at least, by the runs that read one table alone.
  fileprivate var minRowsByTable: [String: Double] {
    forms.map(\.whole).reduce(into: [:]) { sizes, statement in
      let clauses = statement.clauses
      guard clauses.tables.count == 1, let table = clauses.tables.first, !clauses.isGrouped else {
        return
      }
      sizes[table] = max(sizes[table] ?? 0, statement.work.perRun(\.rows))
    }
  }
}

extension StatementProfile {
  /// Whether its WHERE has a search that no index serves.
  var searchesStrings: Bool {
    sql.map { StatementClauses(sql: $0).searchesText } ?? false
  }
}
