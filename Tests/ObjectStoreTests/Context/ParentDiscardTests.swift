// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import Testing

/// A child whose parent discards changes, by a rollback or a reset, while the child is in use.
@Suite struct ParentDiscardTests {
  private let fixture: StoreFixture
  private let parent: ManagedObjectContext
  private let child: ManagedObjectContext

  /// A saved stop, which the parent has renamed, and an unsaved one.
  init() throws {
    fixture = try StoreFixture()
    fixture.makeStop("A")
    try fixture.context.save()
    parent = fixture.container.newBackgroundContext(name: "parent")
    child = ManagedObjectContext(parent: parent, name: "child")
    try #require(try parent.fetch(FetchRequest<Stop>()).first).name = "B"
    let new = parent.insert(Stop.self)
    (new.name, new.identifier) = ("N", 2)
  }

  private func names() throws -> [String] {
    var request = FetchRequest<Stop>()
    request.sortDescriptors = [SortDescriptor(\.name)]
    return try child.fetch(request).map(\.name)
  }

  private func stop(_ name: String) throws -> ManagedObject<Stop> {
    try #require(try child.fetch(FetchRequest<Stop>(where: { $0.name == name })).first)
  }

  private static let discards: [@Sendable (ManagedObjectContext) -> Void] = [
    { $0.rollback() }, { $0.reset() },
  ]

  @Test(arguments: 0..<2)
  func readsTheSavedValuesAtItsNextFetch(discard: Int) throws {
    let (old, new) = (try stop("B"), try stop("N"))
    #expect(try names() == ["B", "N"])
    Self.discards[discard](parent)
    #expect(try names() == ["A"])
    #expect(old.name == "A" && new.name == "" && new.isDeleted && !child.hasChanges)
  }

  @Test(arguments: 0..<2)
  func showsObjectsAgainThatItsParentHadDeleted(discard: Int) throws {
    let old = try stop("B")
    parent.delete(
      try #require(try parent.fetch(FetchRequest<Stop>(where: { $0.name == "B" })).first))
    let time = child.insert(StopTime.self)
    try child.refreshAllObjects()
    #expect(old.name == "" && old.isDeleted)
    Self.discards[discard](parent)
    #expect(try names() == ["A"])
    #expect(!old.isDeleted && old.name == "A")
    time.stop = old
    try child.save()
    #expect(try parent.fetch(FetchRequest<Stop>()).first?.stopTimes.count == 1)
  }

  @Test func anUndoneDeletionIsNoInsertionOnceTheParentHasTakenItBack() throws {
    child.undoManager = ContextUndoManager()
    let old = try stop("B")
    child.delete(old)
    try child.save()
    child.undoManager?.undo()
    #expect(child.insertedObjects.contains { $0 === old })
    parent.rollback()
    try child.refreshAllObjects()
    #expect(child.insertedObjects.isEmpty && !old.isDeleted)
    #expect(child.updatedObjects.map(\.objectID) == [old.objectID] && old.name == "B")
    try child.save()
    try parent.save()
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["B"])
  }

  @Test(arguments: 0..<2)
  func keepsAndSavesItsOwnChanges(discard: Int) throws {
    let old = try stop("B")
    old.name = "C"
    let added = child.insert(Stop.self)
    (added.name, added.identifier) = ("D", 3)
    Self.discards[discard](parent)
    try child.save()
    try parent.save()
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP ORDER BY 1") == ["C", "D"])
  }

  @Test(arguments: 0..<2)
  func refusesToSaveChangesOfWhatIsGone(discard: Int) throws {
    let new = try stop("N")
    new.name = "C"
    Self.discards[discard](parent)
    do {
      try child.save()
      Issue.record("the save wrote to an object that its parent has discarded")
    } catch StoreError.conflict(let conflicts) {
      #expect(conflicts.map(\.objectID) == [new.objectID])
      #expect(conflicts[0].persistedSnapshot == nil)
    }
    #expect(!parent.hasChanges && child.hasChanges)
    child.rollback()
    #expect(new.isDeleted && !child.hasChanges)
    try child.save()
  }

  @Test(arguments: 0..<2)
  func insertsWhatIsGoneWhereItTrumps(discard: Int) throws {
    let new = try stop("N")
    new.name = "C"
    child.mergePolicy = .objectTrump
    Self.discards[discard](parent)
    try child.save()
    #expect(parent.insertedObjects.count == 1)
    try parent.save()
    #expect(
      try fixture.rows("SELECT ZNAME, ZIDENTIFIER FROM ZSTOP ORDER BY 1") == ["A|1", "C|2"])
  }

  @Test(arguments: 0..<2)
  func dropsReferencesToWhatIsGone(discard: Int) throws {
    let time = child.insert(StopTime.self)
    time.stop = try stop("N")
    Self.discards[discard](parent)
    try child.save()
    try parent.save()
    #expect(time.stop == nil)
    #expect(try fixture.rows("SELECT COUNT(*), MAX(ZSTOP) FROM ZSTOPTIME") == ["1|NULL"])
  }

  @Test func rollbackReachesAGrandchild() throws {
    let grandchild = ManagedObjectContext(parent: child, name: "grandchild")
    let old = try #require(
      try grandchild.fetch(FetchRequest<Stop>(where: { $0.name == "B" })).first)
    _ = try stop("B")
    parent.rollback()
    #expect(try grandchild.count(FetchRequest<Stop>()) == 1)
    #expect(old.name == "A")
    old.name = "C"
    try grandchild.save()
    try child.save()
    try parent.save()
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["C"])
  }

  @Test func itsUndoManagerDiscardsEarlierActions() throws {
    child.undoManager = ContextUndoManager()
    try stop("N").name = "C"
    child.processPendingChanges()
    #expect(child.undoManager?.canUndo == true)
    parent.rollback()
    child.processPendingChanges()
    #expect(child.undoManager?.canUndo == false)
  }

  @Test func aParentWithoutChangesDisturbsNoChild() throws {
    try parent.save()
    let old = try stop("B")
    child.undoManager = ContextUndoManager()
    old.name = "C"
    parent.reset()
    child.processPendingChanges()
    #expect(child.undoManager?.canUndo == true && !old.isFault)
  }

  // MARK: - Deletions that the child has not seen

  /// A stop time of the child, related to a stop that the parent deletes.
  private func relateToDeleted() throws -> (ManagedObject<StopTime>, ManagedObject<Stop>) {
    let stop = try stop("B")
    parent.delete(
      try #require(try parent.fetch(FetchRequest<Stop>(where: { $0.name == "B" })).first))
    parent.processPendingChanges()
    let time = child.insert(StopTime.self)
    time.stop = stop
    return (time, stop)
  }

  @Test func refusesToReferToWhatItsParentHasDeleted() throws {
    let (time, stop) = try relateToDeleted()
    do {
      try child.save()
      Issue.record("the save referred to an object that its parent has deleted")
    } catch StoreError.conflict(let conflicts) {
      #expect(conflicts.map(\.objectID) == [stop.objectID])
    }
    try child.refreshAllObjects()
    #expect(time.stop == nil)
    try child.save()
    try parent.save()
    #expect(try fixture.rows("SELECT COUNT(*), MAX(ZSTOP) FROM ZSTOPTIME") == ["1|NULL"])
  }

  @Test(arguments: [MergePolicy.storeTrump, .rollback])
  func aPolicyDropsTheReference(policy: MergePolicy) throws {
    child.mergePolicy = policy
    let (time, _) = try relateToDeleted()
    try child.save()
    try parent.save()
    #expect(time.stop == nil)
    #expect(try fixture.rows("SELECT COUNT(*), MAX(ZSTOP) FROM ZSTOPTIME") == ["1|NULL"])
  }
}
