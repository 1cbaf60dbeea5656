// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import Reliability
import TestSupport
import Testing

/// Which files of external storage there are once a commit has failed.
@Suite struct FailingCommitTests {
  private static let large = Data(repeating: 7, count: 300_000)
  private static let longText = String(repeating: "x", count: 50_000)

  private func files(_ store: URL) -> Set<String> {
    let folder = store.deletingLastPathComponent().appending(path: ".ledger_SUPPORT/_EXTERNAL_DATA")
    return Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
  }

  @Test(arguments: DiskFailure.all)
  func leavesNoFileOfASaveThatFailed(failure: DiskFailure) throws {
    let template = try TemporaryDirectory()
    let kept = try LedgerVersion.first.open(template.url.appending(path: "ledger.sqlite"))
    insert(1, kept.mainContext)
    try kept.mainContext.save()
    kept.close()
    var (refused, writtenAndRefused) = (0, 0)
    try failure.sweep(template) { url, disk in
      let container = try LedgerVersion.first.open(url, disk.options())
      return (container, insert(2, container.mainContext), files(url))
    } work: { container, _, _ in
      try container.mainContext.save()
    } look: { url, prepared, error, place in
      let (container, step, before) = prepared
      guard error != nil else {
        #expect(files(url).count == 2, place)
        return
      }
      refused += 1
      if files(url) != before { writtenAndRefused += 1 }
      // A disk that works again at once: so does the commit that takes the place of this one.
      #expect(failure.staysBroken || files(url) == before, place)
      #expect(step.isInserted && step.photo == Self.large, place)
      step.photo = nil
      try container.mainContext.save()
      #expect(files(url) == before && before.count == 1, place)
    }
    #expect(refused > 5)
    // On one that stays broken, the next commit does it.
    #expect(failure.staysBroken || writtenAndRefused == 0)
  }

  @discardableResult
  private func insert(
    _ number: Int64, _ context: ManagedObjectContext
  ) -> ManagedObject<Step> {
    let step = context.insert(Step.self)
    step.number = number
    step.text = "step"
    step.photo = Self.large
    return step
  }

  /// Where nothing but the log's index fails, the commit is in the log, and a crash brings it back.
  private static let calls: FaultyDisk.Calls = [.sharedMemoryMap, .sharedMemoryLock]

  @Test(arguments: [false, true])
  func removesFilesOnceTheirCommitCannotComeBack(staysBroken: Bool) throws {
    var found = false
    for number in 1...20 where !found {
      let folder = try TemporaryDirectory()
      let url = folder.url.appending(path: "ledger.sqlite")
      let disk = FaultyDisk()
      let container = try LedgerVersion.first.open(url, disk.options())
      let context = container.mainContext
      disk.fail(Self.calls, number: number, staysBroken: staysBroken)
      // Some 4,300 pages; a page of the index is for 4,062 of them.
      let inserted = Result {
        try context.batchInsert(Step.self, count: 330) { row, index in
          row.number = Int64(1000 + index)
          row.text = Self.longText
          if index == 0 { row.photo = Self.large }
        }
      }
      guard disk.repair().call == .sharedMemoryMap else { continue }
      found = true
      #expect(throws: StoreError.self) { try inserted.get() }
      if staysBroken {
        #expect(try steps(afterCrashOf: url) == 330)
        #expect(files(url).count == 1)
        insert(1, context).photo = nil
        try context.save()
      }
      #expect(try steps(afterCrashOf: url) == (staysBroken ? 1 : 0))
      #expect(files(url).isEmpty)
    }
    #expect(found)
  }

  private func steps(afterCrashOf url: URL) throws -> Int {
    try StoreContent(afterCrashOf: url).lines.count { $0.hasPrefix("ZSTEP|") }
  }
}
