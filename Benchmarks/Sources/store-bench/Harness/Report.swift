// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import Foundation

/// All that was measured in one run, as Markdown.
struct Report {
  var machine: Machine
  var measurements: [Measurement] = []
  /// What this run could not or did not measure, and why.
  var omissions: [String] = []

  var markdown: String {
    var parts = [machine.markdown]
    if !omissions.isEmpty { parts.append(omissions.map { "- \($0)" }.joined(separator: "\n")) }
    return (parts + [goals] + measurements.map(\.markdown)).joined(separator: "\n\n") + "\n"
  }

  /// The goals of all comparisons in one table.
  private var goals: String {
    let rows = measurements.flatMap { measurement in
      measurement.comparison.contenders.indices.flatMap { index in
        measurement.verdicts(index).map {
          row(measurement, ": " + measurement.comparison.contenders[index].name, $0)
        }
      } + measurement.checks.map { row(measurement, "", $0) }
    }
    guard !rows.isEmpty else { return "### Goals\n\nNone in this run." }
    let head = ["### Goals", "", "| path | goal | measured, 95% interval | |", "|---|---|---|---|"]
    return (head + rows).joined(separator: "\n")
  }

  private func row(_ measurement: Measurement, _ contender: String, _ verdict: Verdict) -> String {
    "| \(measurement.comparison.title)\(contender) | \(verdict.goal) | \(verdict.value) "
      + "| \(verdict.outcome.rawValue) |"
  }

  /// Writes the report into a document between its markers, and leaves the rest as it is.
  ///
  /// - Throws: ``BenchmarkError/markers(_:)`` if it has none.
  func write(into path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard let begin = text.range(of: "<!-- bench -->\n"),
      let end = text.range(of: "<!-- /bench -->", range: begin.upperBound..<text.endIndex)
    else { throw BenchmarkError.markers(path) }
    let new = text[..<begin.upperBound] + "\n" + markdown + "\n" + text[end.lowerBound...]
    try new.write(toFile: path, atomically: true, encoding: .utf8)
  }
}
