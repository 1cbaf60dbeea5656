// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Counts the instructions and allocations of the hot paths, and holds them against thresholds.
///
///     bench-counts WORKER THRESHOLDS SWIFT-VERSION PROGRAMS [--update]
///
/// PROGRAMS is the folder of `trace-report` and `event-emitter`.
/// Exit codes are the gate's: 0 fine, 1 failed, 2 a regression, 3 inconclusive, 64 usage.
@main
enum BenchCounts {
  /// How often each path is taken; so often that what it takes once does not show.
  ///
  /// From 10,000 rows a second thread makes the objects of a fetch: `longFetch` counts both.
  private static let paths = [
    "cacheMiss": 5_000, "cachedFault": 20_000, "fetchFaults": 9_000, "fetchFilled": 9_000,
    "longFetch": 40_000,
    "geoFetch": 200, "insertAndSave": 10_000, "tracingOff": 100_000, "emptyFetch": 500,
    "textSearch": 200, "updateAndSave": 10_000, "saveOne": 200, "openStore": 20,
    "prefetchMembers": 10_000, "faultMembers": 10_000, "batches": 10_000,
  ]

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 5 || arguments.count == 6 && arguments[5] == "--update" else {
      complain("usage: bench-counts WORKER THRESHOLDS SWIFT-VERSION PROGRAMS [--update]")
      exit(64)
    }
    do {
      let counter = PathCounter(worker: arguments[1])
      let environment = try counter.environment(swift: arguments[3])
      let isUpdate = arguments.count == 6
      guard isUpdate || FileManager.default.fileExists(atPath: arguments[2]) else {
        complain("no thresholds at '\(arguments[2])'; 'make bench-counts UPDATE=1' makes them")
        exit(3)
      }
      let known = isUpdate ? nil : try Thresholds(contentsOf: arguments[2])
      var counts = try ReadingCounter(programs: arguments[4], counter: counter).counts()
      for (path, count) in paths.sorted(by: { $0.key < $1.key }) {
        complain("counting \(path)")
        counts[path] = try counter.count(path, count)
      }
      let now = Thresholds(environment: environment, paths: counts)
      if let known { exit(check(now, against: known)) }
      try now.write(to: arguments[2])
      print("wrote \(arguments[2])")
    } catch {
      complain("\(error)")
      exit(1)
    }
  }

  private static func check(_ now: Thresholds, against known: Thresholds) -> Int32 {
    print("per unit: a row, a fault, an object, a member, a fetch, a save, an opening, an event")
    let differences = now.paths.sorted { $0.key < $1.key }.flatMap { path, counts in
      [
        Difference(
          path: path, kind: "instructions", before: known.paths[path]?.instructions,
          now: counts.instructions, tolerancePercent: known.tolerancePercent.instructions),
        counts.allocations.map {
          Difference(
            path: path, kind: "allocations", before: known.paths[path]?.allocations, now: $0,
            tolerancePercent: known.tolerancePercent.allocations ?? 0)
        },
      ].compactMap(\.self)
    }
    for difference in differences { print(difference.text) }
    let others = now.environment.filter { known.environment[$0.key] != $0.value }
    for (name, value) in others.sorted(by: { $0.key < $1.key }) {
      print("inconclusive: \(name) is \(value), and was \(known.environment[name] ?? "unknown")")
    }
    if !others.isEmpty {
      print("counts compare only with the same; 'make bench-counts UPDATE=1' makes new thresholds")
      return 3
    }
    let verdicts = Set(differences.map(\.verdict))
    if verdicts.contains(.worse) { return 2 }
    return verdicts.contains(.unknown) ? 3 : 0
  }
}

func complain(_ text: String) {
  FileHandle.standardError.write(Data("bench-counts: \(text)\n".utf8))
}
