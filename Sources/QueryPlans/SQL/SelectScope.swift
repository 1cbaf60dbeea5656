// SPDX-License-Identifier: Apache-2.0

/// One SELECT (or UPDATE, or DELETE) of a statement: its tables and its clauses.
struct SelectScope: Hashable {
  /// The position of the SELECT.
  enum Role: Hashable {
    case statement
    case commonTable(String)
    case from
    case expression
    case exists
  }

  /// One table of a FROM clause.
  struct Source: Hashable {
    /// The name by which the rest of the SELECT and the plan call it; "" for a nameless subquery.
    var alias: String
    /// nil for a subquery.
    var table: String?
    /// The name of an attached database; nil for the main one.
    var schema: String?
    /// The index of a subquery's SELECT among the scopes; nil for a table, and for a subquery with WITH.
    var select: Int?
  }

  var role: Role
  /// The number of SELECTs that contain it.
  var depth: Int
  /// The tokens from the word SELECT to its end, nested SELECTs included.
  var extent = 0..<0
  var sources: [Source] = []
  /// The tokens between SELECT and FROM, `DISTINCT` included.
  var columns: Range<Int>?
  /// The tokens between WHERE and the next clause.
  var filter: Range<Int>?
  var hasJoinCondition = false
  /// The tokens of each ON, up to the next join.
  var joinConditions: [Range<Int>] = []
  var hasGroupBy = false
  var hasOrderBy = false
  /// The tokens between ORDER and the next clause, `BY` included.
  var order: Range<Int>?
  var isDistinct = false
  var hasAggregate = false
  /// The tokens between LIMIT and the end.
  var limit: Range<Int>?

  /// Whether it stops reading as soon as it has its rows, whatever the rows are.
  var isBounded: Bool {
    (limit != nil || role == .exists) && filter == nil && !hasJoinCondition && !hasGroupBy
      && !isDistinct && !hasAggregate
  }

  /// Whether it returns or aggregates each row of one table or subquery.
  var readsAllRows: Bool {
    sources.count == 1 && filter == nil && !hasGroupBy && !isDistinct && limit == nil
  }

  func source(named name: String) -> Source? {
    // NB: SQLite 3.40 prints `SCAN ZSTOP` for `SELECT COUNT(*) FROM ZSTOP t0`.
    sources.first { $0.alias.lowercased() == name.lowercased() }
      ?? sources.first { $0.table?.lowercased() == name.lowercased() }
      // `SCAN archive.stop`
      ?? sources.first { source in
        source.schema.map { "\($0).\(source.table ?? "")".lowercased() } == name.lowercased()
      }
  }
}
