// SPDX-License-Identifier: Apache-2.0

/// One row of `EXPLAIN QUERY PLAN`.
///
/// See <https://www.sqlite.org/eqp.html>.
public struct PlanStep: Hashable, Sendable {
  /// SQLite's number of the step.
  public var id: Int64
  /// The id of the step this one is a part of, or 0.
  public var parent: Int64
  /// SQLite's words, such as `SEARCH t0 USING INDEX i (ZLONGITUDE>? AND ZLONGITUDE<?)`.
  public var detail: String

  public init(id: Int64, parent: Int64, detail: String) {
    self.id = id
    self.parent = parent
    self.detail = detail
  }

  /// Whether the step reads a whole table: SCAN without an index.
  ///
  /// Read by the debug log's `warning:` lines; `QueryPlans` judges whether it matters.
  public var isTableScan: Bool {
    detail.hasPrefix("SCAN ") && !detail.contains(" USING ")
      && !detail.hasPrefix("SCAN CONSTANT ROW") && !detail.contains("VIRTUAL TABLE")
  }
}

extension Connection {
  /// Returns how SQLite would run a statement, without running it.
  ///
  ///     try connection.plan("SELECT * FROM ZSTOP t0")
  ///     // EXPLAIN QUERY PLAN SELECT * FROM ZSTOP t0
  ///     // SCAN t0
  ///
  /// The plan of LIKE, of GLOB and of a partial index depends on the values that are bound.
  ///
  /// - Throws: ``SQLiteError`` if the SQL does not compile.
  public func plan(
    _ sql: String, binding bind: (Statement) -> Void = { _ in }
  ) throws(SQLiteError) -> [PlanStep] {
    let prefix = "EXPLAIN QUERY PLAN "
    let statement: Statement
    do {
      statement = try prepare(prefix + sql)
    } catch {
      throw SQLiteError(
        extendedCode: error.extendedCode, message: error.message, sql: sql,
        offset: error.offset.map { max(0, $0 - prefix.utf8.count) })
    }
    bind(statement)
    var steps: [PlanStep] = []
    while try statement.step() {
      steps.append(
        PlanStep(id: statement.int64(0), parent: statement.int64(1), detail: statement.string(3)))
    }
    return steps
  }
}
