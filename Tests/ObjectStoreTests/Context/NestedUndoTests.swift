// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import Testing

/// A child context with an undo manager, whose saves go to a parent.
@Suite struct NestedUndoTests {
  private let fixture: StoreFixture
  private let parent: ManagedObjectContext
  private let child: ManagedObjectContext
  private let undoManager = ContextUndoManager()
  private let rows = "SELECT Z_PK, ZNAME FROM ZSTOP"

  /// A saved stop with two stop times.
  init() throws {
    fixture = try StoreFixture()
    fixture.makeStop("A", stopTimes: 2)
    try fixture.context.save()
    parent = fixture.container.newBackgroundContext(name: "parent")
    child = ManagedObjectContext(parent: parent, name: "child")
    child.undoManager = undoManager
  }

  private func stop(in context: ManagedObjectContext) throws -> ManagedObject<Stop> {
    try #require(try context.fetch(FetchRequest<Stop>()).first)
  }

  @Test func anUndoneDeletionKeepsTheObjectOfTheParent() throws {
    let stop = try stop(in: child)
    child.delete(stop)
    try child.save()
    #expect(parent.deletedObjects.map(\.objectID).contains(stop.objectID))
    undoManager.undo()
    try child.save()
    #expect(parent.deletedObjects.isEmpty && parent.insertedObjects.isEmpty)
    try parent.save()
    #expect(try fixture.rows(rows) == ["1|A"])
    #expect(try self.stop(in: parent).stopTimes.count == 2 && stop.stopTimes.count == 2)
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZSTOPTIME WHERE ZSTOP = 1") == ["2"])
  }

  @Test func anUndoneDeletionInsertsWhatTheParentHasDeletedFromTheFile() throws {
    let stop = try stop(in: child)
    child.delete(stop)
    try child.save()
    try parent.save()
    #expect(try fixture.rows(rows) == [])
    undoManager.undo()
    try child.save()
    try parent.save()
    #expect(try fixture.rows(rows) == ["1|A"])
    undoManager.redo()
    try child.save()
    try parent.save()
    #expect(try fixture.rows(rows) == [])
  }

  @Test func anUndoneDeletionThatTheParentRolledBackIsAnUpdate() throws {
    let stop = try stop(in: child)
    stop.name = "B"
    try child.save()
    child.delete(stop)
    try child.save()
    parent.undoManager = ContextUndoManager()
    let parentStop = try #require(parent.deletedObjects.first)
    try parent.refresh(parentStop, mergeChanges: false)
    undoManager.undo()
    try child.save()
    try parent.save()
    #expect(try fixture.rows(rows) == ["1|B"])
  }

  @Test func undoneInsertionIsRemovedFromTheParent() throws {
    let new = child.insert(Stop.self)
    (new.name, new.identifier) = ("N", 2)
    try child.save()
    undoManager.undo()
    try child.save()
    #expect(parent.insertedObjects.isEmpty)
    undoManager.redo()
    try child.save()
    try parent.save()
    #expect(try fixture.rows(rows) == ["1|A", "2|N"])
  }
}

/// An undone deletion of an object that another context has inserted again.
@Suite struct ReturnedObjectTests {
  private let fixture: StoreFixture
  private let context: ManagedObjectContext
  private let stop: ManagedObject<Stop>
  private let undoManager = ContextUndoManager()

  /// A stop whose deletion is undone here, while another context has written its row again.
  init() throws {
    fixture = try StoreFixture()
    fixture.makeStop("A")
    try fixture.context.save()
    context = fixture.container.newBackgroundContext(name: "undoes")
    context.undoManager = undoManager
    let other = fixture.container.newBackgroundContext(name: "other")
    other.mergePolicy = .objectTrump
    stop = try #require(try context.fetch(FetchRequest<Stop>()).first)
    try #require(try other.fetch(FetchRequest<Stop>()).first).name = "B"
    context.delete(stop)
    try context.save()
    try other.save()
    undoManager.undo()
    stop.identifier = 7
  }

  private let rows = "SELECT Z_PK, ZNAME, ZIDENTIFIER FROM ZSTOP"

  @Test func isAConflict() throws {
    do {
      try context.save()
      Issue.record("the save wrote over another context's row")
    } catch StoreError.conflict(let conflicts) {
      #expect(conflicts.map(\.objectID) == [stop.objectID])
      #expect(conflicts[0].persistedSnapshot?["name"] == .string("B"))
    }
    #expect(try fixture.rows(rows) == ["1|B|1"])
    context.rollback()
    try context.save()
  }

  @Test(arguments: [MergePolicy.objectTrump, .overwrite])
  func isWrittenOverWhereItTrumps(policy: MergePolicy) throws {
    context.mergePolicy = policy
    try context.save()
    #expect(try fixture.rows(rows) == ["1|A|7"])
    stop.name = "C"
    try context.save()
    #expect(try fixture.rows(rows) == ["1|C|7"])
  }

  @Test(arguments: [MergePolicy.storeTrump, .rollback])
  func isKeptWhereTheStoreTrumps(policy: MergePolicy) throws {
    context.mergePolicy = policy
    try context.save()
    #expect(stop.name == "B" && stop.identifier == 1 && !context.hasChanges && !stop.isInserted)
    stop.name = "C"
    try context.save()
    #expect(try fixture.rows(rows) == ["1|C|1"])
  }
}
