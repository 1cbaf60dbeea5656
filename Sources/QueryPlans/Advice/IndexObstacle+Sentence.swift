// SPDX-License-Identifier: Apache-2.0

extension PlanJudgement {
  /// The ways to write the statement differently.
  public var rewrites: [String] {
    var rewrites = obstacles.map(\.sentence)
    if let search = excess?.textSearch { rewrites.append(search.sentence) }
    if replacesRows, !unindexedReferences.isEmpty { rewrites.append(Self.fixOfReplace) }
    return rewrites
  }

  /// A REPLACE deletes the row that is in its way, and its children by ON DELETE CASCADE.
  public static let fixOfReplace =
    "REPLACE deletes the row and inserts it again: INSERT … ON CONFLICT DO UPDATE changes it in its place"
}

extension PlanJudgement.Excess.TextSearch {
  var sentence: String {
    "the text search in '\(table)' runs once for each row of '\(outer)': begin with it, as FROM \(order) does"
  }
}

extension IndexObstacle {
  /// The reason and the way to write the term.
  public var sentence: String {
    let name = index.map { "the index '\($0)'" } ?? "the primary key"
    switch reason {
    case .like:
      return """
        \(name) compares with case, and LIKE ignores it: write \(rewritten) with the pattern 'text*' in place of \
        'text%', or set PRAGMA case_sensitive_like
        """
    case .expression:
      let converted = term.replacing("+ ", with: "") == rewritten ? "" : ", and convert the value"
      return "\(name) has the column itself: write \(rewritten) in place of \(term)\(converted)"
    case .range:
      let cause = term.contains("(") ? "function" : "expression"
      let hidden = "the \(cause) in \(term) hides the column from"
      let created = indexes.map(\.sql).joined(separator: "; ")
      return indexes.isEmpty
        ? "\(hidden) \(name): write \(rewritten)"
        : "\(hidden) every index: write \(rewritten), and \(created)"
    case .collation:
      return
        "\(name) has another collation than \(term): write \(rewritten), or declare the column with it"
    case .leftColumn(let collation):
      return """
        \(name) has another collation than \(collation), which the column on the left of \(term) decides: write \
        \(rewritten)
        """
    case .affinity(let left, let right):
      return """
        \(name) cannot serve \(term), which converts its column (\(left), \(right)): declare both with the same \
        type, or write \(rewritten)
        """
    case .optional:
      let created = indexes.map { "; \($0.sql)" }.joined()
      return """
        \(indexes.isEmpty ? name : "an index") cannot serve \(term), since a part of the OR has no column: leave the \
        term out where its value is NULL, and write \(rewritten) where it is not\(created)
        """
    case .tables:
      return """
        \(name) cannot serve \(term), which compares columns of several tables: write a SELECT for each, with \
        \(rewritten), and join them by UNION
        """
    case .parameter:
      return
        "\(name) is on an expression with a literal, and the statement binds it: write \(rewritten)"
    case .sameValue:
      return
        "\(name) is on the same value in other words: write \(rewritten) in place of \(term)"
    case .partial where !SQLTokenizer.tokens(of: term).contains(where: { $0.kind == .parameter }):
      return """
        \(name) is partial, and its WHERE has other words than \(term): write \(rewritten)
        """
    case .partial:
      return """
        \(name) is partial, and a bound value does not show that its WHERE is true: write \(rewritten) in a \
        statement of its own
        """
    case .keyset:
      return "\(name) finds the next rows by row values: write \(rewritten) in place of \(term)"
    case .count:
      let created = indexes.map { ", and \($0.sql)" }.joined()
      return """
        SQLite reads each row for \(term): write \(rewritten), which reads the pages of the smallest index\(created)
        """
    case .interval:
      return """
        \(name) finds the rows of one end of \(term): if no two intervals overlap, add \(rewritten)
        """
    case .order:
      let created = indexes.map { "\($0.sql), and " }.joined()
      return """
        \(name) finds many rows in another order, and LIMIT discards most: \(created)write \(rewritten), so that \
        SQLite reads the rows in order and stops
        """
    case .union(let view):
      return """
        \(name) is not used, since UNION in the view '\(view)' compares all rows to remove duplicates: write \
        UNION ALL if the SELECTs return different rows
        """
    }
  }
}
