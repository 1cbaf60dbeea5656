// SPDX-License-Identifier: Apache-2.0

/// The operation of one step of a plan.
///
/// See <https://www.sqlite.org/eqp.html>.
public enum PlanFact: Hashable, Sendable {
  /// Reads all rows.
  case scan(TableAccess)
  /// Reads the rows that an index or the rowid finds.
  case search(TableAccess)
  /// No table is read.
  case constantRows
  /// A sort or a set without an index: `ORDER BY`, `RIGHT PART OF ORDER BY`, `GROUP BY`, `DISTINCT`.
  case temporaryBTree(purpose: String)
  case subquery(isList: Bool, isCorrelated: Bool)
  case materialize(String)
  case coroutine(String)
  case multiIndexOr
  /// `INDEX 1`: one term of a ``multiIndexOr``.
  case indexTerm
  /// `COMPOUND QUERY`, `LEFT-MOST SUBQUERY`, `UNION ALL`, `MERGE (EXCEPT)`, …
  case compound(String)
  case bloomFilter(TableAccess)
  case recursiveSetup
  case recursiveStep
  case rightJoin(String)
  /// Words of an SQLite newer than this.
  case other
}

extension PlanFact {
  /// The table that the step reads, and how.
  public var access: TableAccess? {
    switch self {
    case .scan(let access), .search(let access), .bloomFilter(let access): access
    default: nil
    }
  }
}

/// How a step reads a table.
public struct TableAccess: Hashable, Sendable {
  /// The means by which rows are found, or their order kept.
  public enum Index: Hashable, Sendable {
    case named(String, isCovering: Bool)
    /// Made for this run of the statement, and thrown away.
    case automatic(isCovering: Bool)
    case rowid
    /// The primary key of a table WITHOUT ROWID.
    case primaryKey
    /// `idxNum:idxStr`, known to the table's own module only.
    case virtualTable(String)
  }

  /// The rows of a step, as the words of some versions have them.
  public enum Rows: Hashable, Sendable {
    /// SQLite's estimate of the rows that the step passes on: `(~6944 rows)`.
    case estimated(Int)
    /// The rows that each run of the step read: `(loops=1 rows=1000)`.
    case counted(Int)
  }

  /// The name in the statement: the alias if there is one.
  public var name: String
  /// The table of the name; nil for a subquery, or if it could not be resolved.
  public var table: String?
  public var index: Index?
  /// SQLite's words, such as `ZLONGITUDE>? AND ZLONGITUDE<?`.
  public var constraint: String?
  public var isLeftJoin = false
  /// Whether it reads the rows of a subquery or of a common table.
  public var isSubquery = false
  /// The estimated rows; nil if the words of the plan have none.
  public var rows: Rows?

  public init(name: String) { self.name = name }

  /// Whether a virtual table's module finds its rows, by an index or without.
  var isOfModule: Bool { if case .virtualTable = index { true } else { false } }
}
