// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

/// Contexts merge changes of batches that bypassed all contexts.
@Suite struct BatchMergeTests {
  private let fixture: StoreFixture
  private let stop: ManagedObject<Stop>
  private let times: [ManagedObject<StopTime>]
  private var context: ManagedObjectContext { fixture.context }

  init() throws {
    fixture = try StoreFixture()
    stop = fixture.makeStop("A", stopTimes: 3)
    try fixture.context.save()
    times = Array(stop.stopTimes)
  }

  private func merge(_ changes: ContextChanges) {
    ManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [context])
  }

  @Test func refreshesWhatABatchHasUpdated() throws {
    var update = BatchUpdateRequest<Stop>()
    update.set(\.name, to: "B")
    update.resultType = .objectIDs
    let result = try fixture.container.newBackgroundContext().execute(update)
    #expect(result.changes.updated == [stop.objectID] && result.changes.deleted.isEmpty)
    #expect(stop.name == "A")
    merge(result.changes)
    #expect(stop.name == "B")
    stop.name = "C"
    try context.save()
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["C"])
  }

  @Test func keepsChangesMadeHere() throws {
    stop.note = "mine"
    var update = BatchUpdateRequest<Stop>()
    update.set(\.name, to: "B")
    update.resultType = .objectIDs
    merge(try fixture.container.newBackgroundContext().execute(update).changes)
    #expect(stop.name == "B" && stop.note == "mine" && stop.isUpdated)
    try context.save()
    #expect(try fixture.rows("SELECT ZNAME, ZNOTE FROM ZSTOP") == ["B|mine"])
  }

  @Test func discardsWhatABatchHasDeleted() throws {
    var delete = BatchDeleteRequest<StopTime>(where: { $0.headsign == "1" })
    delete.resultType = .objectIDs
    let result = try fixture.container.newBackgroundContext().execute(delete)
    #expect(result.changes.deleted == [times[1].objectID])
    merge(result.changes)
    #expect(times[1].isDeleted && stop.stopTimes.map(\.headsign) == ["0", "2"])
    let other = fixture.container.newBackgroundContext()
    #expect(throws: StoreError.objectGone(times[1].objectID)) {
      try other.existingObject(with: times[1].objectID)
    }
  }

  @Test func reportsWhichRowsLostAReference() throws {
    struct Line: Entity {
      let name = Attribute<String>("name")
      let tram = ToOne<Wagon>("tram", inverse: \.line)
    }
    struct Wagon: Entity {
      let number = Attribute<Int>("number")
      let line: ToOne<Line> = ToOne("line", inverse: \.tram)
    }
    var options = StoreOptions()
    options.tracksHistory = true
    let fixture = try StoreFixture([Line.self, Wagon.self], options: options)
    let (line, wagon) = (fixture.context.insert(Line.self), fixture.context.insert(Wagon.self))
    line.name = "M10"
    wagon.number = 1
    line.tram = wagon
    try fixture.context.save()
    var delete = BatchDeleteRequest<Wagon>(FetchRequest())
    delete.resultType = .objectIDs
    let result = try fixture.container.newBackgroundContext().execute(delete)
    #expect(result.objectIDs == [wagon.objectID] && result.changes.updated == [line.objectID])
    ManagedObjectContext.mergeChanges(
      fromRemoteContextSave: result.changes, into: [fixture.context])
    #expect(line.tram == nil && wagon.isDeleted)
    let history = try fixture.container.history(after: nil)
    #expect(Set(history.last?.changes.map(\.kind) ?? []) == [.update, .delete])
    let update = try #require(history.last?.changes.first { $0.kind == .update })
    #expect(update.objectID == line.objectID && update.updatedProperties == ["tram"])
    #expect(Set(history.last?.contextChanges.updated ?? []) == [line.objectID])
    #expect(history.last?.contextChanges.deleted == [wagon.objectID])
  }

  @Test func findsWhatABatchHasInserted() throws {
    let id = stop.objectID
    let result = try fixture.container.newBackgroundContext().batchInsert(
      StopTime.self, count: 2
    ) { row, index in
      row.headsign = "new \(index)"
      row.stop = id
    }
    #expect(result.changes.inserted == result.objectIDs && result.changes.updated.isEmpty)
    #expect(stop.stopTimes.count == 3)
    merge(result.changes)
    #expect(stop.stopTimes.map(\.headsign) == ["0", "1", "2", "new 0", "new 1"])
  }

  @Test func mergesNothingOfCountsAlone() throws {
    let result = try context.execute(BatchDeleteRequest<StopTime>(FetchRequest()))
    #expect(result.count == 3 && result.changes.isEmpty)
    merge(result.changes)
    #expect(!times[0].isDeleted)
  }

  @Test func mergesWhatAnotherProcessHasDone() throws {
    let other = try fixture.reopened()
    let theirs = try #require(try other.mainContext.fetch(FetchRequest<Stop>()).first)
    theirs.name = "theirs"
    other.mainContext.delete(theirs.stopTimes[0])
    try other.mainContext.save()
    merge(ContextChanges(updated: [stop.objectID], deleted: [times[0].objectID]))
    #expect(stop.name == "theirs" && times[0].isDeleted && stop.stopTimes.count == 2)
  }

  @Test func waitsForEachContextsQueue() throws {
    let contexts = (0..<3).map { _ in fixture.container.newBackgroundContext() }
    let objects = try contexts.map { context in
      try context.performAndWait { try context.existingObject(with: stop.objectID) }
    }
    var update = BatchUpdateRequest<Stop>()
    update.set(\.name, to: "B")
    update.resultType = .objectIDs
    let changes = try context.execute(update).changes
    ManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: contexts)
    for (context, object) in zip(contexts, objects) {
      #expect(
        try context.performAndWait { try object.value(forKey: "name") } == .string("B"))
    }
  }
}
