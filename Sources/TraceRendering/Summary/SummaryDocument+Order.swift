// SPDX-License-Identifier: Apache-2.0

import TraceAnalysis

extension SummaryOptions.Order {
  var title: String {
    switch self {
    case .total: "total time"
    case .count: "runs"
    case .rows: "rows"
    case .mean: "mean time"
    case .p50: "median"
    case .p95: "95th percentile"
    case .p99: "99th percentile"
    case .max: "longest run"
    case .misses: "cache misses"
    case .vmSteps: "VM steps"
    case .fullScanSteps: "full-scan steps"
    }
  }
}

extension Profile {
  /// The statements, largest first; equal ones keep the order of their total time.
  func statements(by order: SummaryOptions.Order) -> [StatementProfile] {
    statements.sorted(byLargest: { order.amount($0.work, $0.latency, misses: $0.misses) })
  }

  /// The statements of one form together, largest first.
  func statementGroups(by order: SummaryOptions.Order) -> [StatementGroup] {
    statementGroups.values
      .sorted { ($1.work.totalTime, $0.fingerprint) < ($0.work.totalTime, $1.fingerprint) }
      .sorted(byLargest: { order.amount($0.work, $0.latency, misses: $0.misses) })
  }
}

extension [GroupProfile] {
  func sorted(by order: SummaryOptions.Order) -> Self {
    order == .total
      ? self : sorted(byLargest: { order.amount($0.work, $0.latency, misses: $0.cacheMisses) })
  }
}

extension Sequence {
  /// Sorts by an amount, largest first; equal ones keep their order.
  fileprivate func sorted(byLargest amount: (Element) -> Double) -> [Element] {
    enumerated().map { (offset: $0.offset, element: $0.element, amount: amount($0.element)) }
      .sorted { ($1.amount, $0.offset) < ($0.amount, $1.offset) }
      .map(\.element)
  }
}

extension SummaryOptions.Order {
  func amount(_ work: StatementCounts, _ latency: Latency, misses: UInt64) -> Double {
    switch self {
    case .total: Double(work.totalTime)
    case .count: Double(work.count)
    case .rows: Double(work.rows)
    case .mean: work.meanTime
    case .p50: Double(latency.p50)
    case .p95: Double(latency.p95)
    case .p99: Double(latency.p99)
    case .max: Double(latency.max)
    case .misses: Double(misses)
    case .vmSteps: Double(work.vmSteps)
    case .fullScanSteps: Double(work.fullScanSteps)
    }
  }
}
