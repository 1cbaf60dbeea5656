// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import QueryPlans
import TraceAnalysis
import TraceReading
import TraceRendering

/// The inputs of a command that are plans as text.
enum PlanTextSource {
  /// The plans of each input that is a text with plans.
  static func listings(in paths: [String]) throws -> [String: [PlanTranscript.Listing]] {
    // A named pipe without a writer waits.
    if !paths.isEmpty { ReadingInterruption.catchSignals() }
    return try paths.reduce(into: [:]) { texts, path in
      texts[path] = try PlanTexts.listings(in: path)
    }
  }

  /// The command for inputs that are plans as text alone; nil if one of them is a trace, a log or a report.
  static func command(
    for paths: [String], database: String?, json: Bool = false, failsOnScan: Bool = false
  ) throws -> Plans? {
    let texts = try listings(in: paths)
    guard !paths.isEmpty, paths.allSatisfy({ texts[$0] != nil }) else { return nil }
    var arguments = paths + (database.map { ["--database", $0] } ?? [])
    if json { arguments.append("--json") }
    if failsOnScan { arguments += ["--fail-on", "scan"] }
    return try Plans.parse(arguments)
  }
}

extension PlansReport {
  /// The plans of texts and of logs, without a database.
  init(_ listings: [PlanTranscript.Listing], plansOf statements: StatementSource.Statements) {
    let traced = statements.list.compactMap { statement -> Entry? in
      statements.plans[SQLFingerprint(sql: statement.sql)].map { listing in
        Entry(
          listing, explanation: listing.explanation(work: statement.work),
          traced: (statement.id, statement.work))
      }
    }
    self.init(
      database: nil, sqliteVersion: nil,
      entries: listings.map { .init($0, explanation: $0.explanation()) } + traced,
      byForm: listings.isEmpty)
  }
}
