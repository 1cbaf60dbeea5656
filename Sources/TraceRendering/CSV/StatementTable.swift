// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import TraceAnalysis

/// The statements of a profile as comma-separated values, those of one form together.
public enum StatementTable {
  static let columns = [
    "sql", "entity", "caller", "runs", "rows", "cache_misses", "errors", "total_ns", "mean_ns",
    "p50_ns", "p95_ns", "p99_ns", "max_ns", "wait_ns", "prepare_ns", "step_ns", "materialize_ns",
    "connection_ns", "vm_steps", "fullscan_steps", "sorts", "autoindex_rows",
  ]

  /// Longest total time first; each sentence on what is missing is a comment of SQL at the end.
  public static func csv(_ profile: Profile) -> String {
    var head = CSVRow()
    for column in columns { head.append(column) }
    return head.finished + profile.statementGroups(by: .total).map(row).joined()
      + profile.completeness.doubts.map(missing).joined()
  }

  private static func missing(_ sentence: String) -> String {
    var row = CSVRow()
    row.append("/* incomplete: \(sentence) */")
    row.skip(columns.count - 1)
    return row.finished
  }

  private static func row(_ group: StatementGroup) -> String {
    let work = group.work
    var row = CSVRow()
    row.append(group.statement.sql == nil ? "" : group.fingerprint.description)
    row.append(group.statement.entity)
    row.append(group.caller.text ?? "")
    for count in [work.count, work.rows, group.misses, work.errors] { row.append(count) }
    row.append(work.totalTime)
    row.append(work.meanTime)
    for time in [
      group.latency.p50, group.latency.p95, group.latency.p99, group.latency.max, work.waitTime,
      work.prepareTime, work.stepTime, work.materializeTime, work.connectionTime,
    ] { row.append(time) }
    for count in [work.vmSteps, work.fullScanSteps, work.sorts, work.autoIndexRows] {
      row.append(count)
    }
    return row.finished
  }
}
