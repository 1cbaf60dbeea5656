// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Stores damaged at random (values, rows, the schema, bytes of pages, files beside them) are read or
/// refused: no trap, no hang, and no write without a request.
///
/// `HOSTILE_COUNT=20000` (`make hostile`) looks at more, from `HOSTILE_SEED` on.
@Suite struct HostileDatabaseTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["HOSTILE_COUNT"].flatMap(UInt64.init) ?? 300
  private static let first = environment["HOSTILE_SEED"].flatMap(UInt64.init) ?? 1

  @Test func hostileStoresAreReadOrRefused() async throws {
    var failures: [String] = []
    var seed = Self.first
    let end = seed + Self.count
    while seed < end, failures.count < 20 {
      let folder = try TemporaryDirectory()
      let size = min(end - seed, 1000)
      let run = try await Program("store-torture").run(
        "hostile", "\(seed)", "\(size)", folder.url.path)
      if run.status == 0 {
        if Self.count > 1000 { print("from \(seed): \(run.output)") }
        // Most of them can be opened: otherwise nothing is looked at.
        let opened = run.output.split(separator: ", ").first { $0.hasSuffix(" opened") }
        let count = opened?.split(separator: " ").first.flatMap { UInt64($0) } ?? 0
        #expect(size < 100 || count * 3 > size, "\(run.output)")
        seed += size
        continue
      }
      let failed = try String(contentsOfFile: folder.path("seed"), encoding: .utf8)
        .trimmingCharacters(in: .newlines)
      let steps = try? String(contentsOfFile: folder.path("steps"), encoding: .utf8)
      failures.append(
        "store-torture hostile \(failed) 1 FOLDER ended with \(run.status ?? -1)\n\(steps ?? "")\n"
          + "\(run.output)\(run.error.suffix(1500))")
      seed = (UInt64(failed) ?? end) + 1
    }
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n\n"))")
  }
}
