// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
public import TraceAnalysis

/// The statements of a profile as comma-separated values; statements of one form share a row.
public enum StatementTable {
  static let columns =
    [
      "sql", "entity", "caller", "runs", "rows", "cache_misses", "errors", "total_ns", "mean_ns",
      "p50_ns", "p95_ns", "p99_ns", "max_ns",
    ] + WorkMetric.all.map(\.column)

  /// Longest total time first; each sentence on missing data is a comment of SQL at the end.
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
    row.append(work.count)
    row.append(known: work.known(\.rows))
    row.append(known: group.work.measures.contains(.cacheMisses) ? group.misses : nil)
    row.append(work.errors)
    let total = work.known(\.totalTime)
    row.append(known: total)
    if total == nil { row.skip() } else { row.append(work.meanTime) }
    for time in [group.latency.p50, group.latency.p95, group.latency.p99, group.latency.max] {
      row.append(known: total == nil ? nil : time)
    }
    for metric in WorkMetric.all { row.append(known: work.known(metric)) }
    return row.finished
  }
}
