// SPDX-License-Identifier: Apache-2.0

/// A count that the gate compares: the same in every run of the same work on the same data.
public enum GateMetric: String, CaseIterable, Hashable, Sendable {
  case count, rows, cacheMisses, fullScanSteps, vmSteps, sorts, autoIndexRows
  case fetches, counts, faults, relationshipFaults, saves

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
    case .fetches: "fetches"
    case .counts: "counts"
    case .faults: "faults"
    case .relationshipFaults: "relationship faults"
    case .saves: "saves"
    }
  }

  /// Whether it is SQLite's work, which says how the rows were found.
  var isWork: Bool {
    switch self {
    case .fullScanSteps, .vmSteps, .sorts, .autoIndexRows: true
    default: false
    }
  }

  static let ofStatements: [(Self, any KeyPath<BaselineV1.Statement, UInt64> & Sendable)] = [
    (.count, \.count), (.rows, \.rows), (.cacheMisses, \.cacheMisses),
    (.fullScanSteps, \.fullScanSteps), (.vmSteps, \.vmSteps), (.sorts, \.sorts),
    (.autoIndexRows, \.autoIndexRows),
  ]

  static let ofTotals: [(Self, any KeyPath<BaselineV1.Totals, UInt64> & Sendable)] = [
    (.fetches, \.fetches), (.counts, \.counts), (.rows, \.rows), (.faults, \.faults),
    (.relationshipFaults, \.relationshipFaults), (.cacheMisses, \.cacheMisses),
    (.saves, \.saves),
  ]
}
