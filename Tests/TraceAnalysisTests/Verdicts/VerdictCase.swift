// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import SQLiteDriver
import StoreEvents
import TestSupport

/// A database, and statements to judge on it.
struct VerdictSchema: Sendable, CustomStringConvertible {
  var name: String
  /// Creates and fills it.
  var setUp: String
  var statements: [String]
  var description: String { name }

  static let all: [Self] = [
    .shop, .joins, .views, .withoutRowid, .partialIndexes, .expressionIndexes, .fullText,
    .boxes, .jsonValues, .commonTables, .windows, .triggersAndKeys, .writes, .coreData,
    .collations, .emptyAndSmall,
  ]
}

/// The work of one run of a statement, by SQLite's own counters.
struct MeasuredTruth {
  var steps: Double
  var autoIndexRows: Double
  var vmSteps: UInt64
  var sorts: UInt64
  var rows: Double
  /// Whether a virtual table is read without its index, by the first letters of its plan.
  var readsWholeModule: Bool

  /// The rule of Documentation/Verdicts.md, written down a second time.
  var isScan: Bool {
    // A module's rows are no full-scan steps: three VM steps and more are taken for each.
    let read = steps + (readsWholeModule ? Double(vmSteps) / 3 : 0)
    return autoIndexRows >= 500 || (read >= 499 && read >= 4 * rows)
  }

  init(_ sql: String, on connection: Connection) throws {
    let plan = try connection.plan(sql).map(\.detail)
    readsWholeModule = plan.contains {
      $0.hasSuffix("VIRTUAL TABLE INDEX 0:") || $0.hasSuffix("VIRTUAL TABLE INDEX 2:")
    }
    try connection.execute("BEGIN")
    defer { try? connection.execute("ROLLBACK") }
    let statement = try connection.prepare(sql)
    var rows = 0
    while try statement.step() { rows += 1 }
    if !statement.isReadOnly { rows = connection.changes }
    let counters = statement.takeCounters()
    steps = Double(counters.fullScanSteps)
    autoIndexRows = Double(counters.autoIndexRows)
    (vmSteps, sorts) = (counters.vmSteps, counters.sorts)
    self.rows = Double(rows)
  }
}

/// How often a verdict was right.
struct VerdictScore {
  private(set) var truePositives = 0
  private(set) var falsePositives: [String] = []
  private(set) var falseNegatives: [String] = []
  private(set) var trueNegatives = 0

  mutating func add(_ sql: String, truth: Bool, verdict: Bool) {
    switch (truth, verdict) {
    case (true, true): truePositives += 1
    case (false, false): trueNegatives += 1
    case (false, true): falsePositives.append(sql)
    case (true, false): falseNegatives.append(sql)
    }
  }

  var count: Int { truePositives + trueNegatives + falsePositives.count + falseNegatives.count }
  var precision: Double { ratio(falsePositives.count) }
  var recall: Double { ratio(falseNegatives.count) }
  var summary: String {
    "\(count) statements, \(truePositives + falseNegatives.count) scans: "
      + "precision \(precision), recall \(recall)"
  }

  private func ratio(_ errors: Int) -> Double {
    let all = truePositives + errors
    return all == 0 ? 1 : Double(truePositives) / Double(all)
  }
}
