// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import Reliability
import TestSupport
import Testing

/// A disk without room, which the operating system reports and no VFS plays.
@Suite struct FullDiskTests {
  /// Somewhere in the log, in the file while it grows, and in a file of external storage.
  @Test(arguments: [60_000, 200_000, 300_000, 1_000_000, 3_000_000])
  func savesNothingWithoutRoomAndAllOnceThereIs(bytes: Int) async throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "ledger.sqlite")
    let run = try await Program("store-torture").run("full", url.path, "5", "\(bytes)")
    #expect(run.status == 0, "\(run.output)\(run.error)")
    let lines = run.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 2, "\(run.output)")
    let last = try #require(Int64(lines[1].dropFirst("saved ".count)))
    #expect(lines[0].hasPrefix("saved \(last - 1), then: "))
    #expect(lines[0].contains("failed") || lines[0].contains("cannot write"), "\(lines[0])")
    #expect(try LedgerCheck(url, seed: 5).run(acknowledged: last) == last)
  }

  @Test func reportsThatTheFileMayNotGrow() throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "ledger.sqlite")
    var options = StoreOptions()
    options.maximumPageCount = 80
    let container = try LedgerVersion.first.open(url, options)
    let writer = try LedgerWriter(container, .first, seed: 5)
    var last: Int64 = 0
    #expect(throws: StoreError.full(path: url.path)) {
      while true { last = try writer.save() }
    }
    container.close()
    #expect(try LedgerCheck(url, seed: 5).run(acknowledged: last) == last)
  }
}
