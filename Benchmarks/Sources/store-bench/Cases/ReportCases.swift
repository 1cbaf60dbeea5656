// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import Foundation

/// `trace-report` on long traces and logs, beside `babeltrace2` on the same traces.
enum ReportCases {
  static func all(_ workspace: Workspace) throws -> [Comparison] {
    guard let report = workspace.program("trace-report") else { return [] }
    let inputs = try workspace.scale.events.map { try Input($0, workspace, report) }
    let short = inputs.filter { !$0.isLong }
    var comparisons = [
      start(report, workspace), traces(short, report, workspace), logs(short, report, workspace),
      html(short[short.count - 1], report, workspace),
    ]
    for long in inputs where long.isLong {
      let inputs = Array(short.suffix(1)) + [long]
      comparisons += [traces(inputs, report, workspace), logs(inputs, report, workspace)]
    }
    return comparisons
  }

  /// A trace and a log of as many events, made by the same program.
  private struct Input {
    let events: Int
    let trace: String
    let log: String

    init(_ events: Int, _ workspace: Workspace, _ report: String) throws {
      self.events = events
      trace = workspace.path("events-\(events)")
      log = workspace.path("events-\(events).log")
      guard let emitter = workspace.program("event-emitter") else {
        throw BenchmarkError.program("event-emitter", status: 127)
      }
      let timer = ProgramTimer(workspace)
      try timer.run(
        [report, "record", "--lossless", "-o", trace, "--", emitter, "mix", "\(events)"])
      try timer.run(
        [emitter, "mix", "\(events)"],
        environment: ["STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": log])
    }

    /// Of the longest; a short one takes no longer than the program's start.
    func goal(_ speed: Goal, among inputs: [Input]) -> Goal? {
      let (short, long) = (inputs[0], inputs[inputs.count - 1])
      guard events == long.events, events >= 1_000_000 else { return nil }
      return isLong ? .both(speed, .memory(1.25, of: "trace-report, \(short.name)")) : speed
    }

    /// So long that few rounds have to do.
    var isLong: Bool { events > 1_000_000 }
    var name: String { "\(Cell.count(Double(events))) events" }
    var traceBytes: Int { Self.size(trace) }
    var logBytes: Int { Self.size(log) }

    private static func size(_ path: String) -> Int {
      let files = FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []
      return ([path] + files.map { "\(path)/\($0)" }).reduce(0) { sum, file in
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
        return sum + (attributes?[.size] as? Int ?? 0)
      }
    }
  }

  private static func start(_ report: String, _ workspace: Workspace) -> Comparison {
    Comparison(
      title: "Start a program", units: (1, "start"),
      contenders: [
        .program("babeltrace2 --version", ["babeltrace2", "--version"], in: workspace),
        .program(
          "trace-report --version", goal: .atMost(10), [report, "--version"], in: workspace),
      ])
  }

  private static func traces(
    _ inputs: [Input], _ report: String, _ workspace: Workspace
  ) -> Comparison {
    let contenders = inputs.flatMap { input -> [Contender] in
      let reference = "babeltrace2, dummy sink, \(input.name)"
      let goal = input.goal(.fasterThan(reference, times: 4), among: inputs)
      let text = Contender.program(
        "babeltrace2, text, \(input.name)", reference: reference, count: input.events,
        bytes: input.traceBytes, ["babeltrace2", input.trace], in: workspace)
      return [
        .program(
          reference, reference: reference, count: input.events, bytes: input.traceBytes,
          ["babeltrace2", input.trace, "-o", "dummy"], in: workspace),
        .program(
          "trace-report, \(input.name)", goal: goal, reference: reference, count: input.events,
          bytes: input.traceBytes, [report, "summary", input.trace], in: workspace),
      ] + (input.events == 100_000 ? [text] : [])
    }
    return Comparison(
      title: "Read an LTTng trace of up to \(inputs[inputs.count - 1].name): trace-report summary",
      units: (1, "event"), rounds: inputs.contains(where: \.isLong) ? 3 : 7, contenders: contenders)
  }

  private static func logs(
    _ inputs: [Input], _ report: String, _ workspace: Workspace
  ) -> Comparison {
    let contenders = inputs.flatMap { input -> [Contender] in
      // Of the same events: `cat` does not look at them.
      let reference = "babeltrace2, dummy sink, the trace of \(input.name)"
      let goal = input.goal(.atMost(1), among: inputs)
      return [
        .program(
          reference, reference: reference, count: input.events, bytes: input.traceBytes,
          ["babeltrace2", input.trace, "-o", "dummy"], in: workspace),
        .program(
          "trace-report, \(input.name)", goal: goal, reference: reference, count: input.events,
          bytes: input.logBytes, [report, "summary", input.log], in: workspace),
      ]
    }
    return Comparison(
      title: "Read a debug log of up to \(inputs[inputs.count - 1].name): trace-report summary",
      units: (1, "event"), rounds: inputs.contains(where: \.isLong) ? 3 : 7, contenders: contenders)
  }

  private static func html(
    _ input: Input, _ report: String, _ workspace: Workspace
  ) -> Comparison {
    let summary = "trace-report summary"
    let page = workspace.path("dashboard.html")
    return Comparison(
      title: "The dashboard of \(input.name): trace-report html", units: (input.events, "event"),
      rounds: 7,
      contenders: [
        .program(
          summary, bytes: input.traceBytes, [report, "summary", input.trace], in: workspace),
        .program(
          "trace-report html", goal: .atMost(1.3), bytes: input.traceBytes,
          [report, "html", input.trace, "-o", page], in: workspace),
      ],
      remark: {
        let size = try FileManager.default.attributesOfItem(atPath: page)[.size] as? Int ?? 0
        return "The page has \(Cell.count(Double(size) / 1e3)) kB."
      })
  }
}
