// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

private struct Rated: Entity {
  let name = Attribute<String>("name").validated(.length(1...5))
  let rank = Attribute<Int16?>("rank").validated(.range(1...5))
  let blob = Attribute<Data?>("blob", allowsExternalBinaryDataStorage: true)
}

/// Behaviours of contexts and of their objects that Core Data has, by their numbers in
/// CoreDataDifferences.md.
@Suite struct ObjectBehaviourTests {
  @Test func aNewContextIsEmptyAndSavesNothing() throws {
    let fixture = try StoreFixture()
    let context = fixture.container.newBackgroundContext()
    #expect(!context.hasChanges && context.registeredObjects.isEmpty)
    fixture.observer.removeAll()
    try context.save()
    #expect(fixture.observer.sql.isEmpty)
  }

  @Test func anObjectHasItsFlagsBeforeAndAfterEachSave() throws {
    let fixture = try StoreFixture()
    let (context, stop) = (fixture.context, fixture.makeStop("A"))
    #expect(stop.latitude == 0 && stop.note == nil)
    #expect(stop.isInserted && stop.hasChanges && !stop.isUpdated && !stop.isDeleted)
    #expect(!stop.isFault && stop.objectID.isTemporary && context.insertedObjects == [stop])
    try context.save()
    #expect(!stop.isInserted && !stop.hasChanges && !stop.objectID.isTemporary)
    #expect(stop.objectID.uri == "x-coredata://\(fixture.container.storeUUID)/Stop/p1")
    stop.name = "B"
    #expect(stop.isUpdated && context.updatedObjects == [stop])
    try context.save()
    #expect(!stop.isUpdated && !stop.hasChanges)
    context.delete(stop)
    #expect(stop.isDeleted && stop.hasChanges && context.deletedObjects == [stop])
    try context.save()
    #expect(!stop.isDeleted && !stop.hasChanges && !context.hasChanges)
    stop.name = "C"
    #expect(!context.hasChanges && context.registeredObject(for: stop.objectID) == nil)
    context.delete(stop)
    #expect(!context.hasChanges)
  }

  @Test func anObjectNamesWhatWasChangedAndWhatWasSaved() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A", stopTimes: 1)
    #expect(stop.changedValues["name"] == .string("A") && stop.changedValues["note"] == nil)
    #expect(try stop.committedValues(forKeys: ["name"]) == ["name": .null])
    try fixture.context.save()
    #expect(stop.changedValues.isEmpty && stop.changedRelationships.isEmpty)
    stop.name = "B"
    stop.note = "x"
    let time = stop.stopTimes[0]
    time.stop = nil
    #expect(stop.changedValues == ["name": .string("B"), "note": .string("x")])
    #expect(time.changedValues == ["stop": .null])
    #expect(
      try stop.committedValues(forKeys: ["name", "note"])
        == ["name": .string("A"), "note": .null])
    #expect(try time.committedValues()["stop"] == .object(stop.objectID))
    #expect(throws: StoreError.self) { try stop.committedValues(forKeys: ["stopTimes"]) }
    stop.name = "A"
    #expect(stop.changedValues == ["note": .string("x")])
  }

  @Test func oneValueIsCheckedByItself() throws {
    let fixture = try StoreFixture([Rated.self])
    let rated = fixture.context.insert(Rated.self)
    try rated.validateValue(.string("good"), forKey: "name")
    try rated.validateValue(.null, forKey: "rank")
    for (key, value) in [
      ("name", StoreValue.null), ("name", .string("longer")), ("rank", .integer(6)),
    ] {
      #expect(throws: StoreError.self) { try rated.validateValue(value, forKey: key) }
    }
    #expect(throws: StoreError.self) { try rated.validateValue(.string("1"), forKey: "rank") }
    #expect(throws: StoreError.self) { try rated.validateValue(.null, forKey: "nothing") }
    #expect(rated.changedValues.isEmpty)
  }

  @Test func committedDataOfAFileIsRead() throws {
    let fixture = try StoreFixture([Rated.self])
    let rated = fixture.context.insert(Rated.self)
    let data = Data(repeating: 7, count: 200_000)
    (rated.name, rated.blob) = ("a", data)
    try fixture.context.save()
    rated.blob = nil
    #expect(try rated.committedValues(forKeys: ["blob"]) == ["blob": .data(data)])
  }

  @Test func aMergedDeletionKeepsTheValuesThatWereLoaded() async throws {
    let fixture = try StoreFixture()
    let (stop, other) = (fixture.makeStop("Alice"), fixture.container.newBackgroundContext())
    try fixture.context.save()
    let id = stop.objectID
    var saves = other.didSave.makeAsyncIterator()
    other.delete(try other.existingObject(with: id))
    try other.save()
    fixture.context.mergeChanges(from: try #require(await saves.next()))
    #expect(stop.isDeleted && !stop.isFault && stop.name == "Alice")
    #expect(fixture.context.registeredObject(for: id) === stop)
    #expect(try fixture.context.fetch(FetchRequest<Stop>()).isEmpty)
    #expect(throws: StoreError.objectGone(id)) { try fixture.context.existingObject(with: id) }
    stop.name = "B"
    #expect(stop.name == "Alice" && !fixture.context.hasChanges)
  }

  @Test func aMergedInsertionIsAFaultWithoutSQL() async throws {
    let fixture = try StoreFixture()
    let other = fixture.container.newBackgroundContext()
    var saves = other.didSave.makeAsyncIterator()
    let stop = other.insert(Stop.self)
    (stop.name, stop.identifier) = ("A", 1)
    try other.save()
    fixture.context.mergeChanges(from: try #require(await saves.next()))
    fixture.observer.removeAll()
    #expect(fixture.context.registeredObject(for: stop.objectID) == nil)
    let merged = try fixture.context.object(with: stop.objectID)
    #expect(merged.isFault && fixture.observer.sql.isEmpty)
  }

  @Test func unsavedObjectsAreFoundByTheirIDs() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A")
    #expect(try fixture.context.existingObject(with: stop.objectID) === stop)
  }

  @Test func differentObjectsAreSavedWithoutAConflict() throws {
    let fixture = try StoreFixture()
    let (a, b) = (fixture.makeStop("A"), fixture.makeStop("B", identifier: 2))
    try fixture.context.save()
    let other = fixture.container.newBackgroundContext()
    try other.existingObject(with: b.objectID).setValue(.string("theirs"), forKey: "name")
    try other.save()
    a.name = "mine"
    try fixture.context.save()
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP ORDER BY Z_PK") == ["mine", "theirs"])
  }

  @Test func theDefaultPolicyRefusesOneConflictWithWhatWasReadAndWhatIsThere() throws {
    let fixture = try StoreFixture()
    let stop = fixture.makeStop("A")
    try fixture.context.save()
    let other = fixture.container.newBackgroundContext()
    try other.existingObject(with: stop.objectID).setValue(.string("B"), forKey: "name")
    try other.save()
    stop.name = "C"
    #expect(fixture.context.mergePolicy == .error)
    let error = #expect(throws: StoreError.self) { try fixture.context.save() }
    guard case .conflict(let conflicts)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(conflicts.count == 1)
    #expect(conflicts.first?.snapshot["name"] == .string("A"))
    #expect(conflicts.first?.persistedSnapshot?["name"] == .string("B"))
  }
}
