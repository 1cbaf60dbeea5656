// SPDX-License-Identifier: Apache-2.0

import Foundation

/// All that was measured in one run, as Markdown.
package struct Report {
  package var machine: Machine
  package var run: Run
  /// What this run could not or did not measure, and why.
  package var omissions: [String]

  package init(machine: Machine, run: Run, omissions: [String] = []) {
    (self.machine, self.run, self.omissions) = (machine, run, omissions)
  }

  package var markdown: String {
    var parts = ["\(machine.markdown) The measurements took \(Cell.clock(run.elapsed))."]
    let notes = omissions + run.remarks
    if !notes.isEmpty { parts.append(notes.map { "- \($0)" }.joined(separator: "\n")) }
    if !run.failures.isEmpty { parts.append(failures) }
    return (parts + [goals] + run.measurements.map(\.markdown)).joined(separator: "\n\n") + "\n"
  }

  private var failures: String {
    let rows = run.failures.map { "- \($0.path): \($0.reason)" }
    return "### Failed, and not in the tables\n\n" + rows.joined(separator: "\n")
  }

  /// The goals of all comparisons in one table.
  private var goals: String {
    let rows = run.measurements.flatMap { measurement in
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
  /// - Throws: ``HarnessError/markers(_:)`` if it has none.
  package func write(into path: String) throws {
    let (before, after) = try Self.surroundings(in: path)
    try "\(before)\n\(markdown)\n\(after)".write(toFile: path, atomically: true, encoding: .utf8)
  }

  /// What stands in a document up to its first marker, and from its second on.
  ///
  /// - Throws: ``HarnessError/markers(_:)`` if it has none.
  package static func surroundings(in path: String) throws -> (before: String, after: String) {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard let begin = text.range(of: "<!-- bench -->\n"),
      let end = text.range(of: "<!-- /bench -->", range: begin.upperBound..<text.endIndex)
    else { throw HarnessError.markers(path) }
    return (String(text[..<begin.upperBound]), String(text[end.lowerBound...]))
  }
}
