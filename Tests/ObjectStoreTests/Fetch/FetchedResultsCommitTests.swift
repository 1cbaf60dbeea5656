// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import Testing

/// Fetched results controllers beside commits of other contexts, resets and rollbacks.
@Suite struct FetchedResultsCommitTests {
  struct Card: Entity {
    let title = Attribute<String>("title", default: "")
    let column = Attribute<String>("column", default: "")
    let rank = Attribute<Int64>("rank", default: 0)
  }

  private let fixture: StoreFixture
  private let context: ManagedObjectContext
  private let other: ManagedObjectContext

  init() throws {
    fixture = try StoreFixture([Card.self])
    context = fixture.container.newBackgroundContext(name: "shown")
    other = fixture.container.newBackgroundContext(name: "other")
    try other.batchInsert(Card.self, count: 30) { row, index in
      row.title = "t\(index)"
      row.column = ["a", "b", "c"][index % 3]
      row.rank = Int64(index)
    }
  }

  private func request(limit: Int = 0) -> FetchRequest<Card> {
    var request = FetchRequest<Card>()
    request.sortDescriptors = [SortDescriptor(\.column), SortDescriptor(\.rank)]
    request.fetchBatchSize = 4
    request.fetchLimit = limit
    return request
  }

  private func controller(limit: Int = 0) throws -> FetchedResultsController<Card> {
    let controller = try FetchedResultsController(
      request(limit: limit), context: context, sectionNameKeyPath: "column")
    try controller.performFetch()
    return controller
  }

  private func card(
    _ rank: Int64, in context: ManagedObjectContext
  ) throws -> ManagedObject<Card> {
    try #require(try context.fetch(FetchRequest<Card>(where: { $0.rank == rank })).first)
  }

  /// Changes a few cards of a context at random; deleted ones are left out.
  private func change(_ context: ManagedObjectContext, using random: inout SeededGenerator) throws {
    let cards = try context.fetch(FetchRequest<Card>()).filter { !$0.isDeleted }
      .shuffled(using: &random)
    for card in cards.prefix(Int.random(in: 1...3, using: &random)) {
      switch Int.random(in: 0...4, using: &random) {
      case 0: context.delete(card)
      case 1: card.rank = Int64.random(in: 0...40, using: &random)
      default: card.column = ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
      }
    }
    let new = context.insert(Card.self)
    new.column = ["a", "c", "e"].randomElement(using: &random) ?? "a"
    new.rank = Int64.random(in: 0...40, using: &random)
  }

  private func check(_ controller: FetchedResultsController<Card>) {
    #expect(Set(controller.snapshot).count == controller.snapshot.count)
    let names = controller.sections.map(\.name)
    #expect(names == Array(Set(names)).sorted())
    #expect(controller.changeError == nil)
  }

  /// Another context commits between the last merge and a change here.
  @Test(arguments: 1..<41, [0, 7])
  func keepsItsOrderBesideCommitsThatAreNotMergedYet(seed: UInt64, limit: Int) async throws {
    var random = SeededGenerator(seed)
    let controller = try controller(limit: limit)
    var last = controller.snapshot
    controller.onChange = { changes in
      #expect(changes.applied(to: last) == controller.snapshot)
      last = controller.snapshot
    }
    context.mergePolicy = .objectTrump
    other.mergePolicy = .objectTrump
    var saves = other.didSave.makeAsyncIterator()
    for _ in 0..<6 {
      for index in controller.snapshot.indices where index % 2 == 0 {
        _ = try controller.object(at: index)?.title
      }
      try change(other, using: &random)
      try other.save()
      try change(context, using: &random)
      context.processPendingChanges()
      check(controller)
      let saved = try #require(await saves.next())
      context.mergeChanges(from: saved)
      check(controller)
      try context.save()
      check(controller)
      try other.refreshAllObjects()
    }
    context.reset()
    #expect(last == controller.snapshot)
    #expect(
      controller.snapshot.map(\.self) == (try context.fetch(request(limit: limit))).map(\.objectID))
  }

  @Test(arguments: [0, 40]) func aResetLeavesNoUnsavedObject(limit: Int) throws {
    let controller = try controller(limit: limit)
    let saved = controller.snapshot
    let new = context.insert(Card.self)
    new.column = "z"
    try card(3, in: context).column = "y"
    context.processPendingChanges()
    #expect(controller.sections.map(\.name) == ["a", "b", "c", "y", "z"])
    var told: [FetchedResultsChanges] = []
    let before = controller.snapshot
    controller.onChange = { told.append($0) }
    context.reset()
    #expect(controller.snapshot == saved && told.count == 1)
    #expect(told.first?.applied(to: before) == saved)
    try card(4, in: context).column = "x"
    try context.save()
    #expect(controller.sections.map(\.name) == ["a", "b", "c", "x"])
    withExtendedLifetime(new) {}
  }

  @Test func aRollbackDropsWhatAnotherContextHasDeleted() async throws {
    let controller = try controller()
    var saves = other.didSave.makeAsyncIterator()
    let card = try card(3, in: context)
    card.column = "y"
    context.processPendingChanges()
    other.delete(try self.card(3, in: other))
    try other.save()
    context.mergeChanges(from: try #require(await saves.next()))
    #expect(controller.sections.map(\.name) == ["a", "b", "c", "y"])
    context.rollback()
    context.processPendingChanges()
    #expect(card.isDeleted && controller.snapshot.count == 29)
    #expect(controller.sections.map(\.name) == ["a", "b", "c"])
  }

  @Test func anUndoDropsObjectsDeletedByAnotherContext() async throws {
    let undoManager = ContextUndoManager()
    context.undoManager = undoManager
    let controller = try controller()
    var saves = other.didSave.makeAsyncIterator()
    let card = try card(3, in: context)
    card.column = "y"
    context.processPendingChanges()
    other.delete(try self.card(3, in: other))
    try other.save()
    context.mergeChanges(from: try #require(await saves.next()))
    undoManager.undo()
    context.processPendingChanges()
    #expect(card.isDeleted && controller.snapshot.count == 29 && !context.hasChanges)
  }

  @Test func followsARefresh() throws {
    let controller = try controller()
    let (kept, loaded) = (try card(3, in: context), try card(6, in: context))
    #expect(kept.column == "a" && loaded.column == "a")
    try card(3, in: other).column = "y"
    try card(6, in: other).column = "z"
    try other.save()
    #expect(controller.sections.map(\.name) == ["a", "b", "c"])
    try context.refresh(kept, mergeChanges: true)
    context.processPendingChanges()
    #expect(controller.sections.map(\.name).contains("y"))
    try context.refreshAllObjects()
    context.processPendingChanges()
    #expect(controller.sections.map(\.name) == ["a", "b", "c", "y", "z"])
  }

  @Test func followsResolutionsOfAMergePolicy() throws {
    let controller = try controller()
    context.mergePolicy = .storeTrump
    let card = try card(3, in: context)
    card.column = "x"
    try self.card(3, in: other).column = "y"
    try other.save()
    try context.save()
    #expect(card.column == "y")
    #expect(controller.sections.map(\.name) == ["a", "b", "c", "y"])
  }

  @Test func aListenerMaySaveItsContext() throws {
    let controller = try controller()
    controller.onChange = { [context] _ in
      do { try context.save() } catch { Issue.record(error) }
      context.processPendingChanges()
    }
    try card(3, in: context).column = "y"
    context.processPendingChanges()
    #expect(!context.hasChanges && controller.sections.map(\.name) == ["a", "b", "c", "y"])
  }
}
