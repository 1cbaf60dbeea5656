// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

@Suite struct ContextChangesTests {
  @Test func reportsWhatASaveWritesBeforeAndAfter() async throws {
    let fixture = try StoreFixture()
    let context = fixture.context
    let kept = fixture.makeStop("kept")
    let gone = fixture.makeStop("gone")
    try context.save()
    var will = context.willSave.makeAsyncIterator()
    var did = context.didSave.makeAsyncIterator()
    var all = fixture.container.didSave.makeAsyncIterator()
    kept.name = "changed"
    context.delete(gone)
    let new = fixture.makeStop("new")
    let temporary = new.objectID
    try context.save()
    let before = try #require(await will.next())
    #expect(before.inserted == [temporary] && temporary.isTemporary)
    let after = try #require(await did.next())
    #expect(after.inserted == [new.objectID] && !new.objectID.isTemporary)
    #expect(after.updated == [kept.objectID] && after.deleted == [gone.objectID])
    #expect(after.contextID == context.contextID)
    #expect(await all.next() == after)
  }

  @Test func reportsNothingOfASaveThatIsRefused() async throws {
    let fixture = try StoreFixture()
    var will = fixture.context.willSave.makeAsyncIterator()
    let stop = fixture.context.insert(Stop.self)
    #expect(throws: StoreError.self) { try fixture.context.save() }
    stop.identifier = 1
    stop.name = "A"
    try fixture.context.save()
    #expect(await will.next()?.inserted.count == 1)
  }

  @Test func reportsWhatEachUserEventChanged() async throws {
    let fixture = try StoreFixture()
    let context = fixture.container.newBackgroundContext()
    var events = context.objectsDidChange.makeAsyncIterator()
    let id = await context.perform {
      let stop = context.insert(Stop.self)
      stop.identifier = 1
      stop.name = "A"
      stop.name = "B"
      return stop.objectID
    }
    let inserted = try #require(await events.next())
    #expect(inserted.inserted == [id] && inserted.updated.isEmpty)
    try await context.perform {
      try (context.registeredObject(for: id))?.setValue(.null, forKey: "note")
    }
    #expect(await events.next()?.updated == [id])
    await context.perform {}
    await context.perform { context.insertedObjects.forEach(context.delete) }
    #expect(await events.next()?.deleted == [id])
  }

  @Test func mergesWhatAnotherContextSaved() async throws {
    let fixture = try StoreFixture()
    let context = fixture.context
    let stop = fixture.makeStop("A", stopTimes: 2)
    let edited = fixture.makeStop("edited")
    try context.save()
    #expect(stop.stopTimes.count == 2)
    let other = fixture.container.newBackgroundContext()
    var saves = other.didSave.makeAsyncIterator()
    let (id, editedID) = (stop.objectID, edited.objectID)
    try await other.perform {
      let stop = try #require(try other.existingObject(with: id) as? ManagedObject<Stop>)
      stop.name = "theirs"
      stop.stopTimes.append(other.insert(StopTime.self))
      other.delete(stop.stopTimes[0])
      try other.existingObject(with: editedID).setValue(.string("theirs"), forKey: "name")
      try other.save()
    }
    edited.note = "mine"
    let first = stop.stopTimes[0]
    fixture.observer.removeAll()
    context.mergeChanges(from: try #require(await saves.next()))
    #expect(stop.name == "theirs" && fixture.observer.sql.isEmpty)
    #expect(edited.name == "theirs" && edited.note == "mine" && edited.isUpdated)
    #expect(first.isDeleted && stop.stopTimes.count == 2)
    try context.save()
    #expect(
      try fixture.rows("SELECT ZNAME, ZNOTE FROM ZSTOP") == ["theirs|NULL", "theirs|mine"])
  }

  @Test func mergesByItself() async throws {
    let fixture = try StoreFixture()
    let view = fixture.container.newBackgroundContext(name: "view")
    let background = fixture.container.newBackgroundContext()
    view.automaticallyMergesChangesFromParent = true
    let id = try await view.perform {
      let stop = view.insert(Stop.self)
      stop.identifier = 1
      stop.name = "A"
      try view.save()
      return stop.objectID
    }
    // Kept loaded, or there would be nothing to merge.
    let names = try await view.perform {
      let stop = try #require(try view.existingObject(with: id) as? ManagedObject<Stop>)
      stop.note = "in use"
      return stop.name
    }
    #expect(names == "A")
    var merges = view.objectsDidChange.makeAsyncIterator()
    try await background.perform {
      try background.existingObject(with: id).setValue(.string("B"), forKey: "name")
      try background.save()
    }
    let merged = try #require(await merges.next())
    #expect(merged.refreshed == [id])
    let name = try await view.perform { try view.object(with: id).value(forKey: "name") }
    #expect(name == .string("B"))
    view.automaticallyMergesChangesFromParent = false
    try await background.perform {
      try background.existingObject(with: id).setValue(.string("C"), forKey: "name")
      try background.save()
    }
    #expect(
      try await view.perform { try view.object(with: id).value(forKey: "name") } == .string("B"))
  }
}
