// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import Foundation

/// The geo fetch in processes of their own, each traced in another way.
///
/// A session of root's records every process that has the tracepoints, and drops what it does not
/// want: so none lasts longer than its turn, and each worker reports whether it was recorded.
enum LadderCases {
  private static let off = "compiled in, off"
  private static let fetches = 2_000

  static func all(_ workspace: Workspace) throws -> [Comparison] {
    let fixture = try workspace.stops(GeoSearch.stops)
    let traces = workspace.folder.appending(path: "ladder-traces", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: traces, withIntermediateDirectories: true)
    return [
      Comparison(
        title: "Geo fetch of 15 of 12,800 stops, traced in all ways", units: (fetches, "fetch"),
        rounds: 21, weight: 5,
        contenders: rungs(workspace, traces).map { contender($0, workspace, fixture.url.path) },
        remark: {
          "Each is a process of its own in each round, warm and timed by its own clock; none but "
            + "the last is recorded while it runs, which each checks."
        },
        checks: {
          guard let report = workspace.program("trace-report") else { return [] }
          return [try completeness(of: traces, report)]
        })
    ]
  }

  private static func contender(
    _ rung: Rung, _ workspace: Workspace, _ store: String
  ) -> Contender {
    let time = Kept<Double?>(nil)
    return Contender(
      name: rung.name, goal: rung.goal, reference: rung.reference ?? off, time: { time.value }
    ) {
      let client = try GeoClient(
        rung.name, worker: rung.worker ?? workspace.worker, store: store,
        readsCounters: rung.readsCounters, recorder: rung.recorder(),
        environment: rung.environment)
      // Rows are cached from then on, and statements prepared.
      _ = try client.run(fetches / 2)
      let answer = try client.run(fetches)
      try client.finish()
      time.value = answer.time
      return answer.rows
    }
  }

  private struct Rung {
    var name: String
    var goal: Goal?
    var reference: String?
    var worker: URL?
    var readsCounters = false
    var environment: [String: String] = [:]
    /// The program before the worker; it is called for each round.
    var recorder: () -> [String] = { [] }
  }

  private static func rungs(_ workspace: Workspace, _ traces: URL) -> [Rung] {
    var rungs = [Rung(name: off)]
    if let untraced = workspace.untracedWorker {
      let out = "compiled out"
      rungs = [
        Rung(name: out, reference: out, worker: untraced),
        Rung(name: off, goal: .atMost(1.01), reference: out),
      ]
    }
    rungs.append(Rung(name: "off, counters read after each fetch", readsCounters: true))
    for level in 1...4 {
      rungs.append(
        Rung(
          name: "debug log, level \(level), to a file", goal: level == 1 ? .atMost(1.12) : nil,
          environment: [
            "STORE_SQL_DEBUG": "\(level)",
            "STORE_SQL_DEBUG_FILE": workspace.path("ladder-\(level).log"),
          ]))
    }
    if let report = workspace.program("trace-report") {
      rungs.append(
        Rung(
          name: "LTTng, all events", goal: .atMost(1.03),
          recorder: {
            let trace = traces.appending(path: UUID().uuidString).path
            return [report, "record", "-o", trace, "--"]
          }))
    }
    return rungs
  }

  /// Whether the recorder, at its default settings, lost an event in any round.
  private static func completeness(of traces: URL, _ report: String) throws -> Verdict {
    struct Summary: Decodable {
      struct Completeness: Decodable {
        let eventsRead: Int
        let eventsLost: Int
      }
      let completeness: Completeness
    }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: report)
    let folders = try FileManager.default.contentsOfDirectory(atPath: traces.path)
    process.arguments =
      ["summary", "--json"] + folders.map { traces.appending(path: $0).path }
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    // 3 is the report's word for lost events, which the JSON contains as well.
    guard [0, 3].contains(process.terminationStatus) else {
      throw BenchmarkError.program("trace-report summary", status: process.terminationStatus)
    }
    let completeness = try JSONDecoder().decode(Summary.self, from: data).completeness
    return Verdict(
      goal: "no event lost at the recorder's default settings",
      value: "\(Cell.count(Double(completeness.eventsLost))) lost, "
        + "\(Cell.count(Double(completeness.eventsRead))) read",
      outcome: completeness.eventsLost == 0 && completeness.eventsRead > 0 ? .met : .missed)
  }
}
