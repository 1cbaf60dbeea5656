// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

@main
struct StoreBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store-bench",
    abstract: "Measures the store beside the SQLite C API and GRDB, in one run.")

  @Option(help: "Rounds of each comparison.") var rounds = 15
  @Option(help: "Rows of the table.") var rows = 200_000

  @Option(help: "Only comparisons whose title contains this.") var filter = ""
  @Option(help: "Only this contender, as for a profiler.") var only: String?

  func run() throws {
    let fixture = try StopFixture(count: rows)
    for comparison in [
      try FetchCases.filled(fixture, rows: rows), try FetchCases.faults(fixture, rows: rows),
      try FetchCases.geo(fixture, repeats: 500),
    ] {
      guard filter.isEmpty || comparison.title.contains(filter) else { continue }
      let comparison = Comparison(
        title: comparison.title, units: comparison.units,
        contenders: comparison.contenders.filter { only == nil || $0.name == only })
      print(try comparison.measure(rounds: rounds).markdown, terminator: "\n\n")
    }
  }
}
