// SPDX-License-Identifier: Apache-2.0

/// A count that the gate compares: the same in every run of the same work on the same data.
public enum GateMetric: String, CaseIterable, Hashable, Sendable {
  /// A count of one statement.
  case count, rows, cacheMisses, fullScanSteps, vmSteps, sorts, autoIndexRows, changes
  /// A total of the run.
  case fetches, counts, faults, relationshipFaults, saves
  /// A total of all saves.
  case inserted, updated, deleted, saveStatements
  /// A total of the failures of the run.
  case errors, busyFailures

  /// The words for it.
  public var title: String {
    switch self {
    case .count: "runs"
    case .rows: "rows"
    case .cacheMisses: "cache misses"
    case .fullScanSteps: "full-scan steps"
    case .vmSteps: "VM steps"
    case .sorts: "sorts"
    case .autoIndexRows: "automatic index rows"
    case .changes: "rows changed"
    case .fetches: "fetches"
    case .counts: "counts"
    case .faults: "faults"
    case .relationshipFaults: "relationship faults"
    case .saves: "saves"
    case .inserted: "rows inserted"
    case .updated: "rows updated"
    case .deleted: "rows deleted"
    case .saveStatements: "statements of saves"
    case .errors: "failures"
    case .busyFailures: "lock waits given up"
    }
  }

  /// Whether it is SQLite's work, which depends on how the rows were found.
  var isWork: Bool {
    switch self {
    case .fullScanSteps, .vmSteps, .sorts, .autoIndexRows: true
    default: false
    }
  }

  typealias OfStatement = @Sendable (BaselineV1.Statement) -> UInt64?
  typealias OfTotals = @Sendable (BaselineV1.Totals) -> UInt64?

  /// Nil where a source does not count it.
  static let ofStatements: [(Self, OfStatement)] = [
    (.count, \.count), (.rows, \.rows), (.cacheMisses, \.cacheMisses),
    (.fullScanSteps, \.fullScanSteps), (.vmSteps, \.vmSteps), (.sorts, \.sorts),
    (.autoIndexRows, \.autoIndexRows), (.changes, \.changes), (.errors, \.errors),
  ]

  /// Nil where a source does not count it.
  static let ofTotals: [(Self, OfTotals)] = [
    (.fetches, { $0.known($0.fetches, "fetches") }), (.counts, { $0.known($0.counts, "fetches") }),
    (.rows, { $0.known($0.rows, "fetches") }), (.faults, { $0.known($0.faults, "faults") }),
    (.relationshipFaults, { $0.known($0.relationshipFaults, "faults") }),
    (.cacheMisses, { $0.known($0.cacheMisses, "cacheMisses") }),
    (.saves, { $0.known($0.saves, "saves") }), (.inserted, { $0.known($0.inserted, "saves") }),
    (.updated, { $0.known($0.updated, "saves") }), (.deleted, { $0.known($0.deleted, "saves") }),
    (.saveStatements, { $0.known($0.saveStatements, "saves") }), (.errors, \.errors),
    (.busyFailures, { $0.known($0.busyFailures, "lockWaits") }),
  ]
}
