// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreEvents
import StoreInstruments
import Synchronization
import TestSupport
import Testing

@Suite struct ConcurrencyTests {
  @Test func reportsHowLongItWaitedForALock() throws {
    var options = StoreOptions()
    options.busyTimeout = .milliseconds(20)
    let fixture = try StoreFixture(options: options)
    let other = try Connection(path: fixture.url.path)
    try other.execute("BEGIN IMMEDIATE")
    let stop = fixture.makeStop("A")
    fixture.observer.removeAll()
    do {
      try fixture.context.save()
      Issue.record("a save went through another connection's lock")
    } catch StoreError.busy(let path, let waited) {
      #expect(path == fixture.container.path && waited >= .milliseconds(20))
    }
    let waits = fixture.observer.events.compactMap { event -> BusyWaited? in
      if case .busy(let wait) = event { return wait }
      return nil
    }
    #expect(waits.count == 1)
    #expect(waits.first?.gaveUp == 1 && (waits.first?.attempts ?? 0) > 1)
    #expect((waits.first?.waitTime ?? 0) >= 20_000_000)
    #expect(stop.isInserted)
    try other.execute("COMMIT")
    try fixture.context.save()
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["A"])
  }

  /// Threads that take turns at fewer connections than they are, each for one row after the other.
  @Test(arguments: [1, 2])
  func servesMoreThreadsThanThereAreReaders(_ readers: Int) throws {
    var options = StoreOptions()
    options.readerCount = readers
    // Hardly any stays in the cache, so that most faults take a reader.
    options.rowCacheSize = 0
    let fixture = try StoreFixture(options: options)
    for number in 0..<200 { fixture.makeStop("\(number)", identifier: Int64(number)) }
    try fixture.context.save()
    let container = fixture.container
    let sums = Mutex<[Int64]>([])
    DispatchQueue.concurrentPerform(iterations: 6) { _ in
      let context = container.newBackgroundContext()
      let sum = context.performAndWait {
        (try? context.fetch(FetchRequest<Stop>()))?.reduce(0) { $0 + $1.identifier }
      }
      sums.withLock { $0.append(sum ?? -1) }
    }
    #expect(sums.withLock { $0 } == Array(repeating: 199 * 100, count: 6))
    // A row that another thread has just read may be there.
    #expect(container.statistics.faults == 6 * 200)
    #expect(container.statistics.cacheMisses >= 200)
    container.close()
    #expect(throws: StoreError.closed(path: container.path)) {
      try container.newBackgroundContext().fetch(FetchRequest<Stop>())
    }
  }

  @Test func readsWhileAnotherConnectionWrites() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("A")
    try fixture.context.save()
    let other = try Connection(path: fixture.url.path)
    try other.execute("BEGIN IMMEDIATE; UPDATE ZSTOP SET ZNAME = 'B'")
    #expect(try fixture.context.fetch(FetchRequest<Stop>()).map(\.name) == ["A"])
    try other.execute("ROLLBACK")
  }

  @Test func savesFromManyThreads() async throws {
    let fixture = try StoreFixture()
    let container = fixture.container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          try await container.performBackgroundTask { context in
            for index in 0..<20 {
              let stop = context.insert(Stop.self)
              stop.identifier = Int64(task * 20 + index)
              stop.name = "\(task)"
              try context.save()
              _ = try context.fetch(FetchRequest<Stop>()).map(\.name)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(
      try fixture.rows("SELECT COUNT(*), COUNT(DISTINCT ZIDENTIFIER), MAX(Z_PK) FROM ZSTOP")
        == ["160|160|160"])
  }

  @Test func reportsTheCheckpointsThatItMakes() throws {
    let fixture = try StoreFixture()
    fixture.observer.removeAll()
    try fixture.context.batchInsert(Stop.self, count: 40_000) { row, index in
      row.identifier = Int64(index)
      row.name = String(repeating: "x", count: 100)
    }
    let checkpoints = fixture.observer.events.compactMap { event -> CheckpointDone? in
      if case .checkpoint(let checkpoint) = event { return checkpoint }
      return nil
    }
    #expect(checkpoints.map(\.mode) == ["passive"])
    #expect((checkpoints.first?.checkpointedFrames ?? 0) >= 1000)
  }
}
