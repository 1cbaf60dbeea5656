// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import ObjectStore
import TestSupport
import Testing

/// Objects whose last reference goes on another thread than their context's.
@Suite struct ObjectEndTests {
  /// Carries objects to another thread, which only releases them.
  private final class Parcel: @unchecked Sendable {
    private var objects: [ManagedObject<Stop>]
    init(_ objects: [ManagedObject<Stop>]) { self.objects = objects }
    func drop() { objects = [] }
  }

  @Test func anObjectMayEndWhileItsContextLooksItUp() async throws {
    let fixture = try StoreFixture()
    let names = (0..<300).map { "stop \($0)" }
    try fixture.context.batchInsert(Stop.self, count: names.count) { row, index in
      row.identifier = Int64(index)
      row.name = names[index]
    }
    let context = fixture.container.newBackgroundContext()
    let elsewhere = DispatchQueue(label: "elsewhere", attributes: .concurrent)
    var request = FetchRequest<Stop>()
    request.sortDescriptors = [SortDescriptor(\.identifier)]
    let group = DispatchGroup()
    for _ in 0..<300 {
      let parcel = try context.performAndWait { Parcel(try context.fetch(request)) }
      elsewhere.async(group: group) { parcel.drop() }
      try context.performAndWait {
        let stops = try context.fetch(request)
        #expect(stops.map(\.name) == names)
        let registered = context.registeredObjects
        #expect(registered.count == names.count)
        for stop in stops {
          #expect(context.registeredObject(for: stop.objectID) === stop)
        }
      }
    }
    await withCheckedContinuation { done in group.notify(queue: elsewhere) { done.resume() } }
    // The queue runs earlier blocks before this one.
    let left = await context.perform { context.registeredObjects.count }
    #expect(left == 0)
  }

  @MainActor @Test func objectsOfTheMainContextMayEndOnOtherThreads() async throws {
    let fixture = try StoreFixture()
    let stops = (0..<300).map { fixture.makeStop("\($0)", identifier: Int64($0)) }
    try fixture.context.save()
    let names = stops.map(\.name).sorted()
    let container = try fixture.reopened()
    let context = container.mainContext
    let elsewhere = DispatchQueue(label: "elsewhere", attributes: .concurrent)
    let group = DispatchGroup()
    for _ in 0..<200 {
      let parcel = Parcel(try context.fetch(FetchRequest<Stop>()))
      elsewhere.async(group: group) { @Sendable in parcel.drop() }
      let known = try context.fetch(FetchRequest<Stop>())
      withExtendedLifetime(known) {
        #expect(known.map(\.name).sorted() == names)
        #expect(context.registeredObjects.count == names.count)
      }
    }
    await withCheckedContinuation { done in
      group.notify(queue: elsewhere) { @Sendable in done.resume() }
    }
    let left = await context.perform { context.registeredObjects.count }
    #expect(left == 0)
  }

  @Test func aResetDoesNotWaitForObjectsThatEndElsewhere() async throws {
    let fixture = try StoreFixture()
    for index in 0..<50 { fixture.makeStop("\(index)", identifier: Int64(index)) }
    try fixture.context.save()
    let context = fixture.container.newBackgroundContext()
    let elsewhere = DispatchQueue(label: "elsewhere")
    for _ in 0..<200 {
      let parcel = try context.performAndWait { Parcel(try context.fetch(FetchRequest<Stop>())) }
      elsewhere.async { parcel.drop() }
      context.performAndWait { context.reset() }
    }
    elsewhere.sync {}
    let left = await context.perform { context.registeredObjects.count }
    #expect(left == 0)
  }
}
