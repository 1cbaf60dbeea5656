// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreEvents
import StoreInstruments
import TestSupport
import Testing

/// Contexts with a parent context.
@Suite struct NestingTests {
  /// A parent with stops `a`, `b`, `c` in the file, on a queue of its own as the child is.
  private func makeContexts(
    _ entities: [any Entity.Type] = [Stop.self, StopTime.self]
  ) throws -> (StoreFixture, parent: ManagedObjectContext, child: ManagedObjectContext) {
    let fixture = try StoreFixture(entities)
    if entities.count == 2 {
      for (index, name) in ["a", "b", "c"].enumerated() {
        fixture.makeStop(name, identifier: Int64(index), stopTimes: 2)
      }
      try fixture.context.save()
    }
    let parent = fixture.container.newBackgroundContext(name: "parent")
    return (fixture, parent, ManagedObjectContext(parent: parent, name: "child"))
  }

  private func stops(_ format: String = "TRUEPREDICATE") throws -> FetchRequest<Stop> {
    var request = FetchRequest<Stop>()
    if format != "TRUEPREDICATE" { request.predicate = try FetchPredicate(format) }
    request.sortDescriptors = [SortDescriptor(\.name)]
    return request
  }

  @Test func seesWhatTheParentHasNotSaved() throws {
    let (fixture, parent, child) = try makeContexts()
    defer { withExtendedLifetime(fixture) {} }
    let saved = try parent.fetch(try stops())
    saved[0].name = "z"
    parent.delete(saved[1])
    let new = parent.insert(Stop.self)
    new.name = "new"
    new.identifier = 9
    let seen = try child.fetch(try stops())
    #expect(seen.map(\.name) == ["c", "new", "z"])
    #expect(try child.fetch(try stops("name == 'z'")).count == 1)
    #expect(try child.fetch(try stops("name == 'a'")).isEmpty)
    #expect(try child.count(try stops()) == 3)
    #expect(try child.object(with: saved[0].objectID).value(forKey: "name") == .string("z"))
    #expect(throws: StoreError.objectGone(saved[1].objectID)) {
      try child.existingObject(with: saved[1].objectID)
    }
    #expect(try child.existingObject(with: new.objectID) === seen[1])
    #expect(!child.hasChanges && seen.filter(\.hasChanges).isEmpty)
    var filled = try stops()
    filled.returnsObjectsAsFaults = false
    #expect(try child.fetch(filled).map(\.name) == ["c", "new", "z"])
  }

  @Test func fetchesThroughToTheDatabase() throws {
    let (fixture, _, child) = try makeContexts()
    fixture.observer.removeAll()
    var request = try stops()
    request.fetchLimit = 2
    #expect(try child.fetch(request).map(\.name) == ["a", "b"])
    #expect(fixture.observer.sql.count == 1)
    #expect(fixture.observer.sql.first?.hasSuffix("ORDER BY t0.ZNAME LIMIT 2") == true)
    #expect(fixture.container.statistics.cacheMisses == 0)
  }

  @Test func savesToTheParentWithoutSQL() throws {
    let (fixture, parent, child) = try makeContexts()
    let seen = try child.fetch(try stops())
    seen[0].name = "A"
    child.delete(seen[1])
    let new = child.insert(Stop.self)
    new.name = "new"
    new.identifier = 9
    let time = seen[2].stopTimes[0]
    new.stopTimes.append(time)
    _ = seen[1].stopTimes.count
    fixture.observer.removeAll()
    try child.save(file: "f", line: 5)
    #expect(fixture.observer.sql.isEmpty)
    // Faults may fire, from memory.
    #expect(
      fixture.observer.events.map(\.kind).filter { $0 != .fault } == [.saveBegin, .saveEnd])
    guard case .saveEnd(let end) = fixture.observer.events.last else { return }
    // The stop that was deleted took its two times with it.
    #expect(end.inserted == 1 && end.updated == 2 && end.deleted == 3 && end.statements == 0)
    #expect(!child.hasChanges && !new.hasChanges && new.name == "new" && new.objectID.isTemporary)
    #expect(parent.insertedObjects.count == 1 && parent.deletedObjects.count == 3)
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP ORDER BY 1") == ["a", "b", "c"])
    try parent.save()
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP ORDER BY 1") == ["A", "c", "new"])
    #expect(
      try fixture.rows(
        "SELECT s.ZNAME, COUNT(*) FROM ZSTOPTIME t JOIN ZSTOP s ON s.Z_PK = t.ZSTOP GROUP BY 1")
        == ["A|2", "c|1", "new|1"])
    #expect(time.stop === new)
  }

  @Test func followsTheKeysThatASaveOfTheParentReturns() async throws {
    let (fixture, parent, child) = try makeContexts()
    let grandchild = ManagedObjectContext(parent: child)
    let temporary = try await grandchild.perform {
      let stop = grandchild.insert(Stop.self)
      stop.name = "new"
      stop.identifier = 9
      stop.stopTimes.append(grandchild.insert(StopTime.self))
      try grandchild.save()
      return stop.objectID
    }
    let kept = await child.perform { child.insertedObjects.count }
    #expect(kept == 2)
    try await child.perform { try child.save() }
    try await parent.perform { try parent.save() }
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP WHERE Z_PK = 4") == ["new"])
    let id = try await grandchild.perform {
      let stop = try #require(
        try grandchild.existingObject(with: temporary) as? ManagedObject<Stop>)
      #expect(stop.name == "new" && stop.stopTimes.count == 1)
      #expect(stop.stopTimes[0].stop === stop)
      stop.note = "from the grandchild"
      try grandchild.save()
      return stop.objectID
    }
    #expect(!id.isTemporary && id.primaryKey == 4)
    try await child.perform { try child.save() }
    try await parent.perform { try parent.save() }
    #expect(try fixture.rows("SELECT ZNOTE FROM ZSTOP WHERE Z_PK = 4") == ["from the grandchild"])
  }

  @Test func keepsAnOrderThatTheChildMade() throws {
    let (fixture, parent, child) = try makeContexts()
    let stop = try #require(try child.fetch(try stops()).first)
    stop.stopTimes.insert(stop.stopTimes[1], at: 0)
    let new = child.insert(StopTime.self)
    new.headsign = "new"
    stop.stopTimes.insert(new, at: 1)
    try child.save()
    let same = try #require(try parent.existingObject(with: stop.objectID) as? ManagedObject<Stop>)
    #expect(same.stopTimes.map(\.headsign) == ["1", "new", "0"])
    try parent.save()
    #expect(
      try fixture.rows("SELECT ZHEADSIGN FROM ZSTOPTIME WHERE ZSTOP = 1 ORDER BY Z_FOK_STOP")
        == ["1", "new", "0"])
  }

  @Test func savesPairsOfAManyToMany() throws {
    let social: [any Entity.Type] = [Conversation.self, Label.self, Owner.self, Guard.self]
    let (fixture, parent, child) = try makeContexts(social)
    let conversation = child.insert(Conversation.self)
    let labels = ["a", "b"].map { text in
      let label = child.insert(Label.self)
      label.text = text
      conversation.labels.append(label)
      return label
    }
    try child.save()
    try parent.save()
    #expect(try fixture.rows("SELECT COUNT(*) FROM Z_1LABELS") == ["2"])
    conversation.labels.remove(labels[0])
    #expect(labels[0].conversations.isEmpty)
    try child.save()
    try parent.save()
    #expect(
      try fixture.rows(
        "SELECT ZTEXT FROM Z_1LABELS JOIN ZLABEL ON Z_PK = Z_3LABELS") == ["b"])
  }

  @Test func seesMembersThatTheParentHasNotSaved() throws {
    let (fixture, parent, child) = try makeContexts()
    defer { withExtendedLifetime(fixture) {} }
    let theirs = try parent.fetch(try stops())
    let stop = try #require(
      try child.existingObject(with: theirs[0].objectID) as? ManagedObject<Stop>)
    let time = parent.insert(StopTime.self)
    time.headsign = "unsaved"
    theirs[0].stopTimes.append(time)
    parent.delete(theirs[0].stopTimes[0])
    #expect(stop.stopTimes.map(\.headsign) == ["1", "unsaved"])
  }

  @Test func obtainsPermanentIDsBeforeTheSave() throws {
    let (fixture, parent, child) = try makeContexts()
    let stop = child.insert(Stop.self)
    stop.name = "new"
    stop.identifier = 9
    let time = child.insert(StopTime.self)
    time.stop = stop
    fixture.observer.removeAll()
    try child.obtainPermanentIDs(for: [stop])
    #expect(
      fixture.observer.sql == [
        "BEGIN EXCLUSIVE", "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?",
        "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?",
        "SELECT 1 FROM ZSTOP WHERE Z_PK >= ? LIMIT 1", "COMMIT",
      ])
    #expect(stop.objectID.primaryKey == 4 && stop.isInserted && time.stop === stop)
    #expect(child.registeredObject(for: stop.objectID) === stop)
    // The parent's new keys reach the child on its queue, so the child is used there.
    try child.performAndWait {
      try child.save()
      // The parent has the object now: its id is obtained from there.
      try child.obtainPermanentIDs(for: [time])
      #expect(time.objectID.primaryKey == 7)
    }
    try parent.performAndWait { try parent.save() }
    #expect(try fixture.rows("SELECT Z_PK, ZSTOP FROM ZSTOPTIME WHERE Z_PK = 7") == ["7|4"])
    child.performAndWait { #expect(time.stop === stop && stop.name == "new") }
  }

  @Test func honoursTheBatchSize() throws {
    let (fixture, parent, child) = try makeContexts()
    let third = try #require(try parent.fetch(try stops()).last)
    third.name = "0"
    var request = try stops()
    request.fetchBatchSize = 1
    fixture.observer.removeAll()
    let batched = try child.fetchInBatches(request)
    #expect(batched.count == 3)
    #expect(fixture.observer.sql.first?.hasPrefix("SELECT 0, t0.Z_PK FROM ZSTOP t0") == true)
    #expect(batched.map(\.name) == ["0", "a", "b"])
    #expect(fixture.observer.sql.count > 3)
    #expect(fixture.observer.sql.dropFirst().filter { !$0.hasSuffix("LIMIT 1") } == [])
  }

  @Test func refusesTheSameAsTheModelAndLeavesTheParentUnchanged() throws {
    let (fixture, parent, child) = try makeContexts()
    defer { withExtendedLifetime(fixture) {} }
    let stop = try #require(try child.fetch(try stops()).first)
    stop.name = "changed"
    _ = child.insert(Stop.self)
    #expect(throws: StoreError.self) { try child.save() }
    #expect(!parent.hasChanges && stop.isUpdated && child.insertedObjects.count == 1)
  }

  @Test func reportsAConflictWithADeletionInTheParent() throws {
    let (fixture, parent, child) = try makeContexts()
    defer { withExtendedLifetime(fixture) {} }
    let stop = try #require(try child.fetch(try stops()).first)
    stop.name = "changed"
    parent.delete(try parent.existingObject(with: stop.objectID))
    let error = #expect(throws: StoreError.self) { try child.save() }
    guard case .conflict(let conflicts)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(conflicts.map(\.objectID) == [stop.objectID] && stop.isUpdated)
    child.mergePolicy = .objectTrump
    try child.save()
    #expect(!child.hasChanges && parent.updatedObjects.map(\.objectID) == [stop.objectID])
  }

  /// Both children have read `a`, note nil; the other one has saved `theirs` to the parent since.
  @Test(
    arguments: [
      (MergePolicy.storeTrump, "theirs", "mine" as String?), (.objectTrump, "mine", "mine"),
      (.overwrite, "mine", "mine"), (.rollback, "theirs", nil),
    ])
  func resolvesWhatASiblingHasSavedMeanwhile(
    policy: MergePolicy, name: String, note: String?
  ) throws {
    let (fixture, parent, child) = try makeContexts()
    let sibling = ManagedObjectContext(parent: parent, name: "sibling")
    let stop = try #require(try child.fetch(try stops()).first)
    let same = try #require(try sibling.existingObject(with: stop.objectID) as? ManagedObject<Stop>)
    #expect(stop.name == "a" && same.name == "a")
    same.name = "theirs"
    same.latitude = 7
    try sibling.save()
    stop.name = "mine"
    stop.note = "mine"
    let error = #expect(throws: StoreError.self) { try child.save() }
    guard case .conflict(let conflicts)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(conflicts.map(\.conflictingProperties) == [["name"]])
    #expect(stop.name == "mine" && stop.isUpdated)
    child.mergePolicy = policy
    try child.save()
    #expect(!child.hasChanges && stop.name == name && stop.note == note)
    // Of undisputed values, only an overwriting child keeps the ones it had read.
    let latitude = policy == .overwrite ? 0.0 : 7
    #expect(stop.latitude == latitude)
    try parent.save()
    #expect(
      try fixture.rows("SELECT ZNAME, IFNULL(ZNOTE, '-'), ZLATITUDE FROM ZSTOP WHERE Z_PK = 1")
        == ["\(name)|\(note ?? "-")|\(latitude)"])
  }

  @Test func refusesToDeleteWhatASiblingHasChanged() throws {
    let (fixture, parent, child) = try makeContexts()
    defer { withExtendedLifetime(fixture) {} }
    let sibling = ManagedObjectContext(parent: parent, name: "sibling")
    let stop = try #require(try child.fetch(try stops()).first)
    #expect(stop.name == "a")
    try sibling.existingObject(with: stop.objectID).setValue(.string("theirs"), forKey: "name")
    try sibling.save()
    child.delete(stop)
    #expect(throws: StoreError.self) { try child.save() }
    try child.refresh(stop, mergeChanges: false)
    #expect(stop.name == "theirs")
  }

  @Test func refusesToMergeIntoAnObjectDeletedByTheParent() throws {
    let (fixture, parent, child) = try makeContexts()
    defer { withExtendedLifetime(fixture) {} }
    let stop = try #require(try child.fetch(try stops()).first)
    stop.name = "mine"
    parent.delete(try parent.existingObject(with: stop.objectID))
    #expect(throws: StoreError.objectGone(stop.objectID)) {
      try child.refresh(stop, mergeChanges: true)
    }
  }

  @Test func reportsOfTheParentInItsTrace() throws {
    let (fixture, parent, child) = try makeContexts()
    let created = fixture.observer.events.compactMap { event -> ContextCreated? in
      if case .contextCreated(let created) = event { return created }
      return nil
    }
    #expect(created.map(\.contextName) == ["", "parent", "child"])
    #expect(created.map(\.parentID) == [0, 0, parent.contextID])
    #expect(child.parent === parent && parent.parent == nil)
  }

  @Test func siblingsMergeEachOthersSaves() async throws {
    let (fixture, parent, child) = try makeContexts()
    let sibling = ManagedObjectContext(parent: parent, name: "sibling")
    sibling.automaticallyMergesChangesFromParent = true
    let id = try #require(try fixture.context.fetchObjectIDs(try stops()).first)
    try await sibling.perform {
      try sibling.existingObject(with: id).setValue(.string("kept"), forKey: "note")
    }
    var merges = sibling.objectsDidChange.makeAsyncIterator()
    try await child.perform {
      try child.existingObject(with: id).setValue(.string("from the child"), forKey: "name")
      try child.save()
    }
    #expect(await merges.next()?.refreshed == [id])
    let values = try await sibling.perform {
      let stop = try sibling.existingObject(with: id)
      return try [stop.value(forKey: "name"), stop.value(forKey: "note")]
    }
    #expect(values == [.string("from the child"), .string("kept")])
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP WHERE Z_PK = 1") == ["a"])
  }
}
