// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import ObjectStore
import StoreEvents
import TestSupport
import Testing

@Suite struct ContextConcurrencyTests {
  @Test func performsWorkOnTheContextsQueueAndReturnsItsResult() async throws {
    let fixture = try StoreFixture()
    let main = fixture.context
    let background = fixture.container.newBackgroundContext(name: "import")
    #expect(main.concurrencyType == .mainQueue && background.concurrencyType == .privateQueue)
    // Work that throws nothing needs no `try`.
    await main.perform { dispatchPrecondition(condition: .onQueue(.main)) }
    await background.perform { dispatchPrecondition(condition: .notOnQueue(.main)) }
    #expect(await MainActor.run { main.performAndWait { main.insertedObjects.count } } == 0)
    let names = try await background.perform {
      background.insert(Stop.self).name = "A"
      background.insertedObjects.forEach { try? $0.setValue(.integer(1), forKey: "identifier") }
      try background.save()
      return try background.fetch(FetchRequest<Stop>()).map(\.name)
    }
    #expect(names == ["A"])
    await #expect(throws: StoreError.unknownEntity("Nothing")) {
      try await background.perform { _ = try background.insert(entityNamed: "Nothing") }
    }
  }

  @Test func runsOneBlockAfterTheOther() async throws {
    let fixture = try StoreFixture()
    let context = fixture.container.newBackgroundContext()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          await context.perform {
            let count = context.insertedObjects.count
            Thread.sleep(forTimeInterval: 0.0002)
            context.insert(Stop.self).identifier = Int64(count)
          }
        }
      }
    }
    let identifiers = await context.perform {
      context.insertedObjects.compactMap { ($0 as? ManagedObject<Stop>)?.identifier }
    }
    #expect(identifiers == (0..<50).map { Int64($0) })
  }

  @Test func waitsWithinItsOwnWorkWithoutADeadlock() async throws {
    let fixture = try StoreFixture()
    let first = fixture.container.newBackgroundContext()
    let second = fixture.container.newBackgroundContext()
    let sum = await first.perform {
      first.performAndWait {
        second.performAndWait {
          // Back into the outer queue, which this thread holds.
          first.performAndWait { second.performAndWait { 1 } } + 1
        }
      } + 1
    }
    #expect(sum == 3)
    #expect(throws: CancellationError.self) {
      try first.performAndWait { throw CancellationError() }
    }
  }

  @Test func endsAUserEventAfterEachPerform() async throws {
    let fixture = try StoreFixture()
    let context = fixture.container.newBackgroundContext()
    try await context.perform {
      let stop = context.insert(Stop.self)
      stop.identifier = 1
      stop.name = "A"
      stop.stopTimes.append(context.insert(StopTime.self))
      try context.save()
    }
    try await context.perform {
      let stop = try #require(try context.fetch(FetchRequest<Stop>()).first)
      context.delete(stop)
      #expect(context.deletedObjects.count == 1)
    }
    // Its stop time went with it, by the delete rule.
    #expect(await context.perform { context.deletedObjects.map(\.entity.name) }.count == 2)
  }

  @Test func reportsOfEachContext() throws {
    let fixture = try StoreFixture()
    let context = fixture.container.newBackgroundContext(name: "import")
    let created = fixture.observer.events.compactMap { event -> ContextCreated? in
      if case .contextCreated(let created) = event { return created }
      return nil
    }
    #expect(created.map(\.queue) == ["main", "private"])
    #expect(created.map(\.contextName) == ["", "import"])
    #expect(created.map(\.parentID) == [0, 0] && context.contextID > fixture.context.contextID)
  }

  // MARK: - Misuse

  @Test func trapsOnAContextUsedOffItsQueue() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      setenv("STORE_CONCURRENCY_DEBUG", "1", 1)
      let fixture = try StoreFixture()
      let context = fixture.container.newBackgroundContext(name: "import")
      context.performAndWait { _ = context.insert(Stop.self) }
      _ = try context.fetch(FetchRequest<Stop>())
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("STORE_CONCURRENCY_DEBUG: context "))
    #expect(text.contains("'import' was used off its private queue (a fetch)"))
    #expect(text.contains("use it within perform or performAndWait"))
  }

  @Test func trapsOnAnObjectReadOffItsQueue() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      setenv("STORE_CONCURRENCY_DEBUG", "1", 1)
      let fixture = try StoreFixture()
      let context = fixture.container.newBackgroundContext()
      let stop = try context.performAndWait {
        let stop = context.insert(Stop.self)
        stop.identifier = 1
        stop.name = "A"
        try context.save()
        _ = stop.name
        return stop
      }
      // Saved and loaded: nothing but the check leaves the short way of a read.
      _ = stop.name
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("was used off its private queue (a Stop)"))
  }

  @Test func doesNotTrapOnUseWithinPerform() async throws {
    await #expect(processExitsWith: .success) {
      setenv("STORE_CONCURRENCY_DEBUG", "1", 1)
      let fixture = try StoreFixture()
      let container = fixture.container
      try await container.performBackgroundTask { context in
        let stop = context.insert(Stop.self)
        stop.identifier = 1
        stop.name = "A"
        stop.stopTimes.append(context.insert(StopTime.self))
        try context.save()
        stop.name = "B"
        try context.save()
      }
      try await container.mainContext.perform {
        let stops = try container.mainContext.fetch(FetchRequest<Stop>())
        guard stops.map(\.name) == ["B"], stops[0].stopTimes.count == 1 else {
          throw CancellationError()
        }
        container.mainContext.delete(stops[0])
        try container.mainContext.save()
      }
      // The parent's part runs on the main queue, while the child's queue waits for it.
      let child = ManagedObjectContext(parent: container.mainContext)
      try await child.perform {
        let stop = child.insert(Stop.self)
        stop.identifier = 2
        stop.name = "C"
        stop.stopTimes.append(child.insert(StopTime.self))
        try child.save()
        stop.name = "D"
        try child.save()
      }
      try await container.mainContext.perform { try container.mainContext.save() }
    }
  }
}
