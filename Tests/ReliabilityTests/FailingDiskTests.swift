// SPDX-License-Identifier: Apache-2.0

import Foundation
import Reliability
import SQLiteDriver
import TestSupport
import Testing

@testable import ObjectStore

/// Every call to the disk that an operation makes fails in turn.
@Suite struct FailingDiskTests {
  private static let seed: UInt64 = 11
  private static let longText = String(repeating: "x", count: 50_000)

  /// A closed ledger with some saves.
  private func makeLedger(steps: Int = 12) throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    let container = try LedgerVersion.first.open(folder.url.appending(path: "ledger.sqlite"))
    let writer = try LedgerWriter(container, .first, seed: Self.seed)
    for _ in 0..<steps { _ = try writer.save() }
    container.close()
    return folder
  }

  /// The changes that a context is about to save.
  private func pending(_ context: ManagedObjectContext) -> [String] {
    (context.insertedObjects + context.updatedObjects + context.deletedObjects).map { object in
      let values = (0..<object.entity.rowLayout.slotCount).map { "\(object.storeValue($0))" }
      let members =
        object.isDeleted
        ? []
        : object.entity.toManys.map { toMany in
          object.members(toMany.slot).map(\.objectID.uri).joined(separator: ",")
        }
      return "\(object) \(values) \(members)"
    }
  }

  @Test(arguments: DiskFailure.all)
  func savesAllOrNothing(failure: DiskFailure) throws {
    let template = try makeLedger()
    let file = template.url.appending(path: "ledger.sqlite")
    let before = try StoreContent(file)
    let after = try content(of: template) { _ = try $0.save() }
    #expect(before != after)

    struct Prepared {
      let container: PersistentContainer
      let writer: LedgerWriter
      let number: Int64
      let pending: [String]
    }
    var refused = 0
    let count = try failure.sweep(template) { url, disk in
      let container = try LedgerVersion.first.open(url, disk.options())
      let writer = try LedgerWriter(container, .first, seed: Self.seed)
      let number = try writer.prepare()
      return Prepared(
        container: container, writer: writer, number: number,
        pending: pending(container.mainContext))
    } work: {
      try $0.container.mainContext.save()
    } look: { url, prepared, error, place in
      let context = prepared.container.mainContext
      if error != nil {
        refused += 1
        #expect(pending(context) == prepared.pending, place)
        #expect(try StoreContent(url) == before, place)
        #expect(try StoreContent(afterCrashOf: url) == before, place)
        // The disk is whole again, and so is the context.
        try context.save()
      }
      #expect(!context.hasChanges, place)
      let found = try StoreContent(url)
      #expect(found == after, "\(place): \(StoreContent.differences(found, after))")
      prepared.container.close()
      #expect(
        try LedgerCheck(url, seed: Self.seed).run(acknowledged: prepared.number)
          == prepared.number, place)
    }
    #expect(refused > 5 && count >= refused, "\(count) calls, \(refused) refused saves")
  }

  /// The content after some work on a sound copy.
  private func content(
    of template: TemporaryDirectory, version: LedgerVersion = .first,
    _ work: (LedgerWriter) throws -> Void
  ) throws -> StoreContent {
    let folder = try TemporaryDirectory()
    let copy = folder.url.appending(path: "store", directoryHint: .isDirectory)
    try FileManager.default.copyItem(at: template.url, to: copy)
    let url = copy.appending(path: "ledger.sqlite")
    let container = try version.open(url)
    try work(LedgerWriter(container, version, seed: Self.seed))
    container.close()
    return try StoreContent(url)
  }

  @Test(arguments: DiskFailure.all)
  func makesAStoreOrNone(failure: DiskFailure) throws {
    var refused = 0
    try failure.sweep(nil) { url, disk in
      (url, disk)
    } work: { url, disk in
      _ = try LedgerVersion.first.open(url, disk.options())
    } look: { url, _, error, place in
      if error != nil { refused += 1 }
      // Whatever is there, the next opening makes a store of it.
      let container = try LedgerVersion.first.open(url)
      let writer = try LedgerWriter(container, .first, seed: Self.seed)
      #expect(try writer.save() == 1, place)
      container.close()
      #expect(try LedgerCheck(url, seed: Self.seed).run(acknowledged: 1) == 1, place)
    }
    #expect(refused > 5)
  }

  @Test(arguments: DiskFailure.all)
  func migratesAllOrNothing(failure: DiskFailure) throws {
    let template = try makeLedger()
    let before = try StoreContent(template.url.appending(path: "ledger.sqlite"))
    let after = try content(of: template, version: .second) { _ in }
    #expect(before != after)
    var refused = 0
    try failure.sweep(template) { url, disk in
      (url, disk)
    } work: { url, disk in
      _ = try LedgerVersion.second.open(url, disk.options())
    } look: { url, _, error, place in
      if error != nil {
        refused += 1
        let found = try StoreContent(url)
        #expect(found == before, "\(place): \(StoreContent.differences(found, before))")
        #expect(try StoreContent(afterCrashOf: url) == before, place)
      }
      try LedgerVersion.second.open(url).close()
      #expect(try StoreContent(url) == after, place)
    }
    #expect(refused > 5)
  }

  @Test(arguments: DiskFailure.all)
  func insertsABatchOrNothing(failure: DiskFailure) throws {
    let template = try makeLedger(steps: 1)
    var refused = 0
    func insert(_ container: PersistentContainer) throws {
      // More than SQLite keeps in memory: the log gets pages before the commit.
      _ = try container.mainContext.batchInsert(Step.self, count: 60) { row, index in
        row.number = Int64(1000 + index)
        row.text = Self.longText
      }
    }
    try failure.sweep(template, isLong: true) { url, disk in
      try LedgerVersion.first.open(url, disk.options())
    } work: {
      try insert($0)
    } look: { url, container, error, place in
      let request = FetchRequest<Step>(where: { $0.number >= 1000 })
      if error != nil {
        refused += 1
        #expect(try container.mainContext.count(request) == 0, place)
        try insert(container)
      }
      #expect(try container.mainContext.count(request) == 60, place)
      container.close()
      let problems = try Connection(path: url.path).column("PRAGMA integrity_check")
      #expect(problems == ["ok"], place)
    }
    #expect(refused > 5)
  }

  @Test(arguments: [false, true])
  func fetchesAllOrThrows(staysBroken: Bool) throws {
    let template = try makeLedger()
    let failure = DiskFailure(calls: .all, fault: .error, staysBroken: staysBroken)
    func texts(_ context: ManagedObjectContext) throws -> [String] {
      var request = FetchRequest<Step>()
      request.sortDescriptors = [SortDescriptor(\.number)]
      request.returnsObjectsAsFaults = false
      return try context.fetch(request).map(\.text)
    }
    final class Found { var texts: [String]? }
    let sound = try LedgerVersion.first.open(template.url.appending(path: "ledger.sqlite"))
    let expected = try texts(sound.mainContext)
    sound.close()
    var refused = 0
    try failure.sweep(template) { url, disk in
      (try LedgerVersion.first.open(url, disk.options()), Found())
    } work: { container, found in
      found.texts = try texts(container.mainContext)
    } look: { _, prepared, error, place in
      let (container, found) = prepared
      if error == nil { #expect(found.texts == expected, place) } else { refused += 1 }
      let again = try texts(container.mainContext)
      #expect(again == expected, place)
    }
    #expect(refused > 3 && expected.count == 12)
  }

  /// Where nothing can be thrown, the next save throws, and nothing is overwritten.
  @Test func reportsOfAFaultThatCouldNotBeFired() throws {
    let template = try makeLedger()
    let failure = DiskFailure(calls: .all, fault: .error, staysBroken: true)
    var refused = 0
    try failure.sweep(template) { url, disk in
      let container = try LedgerVersion.first.open(url, disk.options())
      var request = FetchRequest<Step>(where: { $0.number == 12 })
      request.includesPropertyValues = false
      return (container, try #require(try container.mainContext.fetch(request).first))
    } work: { container, step in
      let text = step.text
      if let error = container.mainContext.faultError {
        #expect(text.isEmpty)
        throw error
      }
    } look: { url, prepared, error, place in
      let (container, step) = prepared
      guard error != nil else { return }
      refused += 1
      step.text = "written over"
      #expect(throws: StoreError.self, place) { try container.mainContext.save() }
      container.mainContext.rollback()
      #expect(!step.text.isEmpty && step.text != "written over", place)
    }
    #expect(refused > 0)
  }

  /// The one error that comes when a commit is in the log already: its index cannot grow.
  @Test func reportsAnErrorBehindTheLastWrite() throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "ledger.sqlite")
    let disk = FaultyDisk()
    let container = try LedgerVersion.first.open(url, disk.options())
    let writer = try LedgerWriter(container, .first, seed: Self.seed)
    // Some 4,300 pages; a page of the index is for 4,062 of them.
    func insert() throws {
      _ = try container.mainContext.batchInsert(Step.self, count: 330) { row, index in
        row.number = Int64(1000 + index)
        row.text = Self.longText
      }
    }
    func count(_ content: StoreContent) -> Int {
      content.lines.count { $0.hasPrefix("ZSTEP|") && $0.contains("'xxx") }
    }
    disk.fail(.sharedMemoryMap, number: 1, staysBroken: true)
    #expect(throws: StoreError.self) { try insert() }
    let outcome = disk.repair()
    #expect(outcome.failed > 0)
    // No running process sees it; the first one after a crash does, and sees all of it.
    #expect(try count(StoreContent(url)) == 0)
    #expect(try count(StoreContent(afterCrashOf: url)) == 330)
    // The next save takes its place.
    _ = try writer.save()
    #expect(try count(StoreContent(afterCrashOf: url)) == 0)
    try insert()
    #expect(try count(StoreContent(url)) == 330)
  }
}
