// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import Foundation

/// The geo fetch in processes that take turns, each traced in another way.
enum LadderCases {
  private static let off = "compiled in, off"

  static func all(_ workspace: Workspace) throws -> [Comparison] {
    let fixture = try workspace.stops(GeoSearch.stops)
    let trace = workspace.path("ladder-trace")
    let clients = try rungs(workspace, trace).map { rung in
      (
        rung,
        try GeoClient(
          rung.name, worker: rung.worker ?? workspace.worker, store: fixture.url.path,
          readsCounters: rung.readsCounters, recorder: rung.recorder,
          environment: rung.environment)
      )
    }
    let repeats = 1_000
    return [
      Comparison(
        title: "Geo fetch of 15 of 12,800 stops, traced in all ways", units: (repeats, "fetch"),
        rounds: 31,
        contenders: clients.map { rung, client in
          Contender(name: rung.name, goal: rung.goal, reference: rung.reference ?? off) {
            try client.run(repeats)
          }
        },
        checks: {
          for (_, client) in clients { try client.finish() }
          guard let report = workspace.program("trace-report") else { return [] }
          return [try completeness(of: trace, report)]
        })
    ]
  }

  private struct Rung {
    var name: String
    var goal: Goal?
    var reference: String?
    var worker: URL?
    var readsCounters = false
    var environment: [String: String] = [:]
    var recorder: [String] = []
  }

  private static func rungs(_ workspace: Workspace, _ trace: String) -> [Rung] {
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
          name: "debug log, level \(level), to a file", goal: level == 1 ? .atMost(1.15) : nil,
          environment: [
            "STORE_SQL_DEBUG": "\(level)",
            "STORE_SQL_DEBUG_FILE": workspace.path("ladder-\(level).log"),
          ]))
    }
    if let report = workspace.program("trace-report") {
      rungs.append(
        Rung(
          name: "LTTng, all events", goal: .atMost(1.03),
          recorder: [report, "record", "-o", trace, "--"]))
    }
    return rungs
  }

  /// Whether the recorder, at its default settings, lost an event.
  private static func completeness(of trace: String, _ report: String) throws -> Verdict {
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
    process.arguments = ["summary", "--json", trace]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    // 3 is the report's word for lost events, which the JSON tells as well.
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
