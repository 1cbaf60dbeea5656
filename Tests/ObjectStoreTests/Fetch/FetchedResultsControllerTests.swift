// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreEvents
import StoreInstruments
import TestSupport
import Testing

@Suite struct FetchedResultsControllerTests {
  struct Record: Entity {
    let title = Attribute<String>("title")
    let initial = Attribute<String?>("initial")
    let rank = Attribute<Int64>("rank", default: 0)
    let list = ToOne<List>("list", inverse: \.records)
  }

  struct List: Entity {
    let name = Attribute<String>("name")
    let records: ToMany<Record> = ToMany("records", inverse: \.list)
  }

  private let fixture: StoreFixture
  private var context: ManagedObjectContext { fixture.context }

  /// Records a1, a2, b1, c1, c2 and c3, and one without an initial.
  init() throws {
    fixture = try StoreFixture([Record.self, List.self])
    let values = ["b1", "a1", "c3", "a2", "c1", "none", "c2"]
    try fixture.context.batchInsert(Record.self, count: values.count) { row, index in
      row.title = values[index]
      row.initial = values[index] == "none" ? nil : String(values[index].prefix(1))
    }
    fixture.observer.removeAll()
  }

  private func request() -> FetchRequest<Record> {
    var request = FetchRequest<Record>()
    request.sortDescriptors = [SortDescriptor(\.initial), SortDescriptor(\.title)]
    request.fetchBatchSize = 2
    return request
  }

  private func controller(
    _ request: FetchRequest<Record>? = nil, in context: ManagedObjectContext? = nil,
    cacheName: String? = nil
  ) throws -> FetchedResultsController<Record> {
    let controller = try FetchedResultsController(
      request ?? self.request(), context: context ?? self.context, sectionNameKeyPath: "initial",
      cacheName: cacheName)
    try controller.performFetch(file: "f", line: 1)
    return controller
  }

  /// `a:a1,a2` for each section.
  private func text(_ controller: FetchedResultsController<Record>) throws -> [String] {
    try controller.sections.map { section in
      let values = try section.range.map { try controller.object(at: $0)?.title ?? "gone" }
      return "\(section.name):\(values.joined(separator: ","))"
    }
  }

  private func record(_ value: String) throws -> ManagedObject<Record> {
    try #require(try context.fetch(FetchRequest<Record>(where: { $0.title == value })).first)
  }

  // MARK: - Sections

  @Test func fetchesIDsAndSectionsInOneStatement() throws {
    let controller = try controller()
    #expect(
      fixture.observer.sql == [
        "SELECT 0, t0.Z_PK, t0.ZINITIAL FROM ZRECORD t0 ORDER BY t0.ZINITIAL, t0.ZTITLE"
      ])
    #expect(controller.sections.map(\.name) == ["", "a", "b", "c"])
    #expect(controller.sections.map(\.range) == [0..<1, 1..<3, 3..<4, 4..<7])
    #expect(controller.sectionIndexTitles == ["A", "B", "C"])
    #expect(controller.section(forSectionIndexTitle: "C") == 3)
    #expect(controller.section(forSectionIndexTitle: "X") == nil)
    #expect(controller.snapshot.map(\.primaryKey) == [6, 2, 4, 1, 5, 7, 3])
    #expect(fixture.observer.sql.count == 1)
    #expect(try controller.object(at: .init(section: 3, item: 1))?.title == "c2")
    #expect(fixture.observer.sql.count == 2)
    #expect(try text(controller) == [":none", "a:a1,a2", "b:b1", "c:c1,c2,c3"])
    #expect(controller.position(of: try record("b1")) == .init(section: 2, item: 0))
    #expect("\(try #require(controller.fetchedObjects))".hasPrefix("7 Record objects"))
  }

  @Test func sectionsMayComeOverARelationship() throws {
    let list = context.insert(List.self)
    list.name = "x"
    try record("b1").list = list
    try context.save()
    var request = FetchRequest<Record>()
    request.sortDescriptors = [SortDescriptor("list.name"), SortDescriptor(\.title)]
    let controller = try FetchedResultsController(
      request, context: context, sectionNameKeyPath: "list.name")
    try controller.performFetch()
    #expect(controller.sections.map(\.name) == ["", "x"])
    #expect(controller.sections.map(\.range.count) == [6, 1])
  }

  @Test func isOneSectionWithoutAKeyPath() throws {
    let controller = try FetchedResultsController(self.request(), context: context)
    #expect(controller.snapshot.isEmpty && controller.sections == [])
    try controller.performFetch()
    #expect(controller.sections.map(\.name) == [""])
    #expect(controller.snapshot.count == 7)
  }

  @Test func refusesWhatHasNoOrderOrNoSections() throws {
    #expect(throws: FetchedResultsError.notSorted) {
      try FetchedResultsController(FetchRequest<Record>(), context: context)
    }
    #expect(throws: FetchPredicateError.self) {
      try FetchedResultsController(self.request(), context: context, sectionNameKeyPath: "initail")
    }
    #expect(throws: FetchPredicateError.self) {
      try FetchedResultsController(self.request(), context: context, sectionNameKeyPath: "list")
    }
    var request = FetchRequest<Record>()
    request.sortDescriptors = [SortDescriptor(\.title)]
    try record("a1").initial = "c"
    #expect(throws: FetchedResultsError.sectionsOutOfOrder("c")) { try controller(request) }
  }

  // MARK: - Changes

  private func told(
    _ controller: FetchedResultsController<Record>, _ body: () throws -> Void
  ) throws -> FetchedResultsChanges {
    var all: [FetchedResultsChanges] = []
    controller.onChange = { all.append($0) }
    try body()
    context.processPendingChanges()
    #expect(all.count <= 1)
    return all.first ?? FetchedResultsChanges()
  }

  @Test func followsWhatItsContextMerges() async throws {
    let controller = try controller()
    let kept = try record("c1")
    let other = fixture.container.newBackgroundContext()
    var saves = other.didSave.makeAsyncIterator()
    try await other.perform {
      for record in try other.fetch(FetchRequest<Record>()) {
        if record.title == "a1" { other.delete(record) }
        if record.title == "c1" { record.title = "c9" }
      }
      let new = other.insert(Record.self)
      new.title = "a0"
      new.initial = "a"
      try other.save()
    }
    let saved = try #require(await saves.next())
    let changes = try told(controller) { context.mergeChanges(from: saved) }
    #expect(kept.title == "c9")
    let sections = try text(controller)
    #expect(sections == [":none", "a:a0,a2", "b:b1", "c:c2,c3,c9"])
    #expect(changes.objects.count == 3)
  }

  @Test func reportsInsertsUpdatesMovesAndDeletes() throws {
    let controller = try controller()
    let (a1, b1, c1) = (try record("a1"), try record("b1"), try record("c1"))
    let changes = try told(controller) {
      let new = context.insert(Record.self)
      new.title = "a0"
      new.initial = "a"
      b1.initial = "c"
      c1.rank = 4
      context.delete(a1)
    }
    #expect(try text(controller) == [":none", "a:a0,a2", "c:b1,c1,c2,c3"])
    #expect(changes.sections == [.delete(name: "b", from: 2)])
    #expect(
      Set(changes.objects) == [
        .delete(a1.objectID, from: .init(section: 1, item: 0)),
        .insert(controller.snapshot[1], at: .init(section: 1, item: 0)),
        .move(b1.objectID, from: .init(section: 2, item: 0), to: .init(section: 2, item: 0)),
        .update(c1.objectID, from: .init(section: 3, item: 0), to: .init(section: 2, item: 1)),
      ])
  }

  @Test func reportsTheNewIDOfAnObjectThatWasSaved() throws {
    let controller = try controller()
    let new = context.insert(Record.self)
    new.title = "d1"
    new.initial = "d"
    let inserted = try told(controller) {}
    #expect(inserted.sections == [.insert(name: "d", at: 4)])
    let before = controller.snapshot
    let saved = try told(controller) { try context.save() }
    let place = FetchedResultsSnapshot.Position(section: 4, item: 0)
    #expect(saved.objects == [.update(new.objectID, from: place, to: place)])
    #expect(!new.objectID.isTemporary && controller.snapshot.last == new.objectID)
    #expect(saved.applied(to: before) == controller.snapshot)
    #expect(try controller.object(at: place) === new)
  }

  @Test func isNotifiedAtOnceOfWhatAChildSaves() throws {
    let controller = try controller()
    var all: [FetchedResultsChanges] = []
    controller.onChange = { all.append($0) }
    let child = ManagedObjectContext(parent: context, concurrencyType: .mainQueue)
    let childs = try #require(
      try child.fetch(FetchRequest<Record>(where: { $0.title == "a1" })).first)
    childs.title = "a9"
    let new = child.insert(Record.self)
    new.title = "b0"
    new.initial = "b"
    #expect(all.isEmpty)
    try child.save()
    #expect(all.count == 1)
    #expect(try text(controller) == [":none", "a:a2,a9", "b:b0,b1", "c:c1,c2,c3"])
  }

  @Test func reactsToItsContextOnly() throws {
    let controller = try controller()
    let other = fixture.container.newBackgroundContext()
    var told = 0
    controller.onChange = { _ in told += 1 }
    let record = other.insert(Record.self)
    record.title = "zz"
    try other.save()
    #expect(told == 0 && controller.snapshot.count == 7)
  }

  @Test func reportsNothingOfOtherObjects() throws {
    var request = self.request()
    request.predicate = try FetchPredicate("title BEGINSWITH 'c'")
    let controller = try controller(request)
    let changes = try told(controller) {
      try record("a1").rank = 1
      context.insert(List.self).name = "x"
    }
    #expect(changes.isEmpty)
  }

  @Test func keepsWithinALimit() throws {
    var request = self.request()
    request.fetchLimit = 3
    let controller = try controller(request)
    let changes = try told(controller) { context.delete(try record("a1")) }
    #expect(try text(controller) == [":none", "a:a2", "b:b1"])
    #expect(changes.objects.count == 2)
  }

  /// Over random changes, the snapshot equals the result of a fetch, and the changes lead to it.
  @Test(arguments: 0..<40)
  func theChangesLeadFromEachSnapshotToTheNext(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    var request = self.request()
    request.predicate = try FetchPredicate("rank < 8")
    let isByRank = random.once(in: 3)
    if isByRank {
      request.sortDescriptors = [.descending(\.initial), SortDescriptor(\.rank)]
    }
    request.fetchBatchSize = Int.random(in: 0...3, using: &random)
    let controller = try controller(request)
    var last = controller.snapshot
    controller.onChange = { changes in
      #expect(changes.applied(to: last) == controller.snapshot)
      last = controller.snapshot
    }
    for _ in 0..<25 {
      let records = try context.fetch(FetchRequest<Record>()).shuffled(using: &random)
      for record in records.prefix(Int.random(in: 0...4, using: &random)) {
        switch Int.random(in: 0...4, using: &random) {
        case 0: context.delete(record)
        case 1: record.initial = random.once(in: 5) ? nil : random.pick(["a", "b", "c", "d"])
        case 2: record.rank = Int64.random(in: 0...9, using: &random)
        default: record.title = random.pick(["x", "y", "z"])
        }
      }
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let record = context.insert(Record.self)
        record.title = random.pick(["v", "w", "x"])
        record.initial = random.pick(["a", "b", "e"])
        record.rank = Int64.random(in: 0...9, using: &random)
      }
      if random.once(in: 4) { try context.save() }
      if random.once(in: 9) { context.rollback() }
      context.processPendingChanges()
      #expect(controller.changeError == nil)
      #expect(last == controller.snapshot)
      let wanted = try context.fetch(request)
      #expect(Set(controller.snapshot) == Set(wanted.map(\.objectID)))
      #expect(
        try controller.snapshot.indices.map {
          try controller.object(at: $0).map { key($0, isByRank) }
        } == wanted.map { key($0, isByRank) })
      #expect(
        controller.sections.flatMap { section in section.range.map { _ in section.name } }
          == wanted.map { $0.initial ?? "" })
    }
  }

  /// The sort key; the order among equal keys does not matter.
  private func key(_ record: ManagedObject<Record>, _ isByRank: Bool) -> String {
    "\(record.initial ?? "") " + (isByRank ? "\(record.rank)" : record.title)
  }

  // MARK: - The section cache

  private var sectionColumn: Int {
    fixture.observer.sql.count { $0.contains(", t0.ZINITIAL FROM") }
  }

  @Test func readsSectionsFromTheirCache() throws {
    let first = try controller(cacheName: "by/initial")
    #expect(sectionColumn == 1)
    fixture.observer.removeAll()
    let second = try controller(cacheName: "by/initial")
    #expect(second.snapshot == first.snapshot)
    #expect(sectionColumn == 0)
    #expect(
      fixture.observer.sql == [
        "SELECT COUNT(*), SUM(Z_OPT), MAX(Z_PK) FROM ZRECORD",
        "SELECT 0, t0.Z_PK FROM ZRECORD t0 ORDER BY t0.ZINITIAL, t0.ZTITLE",
      ])
    FetchedResultsController<Record>.deleteCache(named: "by/initial", of: fixture.container)
    _ = try controller(cacheName: "by/initial")
    #expect(sectionColumn == 1)
  }

  @Test func noticesACacheThatIsOutOfDate() throws {
    _ = try controller(cacheName: "x")
    // Another predicate, another order.
    var request = self.request()
    request.predicate = try FetchPredicate("title != 'a1'")
    #expect(try controller(request, cacheName: "x").snapshot.count == 6)
    #expect(sectionColumn == 2)
    request.sortDescriptors = [.descending(\.initial), SortDescriptor(\.title)]
    #expect(try controller(request, cacheName: "x").sections.map(\.name) == ["c", "b", "a", ""])
    #expect(sectionColumn == 3)
    // Other data: a section's name, with the ids in the same order.
    let other = fixture.container.newBackgroundContext()
    let record = try #require(
      try other.fetch(FetchRequest<Record>(where: { $0.title == "b1" })).first)
    record.initial = "bb"
    try other.save()
    let fresh = fixture.container.newBackgroundContext()
    #expect(
      try controller(request, in: fresh, cacheName: "x").sections.map(\.name)
        == ["c", "bb", "a", ""])
    #expect(sectionColumn == 4)
    #expect(
      try controller(request, in: fresh, cacheName: "x").sections.map(\.name)
        == ["c", "bb", "a", ""])
    #expect(sectionColumn == 4)
  }

  @Test func doesNotTrustADamagedCache() throws {
    let first = try controller(cacheName: "x")
    let folder = fixture.folder.url.appending(path: ".store_SUPPORT/_SECTIONS")
    let file = folder.appending(path: "x.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    for damaged in ["", "{", text.replacing("\"counts\":[1", with: "\"counts\":[2")] {
      try damaged.write(to: file, atomically: true, encoding: .utf8)
      #expect(try controller(cacheName: "x").snapshot == first.snapshot)
    }
    #expect(sectionColumn == 4)
  }
}
