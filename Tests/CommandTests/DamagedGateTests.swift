// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

/// A damaged input never passes the gate with other numbers than the original's.
///
/// `make damage` tries 5,000 variants: `DAMAGE_VARIANTS=5000`.
@Suite(.endsWhenStuck) struct DamagedGateTests {
  private static let variants =
    ProcessInfo.processInfo.environment["DAMAGE_VARIANTS"].flatMap(Int.init) ?? 200

  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private struct Verdict: Decodable {
    var regressions, mixed, improvements, replanned, appeared, gone, rewritten: [Difference]
    var unchanged: Int
    struct Difference: Decodable {}

    /// Whether every count is the baseline's.
    var isSame: Bool {
      [regressions, mixed, improvements, replanned, appeared, gone, rewritten]
        .allSatisfy(\.isEmpty)
    }
  }

  private struct Sums: Decodable, Equatable {
    var totals: [String: Int64]
    var statements: [Statement]
    struct Statement: Decodable, Equatable {
      var sql: String?
      var count, rows, cacheMisses, vmSteps, fullScanSteps, totalNs: Int64
    }
  }

  private static func run() -> RunBuilder {
    RunBuilder { trace in
      trace.open()
      let stops = "SELECT 0, t0.Z_PK, t0.ZNAME FROM ZSTOP t0 WHERE  t0.ZNAME = ?"
      let fetch = trace.fetch(stops, rows: 15, vmSteps: 1000, sorts: 1)
      trace.fetch("SELECT COUNT(*) FROM ZLINE", entity: "Line", kind: .count, rows: 40, vmSteps: 90)
      trace.announce(RunBuilder.faultSQL)
      for pk in 1...3 as ClosedRange<Int64> { trace.fault(pk: pk, origin: fetch) }
      trace.fault(pk: 9, source: .rowCache, origin: fetch)
      trace.save(inserted: 10)
      trace.commit()
      trace.busy(4000)
      trace.close()
    }
  }

  /// The undamaged input: a path, and its files.
  private struct Original: Sendable {
    var path: String
    var files: [String]
    var isText: Bool
  }

  private func originals() async throws -> [Original] {
    let log = folder.path("whole.log")
    try Data(Self.run().log.utf8).write(to: URL(filePath: log))
    let trace = folder.url.appending(path: "trace")
    try Self.run().writeTrace(to: trace)
    let saved = try await report.run("summary", "--json", log)
    let json = folder.path("whole.json")
    try Data(saved.output.utf8).write(to: URL(filePath: json))
    let files = try FileManager.default.subpathsOfDirectory(atPath: trace.path).sorted()
      .filter { !"ust/uid/0/64-bit".hasPrefix($0) }
    return [
      Original(path: log, files: [""], isText: true),
      Original(path: trace.path, files: files.map { "/" + $0 }, isText: false),
      Original(path: json, files: [""], isText: true),
    ]
  }

  /// Flips a bit, cuts the end or the middle off, or does up to four changes of any kind.
  private static func damaged(_ bytes: [UInt8], isText: Bool, seed: Int) -> [UInt8] {
    var damage = Damage(seed: UInt64(seed))
    var bytes = bytes
    let place = damage.number(in: 0...(bytes.count - 1))
    switch seed / 3 % 5 {
    case 0: bytes[place] ^= 1 << UInt8(damage.number(in: 0...7))
    case 1: bytes.removeSubrange(place...)
    case 2:
      let length = damage.number(in: 1...(isText ? 200 : 40))
      bytes.removeSubrange(place..<min(bytes.count, place + length))
    case 3:
      // At the end of a line, where nothing is torn.
      let feed = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count - 1
      bytes.removeSubrange((feed + 1)...)
    default: bytes = damage.damaged(bytes, isText: isText)
    }
    return bytes
  }

  @Test func aDamagedInputNeverPassesWithOtherNumbers() async throws {
    let originals = try await originals()
    let baseline = folder.path("baseline.json")
    #expect(try await report.run("baseline", originals[0].path, "-o", baseline).status == 0)
    for original in originals {
      #expect(try await report.run("gate", original.path, "--baseline", baseline).status == 0)
    }
    let sums = try await sums(of: originals[0].path)
    var statuses: [Int32: Int] = [:]
    try await withThrowingTaskGroup(of: Int32?.self) { group in
      var next = 0
      func add() {
        let seed = next
        next += 1
        group.addTask { try await status(of: originals, seed, baseline, sums) }
      }
      while next < min(4, Self.variants) { add() }
      for try await status in group {
        if let status { statuses[status, default: 0] += 1 }
        if next < Self.variants { add() }
      }
    }
    let words = statuses.sorted { $0.key < $1.key }.map { "\($1) ended with \($0)" }
    print("damage: \(Self.variants) variants: \(words.joined(separator: ", "))")
    // A report that passes was damaged in parts that are for people.
    #expect(statuses[0, default: 0] < Self.variants / 4)
    #expect(statuses[3, default: 0] > Self.variants / 3)
  }

  /// Damages one file of an original, and looks at the gate's answer; nil if nothing was changed.
  private func status(
    of originals: [Original], _ seed: Int, _ baseline: String, _ sums: Sums
  ) async throws -> Int32? {
    let original = originals[seed % 3]
    let path = folder.path("variant-\(seed)")
    try FileManager.default.copyItem(atPath: original.path, toPath: path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = path + original.files[seed / 15 % original.files.count]
    let whole = try Array(Data(contentsOf: URL(filePath: file)))
    let damaged = Self.damaged(whole, isText: original.isText, seed: seed)
    guard damaged != whole else { return nil }
    try Data(damaged).write(to: URL(filePath: file))
    let run = try await report.run("gate", path, "--baseline", baseline, "--json")
    let status = try #require(run.status, "seed \(seed): ended by a signal")
    #expect([0, 1, 2, 3].contains(status), "seed \(seed)")
    guard status == 0 else { return status }
    let verdict = try JSONDecoder().decode(Verdict.self, from: Data(run.output.utf8))
    #expect(verdict.isSame && verdict.unchanged == 3, "seed \(seed): \(file)")
    #expect(try await self.sums(of: path) == sums, "seed \(seed): \(file)")
    return status
  }

  private func sums(of path: String) async throws -> Sums {
    let run = try await report.run("summary", path, "--json")
    return try JSONDecoder().decode(Sums.self, from: Data(run.output.utf8))
  }
}
