// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ObjectStore
import Reliability
import TestSupport
import Testing

/// A process that is killed while it saves, opens, migrates or closes a store.
@Suite struct KillTests {
  /// 1,000 times by `make torture`.
  @Test func losesNothingWhenItIsKilled() async throws {
    let run = try await Program("store-torture").run("kills", "50")
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.contains("50 kills: "))
  }

  /// Not at random: at every ninth call to the disk, from another one on for each seed.
  @Test(arguments: [false, true], [1, 2, 3])
  func losesNothingWhereverItIsKilled(opening: Bool, seed: Int) throws {
    let template = try TemporaryDirectory()
    let container = try LedgerVersion.first.open(template.url.appending(path: "ledger.sqlite"))
    let writer = try LedgerWriter(container, .first, seed: UInt64(seed))
    for _ in 0..<6 { _ = try writer.save() }
    container.close()
    // Opening as the other version migrates.
    let version = opening ? LedgerVersion.second : .first
    var call = seed
    while true {
      let folder = try TemporaryDirectory()
      let copy = folder.url.appending(path: "store", directoryHint: .isDirectory)
      try FileManager.default.copyItem(at: template.url, to: copy)
      let url = copy.appending(path: "ledger.sqlite")
      let child = try ChildProcess(
        Program("store-torture").path,
        [
          "crash", url.path, "\(seed)", version.rawValue, "\(call)",
          opening ? "opening" : "saving",
        ])
      let isAcknowledged = child.readLine() == "saved 7"
      let status = child.wait()
      try #require([0, 128 + SIGKILL].contains(status), "call \(call)")
      let found = try LedgerCheck(url, seed: UInt64(seed)).run(acknowledged: isAcknowledged ? 7 : 6)
      #expect(!opening || found == 6, "call \(call)")
      if status == 0 { break }
      call += 9
    }
    #expect(call > 10)
  }
}
