// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreInstruments
import TestSupport
import Testing

private struct StoredImage: Entity {
  let blob = Attribute<Data?>("blob", allowsExternalBinaryDataStorage: true)
}

@Suite struct MemoryStoreTests {
  @Test func isSharedByItsContextsAndGoneWithItsContainer() throws {
    for _ in 0..<2 {
      let container = try PersistentContainer(inMemory: Stop.self, StopTime.self)
      let context = container.newBackgroundContext()
      #expect(try context.fetch(FetchRequest<Stop>()).isEmpty)
      let stop = context.insert(Stop.self)
      (stop.name, stop.identifier) = ("A", 1)
      stop.stopTimes.append(context.insert(StopTime.self))
      try context.save()
      let other = container.newBackgroundContext()
      let found = try #require(try other.fetch(FetchRequest<Stop>()).first)
      #expect(found.name == "A" && found.stopTimes.count == 1)
      #expect(try container.read { try $0.rows("SELECT count(*) FROM ZSTOP") } == [[.integer(1)]])
      #expect(!FileManager.default.fileExists(atPath: container.path))
    }
  }

  @Test func twoOfThemShareNothing() throws {
    let containers = try (0..<2).map { _ in
      try PersistentContainer(inMemory: Stop.self, StopTime.self)
    }
    let stop = containers[0].mainContext.insert(Stop.self)
    (stop.name, stop.identifier) = ("A", 1)
    try containers[0].mainContext.save()
    #expect(try containers[1].mainContext.count(FetchRequest<Stop>()) == 0)
  }

  @Test func keepsLargeDataInItsRows() throws {
    let container = try PersistentContainer(inMemory: StoredImage.self)
    let data = Data(repeating: 1, count: 1 << 20)
    container.mainContext.insert(StoredImage.self).blob = data
    try container.mainContext.save()
    let other = container.newBackgroundContext()
    #expect(try other.fetch(FetchRequest<StoredImage>()).first?.blob == data)
  }

  @Test func readersAndWritersOfManyThreadsWaitForEachOther() async throws {
    let container = try PersistentContainer(inMemory: Stop.self, StopTime.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for number in 0..<25 {
            try await container.performBackgroundTask { context in
              let stop = context.insert(Stop.self)
              (stop.name, stop.identifier) = ("\(thread)", Int64(number))
              try context.save()
              _ = try context.fetch(FetchRequest<Stop>())
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try container.mainContext.count(FetchRequest<Stop>()) == 100)
  }
}
