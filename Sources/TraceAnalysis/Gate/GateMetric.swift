// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// A count that a baseline has, by its key there.
///
/// The gate compares them: they are the same in every run of the same work on the same data.
public struct GateMetric: RawRepresentable, Codable, Hashable, Sendable {
  /// The key of the baseline: `vmSteps`.
  public var rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  /// Runs of a statement.
  public static let count = Self(rawValue: "count")
  /// Rows returned.
  public static let rows = Self(rawValue: "rows")
  /// Faults that were read from the database.
  public static let cacheMisses = Self(rawValue: "cacheMisses")
  /// Rows inserted, updated or deleted.
  public static let changes = Self(rawValue: "changes")
  /// Runs that failed.
  public static let errors = Self(rawValue: "errors")
  /// Transactions that ended with a run.
  public static let commits = Self(rawValue: "commits")
  /// Fetches of a run.
  public static let fetches = Self(rawValue: "fetches")
  /// Fetches that only count.
  public static let counts = Self(rawValue: "counts")
  /// Objects that were read when their values were needed.
  public static let faults = Self(rawValue: "faults")
  /// Steps of SQLite's virtual machine.
  public static let vmSteps = Self(rawValue: "vmSteps")
  /// Steps through a table without an index.
  public static let fullScanSteps = Self(rawValue: "fullScanSteps")

  /// The words for it.
  public var title: String { Self.titles[rawValue] ?? rawValue }

  /// Whether it is SQLite's work, which depends on how the rows were found.
  var isWork: Bool { WorkMetric.counters.contains { $0.key == rawValue } }

  typealias OfStatement = @Sendable (BaselineV1.Statement) -> UInt64?
  typealias OfTotals = @Sendable (BaselineV1.Totals) -> UInt64?

  /// Nil where a source does not count it.
  static let ofStatements: [(Self, OfStatement)] =
    [(.count, \.count), (.rows, \.rows), (.cacheMisses, \.cacheMisses)]
    // In the order of the lines of older baselines.
    + ([1, 0] + WorkMetric.counters.indices.dropFirst(2)).map { index in
      (Self(rawValue: WorkMetric.counters[index].key), { $0.counters.values[index] })
    }
    + [(.changes, \.changes), (.errors, \.errors), (.commits, \.commits)]

  /// The count of a statement.
  var ofStatement: OfStatement? { Self.ofStatements.first { $0.0 == self }?.1 }

  /// Nil where a source does not count it.
  static let ofTotals: [(Self, OfTotals)] = totals.map { total in
    let value: OfTotals = {
      $0.measured?.contains(total.measure) == false ? nil : total.of($0)
    }
    return (Self(rawValue: total.key), total.measure.isEmpty ? total.of : value)
  }

  private typealias Total = (key: String, title: String, measure: String, of: OfTotals)

  private static let totals: [Total] = [
    ("fetches", "fetches", "fetches", \.fetches), ("counts", "counts", "fetches", \.counts),
    ("rows", "rows", "fetches", \.rows), ("faults", "faults", "faults", \.faults),
    ("relationshipFaults", "relationship faults", "faults", \.relationshipFaults),
    ("cacheMisses", "cache misses", "cacheMisses", \.cacheMisses),
    ("saves", "saves", "saves", \.saves), ("inserted", "rows inserted", "saves", \.inserted),
    ("updated", "rows updated", "saves", \.updated),
    ("deleted", "rows deleted", "saves", \.deleted),
    ("saveStatements", "statements of saves", "saves", \.saveStatements),
    ("errors", "failures", "", \.errors),
    ("busyFailures", "lock waits given up", "lockWaits", \.busyFailures),
  ]

  private static let titles = Dictionary(
    totals.map { ($0.key, $0.title) } + WorkMetric.counters.map { ($0.key, $0.title) }
      + [("count", "runs"), ("changes", "rows changed")]
  ) { first, _ in first }
}

extension BaselineV1.StatementFields {
  /// Whether its VM steps depend on it alone: emptying a table searches the tables that refer to
  /// its rows, which costs less if they were emptied before.
  var hasOwnSteps: Bool { !StatementCommand.emptiesTable(sql) }
}
