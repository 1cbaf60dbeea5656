// SPDX-License-Identifier: Apache-2.0

import BenchHarness
import Foundation
import Testing

@Suite struct ReportTests {
  private let comparison = Comparison(
    title: "Read a log", units: (1, "event"),
    contenders: [
      Contender(name: "cat", bytes: 100, time: { 100 }, memory: { 2_000_000 }) { 0 },
      Contender(
        name: "trace-report", goal: .megabytes(50), bytes: 100, published: "6.2 ms",
        time: { 400 }, memory: { 30_000_000 }
      ) { 0 },
      Contender(name: "again", reference: "trace-report", bytes: 100, time: { 800 }) { 0 },
    ], remark: { "Twice." },
    checks: { [Verdict(goal: "nothing lost", value: "0 lost", outcome: .met)] })

  private func run() -> Run {
    var run = Run(rounds: Rounds(most: 6, least: 6, budget: .zero)) { _ in }
    run.measure(suite: "report") { [comparison] }
    return run
  }

  @Test func aTableHasARowAContender() {
    let markdown = run().measurements[0].markdown
    #expect(
      markdown == """
        ### Read a log

        |  | time per event | ratio to cat | events per second | peak memory | published | goal |
        |---|---|---|---|---|---|---|
        | cat | 100 ns | 1 | 10,000,000, 1,000 MB/s | 2.0 MB |  |  |
        | trace-report | 400 ns | 4.00 (4.00–4.00) | 2,500,000, 250 MB/s | 30.0 MB | 6.2 ms \
        | ≤ 50 MB: met |
        | again | 800 ns | 2.00 (2.00–2.00) to trace-report | 1,250,000, 125 MB/s |  |  |  |

        6 rounds. Twice.
        """)
  }

  @Test func processorTimeHasAColumnWhereThreadsWork() {
    let contenders = ["one", "two", "elsewhere"].map { name in Contender(name: name) { 0 } }
    func table(_ processorTime: Double) -> String {
      Measurement(
        comparison: Comparison(title: "Fetch", units: (1, "row"), contenders: contenders),
        unitTimes: [[200], [110], [100]], processorTimes: [[200], [processorTime], []],
        memory: [nil, nil, nil]
      ).markdown
    }
    #expect(!table(130).contains("processor time"))
    #expect(
      table(210).contains(
        """
        |  | time per row | ratio to one | processor time |
        |---|---|---|---|
        | one | 200 ns | 1 | 200 ns |
        | two | 110 ns | 0.55 (0.55–0.55) | 210 ns |
        | elsewhere | 100 ns | 0.50 (0.50–0.50) |  |
        """))
  }

  @Test func goalsAndChecksAreInOneTable() {
    let markdown = report.markdown
    #expect(
      markdown.contains(
        """
        | path | goal | measured, 95% interval | |
        |---|---|---|---|
        | Read a log: trace-report | ≤ 50 MB | 30.0 MB | met |
        | Read a log | nothing lost | 0 lost | met |

        """))
    #expect(markdown.contains("- Not measured: what needs other programs.\n"))
  }

  private var report: Report {
    Report(
      machine: Machine(swift: "Swift 6.3", sqlite: "3.40.1"), run: run(),
      omissions: ["Not measured: what needs other programs."])
  }

  @Test func aDocumentKeepsWhatIsWrittenByHand() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).md").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "# Before\n<!-- bench -->\nold\n<!-- /bench -->\n\nAfter\n"
      .write(toFile: path, atomically: true, encoding: .utf8)
    try report.write(into: path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasPrefix("# Before\n<!-- bench -->\n\nMeasured on "))
    #expect(text.hasSuffix("6 rounds. Twice.\n\n<!-- /bench -->\n\nAfter\n"))
    #expect(!text.contains("old"))
  }

  @Test func aDocumentWithoutMarkersIsRefusedAndLeftAlone() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).md").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "# Before\n<!-- bench -->\n".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(throws: HarnessError.self) { try report.write(into: path) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "# Before\n<!-- bench -->\n")
  }
}
