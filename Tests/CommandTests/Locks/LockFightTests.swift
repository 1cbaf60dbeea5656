// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess
import TestSupport
import TraceRendering
import Testing

/// Four programs fight over a database, each writes down when it held the lock, and `locks` samples.
@Suite(.serialized) struct LockFightTests {
  private static let sampleCount =
    Int(ProcessInfo.processInfo.environment["LOCK_SAMPLES"] ?? "") ?? 1000

  @Test(arguments: [true, false])
  func namesTheHolderAtEachMoment(isWAL: Bool) async throws {
    let folder = try TemporaryDirectory()
    let fighters = try await Fighter.four(in: folder, isWAL: isWAL)
    defer { for fighter in fighters { fighter.end() } }
    let run = try await Program("trace-report").run(
      "locks", folder.path("app.db"), "--watch", "4ms", "--count", "\(Self.sampleCount)", "--json")
    try Data().write(to: URL(filePath: folder.path("stop")))
    #expect(run.status == 0, "\(run.error)")
    let samples = try run.output.split(separator: "\n").map {
      try JSONDecoder().decode(LocksV1.self, from: Data($0.utf8))
    }
    #expect(samples.count == Self.sampleCount)
    #expect(samples.allSatisfy { $0.journalMode == (isWAL ? "wal" : "rollback") })
    try check(samples, fighters)
  }

  private func check(_ samples: [LocksV1], _ fighters: [Fighter]) throws {
    var named: [Int32: Int] = [:]
    var certain = 0
    for fighter in fighters {
      let turns = try fighter.turns()
      for sample in samples {
        let (from, until) = (sample.observedFromNs, sample.observedUntilNs)
        let isNamed = sample.writers.contains { $0.process.pid == fighter.pid }
        let had = turns.contains { $0.had <= from && until <= $0.releasing }
        let mayHave = turns.contains { $0.asked <= until && from <= $0.released }
        #expect(isNamed || !had, "\(fighter.pid) held the lock from \(from) to \(until)")
        #expect(mayHave || !isNamed, "\(fighter.pid) held no lock from \(from) to \(until)")
        named[fighter.pid, default: 0] += isNamed ? 1 : 0
        certain += had ? 1 : 0
      }
    }
    // Otherwise the test would prove nothing.
    #expect(named.count == 4 && named.values.allSatisfy { $0 > 0 }, "\(named)")
    #expect(certain > samples.count / 10, "\(certain)")
    let writers = Set(samples.flatMap { $0.writers.map(\.process.pid) })
    #expect(writers.isSubset(of: Set(fighters.map(\.pid))))
    #expect(samples.allSatisfy { $0.writers.count <= 1 })
  }
}

/// A database for the programs of these tests.
enum Database {
  static func make(_ path: String, isWAL: Bool) async throws {
    let mode = isWAL ? "WAL" : "DELETE"
    let result = try await Subprocess.run(
      .name("sqlite3"),
      arguments: [
        "-cmd", ".timeout 60000", path, "PRAGMA journal_mode = \(mode); CREATE TABLE turn (number)",
      ],
      output: .string(limit: 4096), error: .string(limit: 4096))
    try #require(result.terminationStatus.isSuccess)
  }
}
