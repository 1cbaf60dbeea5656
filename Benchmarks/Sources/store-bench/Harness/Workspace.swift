// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import Foundation
import TransitModel

/// How large the work is.
struct Scale {
  var rows = 200_000
  var stops = 12_800
  var stopTimes = 3_000_000
  /// Lengths of the traces and logs that are read.
  var events = [100_000, 1_000_000, 10_000_000]
  var rounds = Rounds(most: 15, least: 9, budget: .seconds(8))

  static let full = Scale()
  static let quick = Scale(
    rows: 20_000, stops: 1_280, stopTimes: 60_000, events: [10_000, 100_000],
    rounds: Rounds(most: 9, least: 7, budget: .seconds(1)))
}

/// Where a run keeps its files, and the programs it runs.
final class Workspace {
  let scale: Scale
  let folder: URL
  /// The folder of `trace-report`, `transit` and `event-emitter`; nil leaves out what they do.
  let programs: URL?
  /// A `bench-worker` with the tracepoints compiled out.
  let untracedWorker: URL?
  /// What the comparisons of the suite that runs are measured on.
  var fixtures: [StopFixture] = []

  init(_ scale: Scale, programs: URL?, untracedWorker: URL?) throws {
    self.scale = scale
    self.programs = programs
    self.untracedWorker = untracedWorker
    folder = FileManager.default.temporaryDirectory
      .appending(path: "store-bench-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Makes a fixture that stays until its suite is done.
  func stops(_ count: Int) throws -> StopFixture {
    let fixture = try StopFixture(count: count)
    fixtures.append(fixture)
    return fixture
  }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// A program that was built beside this one.
  func sibling(_ name: String) -> URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: name)
  }

  var worker: URL { sibling("bench-worker") }

  func program(_ name: String) -> String? { programs?.appending(path: name).path }

  /// The store of the city, made on first use.
  func transitStore() throws -> String {
    let path = path("transit.sqlite")
    guard !FileManager.default.fileExists(atPath: path) else { return path }
    let city = City(stops: scale.stops, stopTimes: scale.stopTimes, seed: 1)
    try wait { try await NewStore.make(at: path, replacing: false) { try $0.write(city) } }
    return path
  }
}

/// Waits for asynchronous work; the benchmark has nothing else to do.
private func wait(_ work: @escaping @Sendable () async throws -> Void) throws {
  nonisolated(unsafe) var failure: (any Error)?
  let done = DispatchSemaphore(value: 0)
  Task {
    do { try await work() } catch { failure = error }
    done.signal()
  }
  done.wait()
  if let failure { throw failure }
}
