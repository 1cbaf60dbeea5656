// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRendering

struct Merge: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Adds up saved reports, traces and logs of many runs, hosts and versions.",
    discussion: """
      trace-report merge host-a.json host-b.json yesterday.json -o fleet.json
      trace-report summary fleet.json --group-by version

      The result is a saved report: summary, diff, gate, html, export and merge read it. Sums and \
      distributions by form, plan, host, database, version and SQLite version are those of reading \
      all inputs at once. An input with a recording that another input also contains is refused \
      (3), so nothing is counted twice. Label runs with: trace-report record --label version=1.4
      """)

  @OptionGroup var inputs: Inputs

  @Option(
    name: .shortAndLong, help: "The file to write; standard output by default.",
    completion: .file())
  var output: String?

  @Option(
    help: "The maximum number of rows by form, host, version and plan; the rest are one row.")
  var maxForms = Bounds.forms

  @OptionGroup var texts: Texts

  func validate() throws {
    guard (1...1_000_000).contains(maxForms) else {
      throw ValidationError("--max-forms takes a number from 1 to 1000000, not \(maxForms).")
    }
  }

  func run() throws {
    let file = try OutputFile(output)
    var counted = CountedRecordings(requiresIdentity: true)
    var sum = ProfileSum(maxForms: maxForms)
    for path in inputs.paths {
      let profile = try Inputs.profile(of: [path])
      if profile.isEmpty { throw Failure.noEvents([path]) }
      try counted.add(profile, name: path)
      Self.checkClock(of: profile, path)
      sum.add(profile)
    }
    guard let merged = sum.profile else { return }
    try file.write(
      JSONText.encoded(
        ReportV1(SharedProfile(merged, withSQL: texts.withSQL), options: SummaryOptions(top: .max)))
    )
    try file.finish()
    guard let output else { return }
    let rows = merged.formRows
    let others = rows.first(where: \.isRest).map { ", \($0.title)" } ?? ""
    Output.print(
      "Wrote \(LogText.escaped(output)): "
        + "\(merged.reading.sources.count.counted("recording")) of "
        + "\(Set(rows.map(\.origin.host)).count.counted("host")), "
        + "\(Set(rows.map(\.form)).count.counted("form")) in \(rows.count.counted("row"))"
        + "\(others)\n")
  }

  // An hour is arbitrary: no clock that is set is off by that much.
  private static let maxAhead: Nanoseconds = 3_600_000_000_000

  /// Sums do not depend on clocks, but the dates of exported rows do.
  private static func checkClock(of profile: Profile, _ path: String) {
    let last = profile.reading.sources.compactMap(\.identity?.last).max() ?? 0
    let now = Date().timeIntervalSince1970 * 1e9
    guard Double(last) > now + Double(maxAhead) else { return }
    Output.complain(
      "\(LogText.quoted(path)) has events in the future: the clock of its host is ahead, or the "
        + "clock of this host is behind; sums do not depend on it")
  }
}
