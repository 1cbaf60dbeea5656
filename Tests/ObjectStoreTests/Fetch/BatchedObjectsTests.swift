// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import StoreEvents
import StoreInstruments
import TestSupport
import Testing

@Suite struct BatchedObjectsTests {
  private let fixture: StoreFixture
  private var context: ManagedObjectContext { fixture.context }

  private static let columns =
    "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZIDENTIFIER, t0.ZLATITUDE, t0.ZLONGITUDE, t0.ZNAME, t0.ZNOTE "
    + "FROM ZSTOP t0 WHERE  t0.Z_PK "
  private static let range = columns + "BETWEEN ? AND ?  LIMIT 10"
  private static let list = columns + "IN (SELECT value FROM json_each(?))  LIMIT 10"

  /// A hundred saved stops with the identifiers 0 to 99, which are at the end of their names.
  init() throws {
    fixture = try StoreFixture()
    try fixture.context.batchInsert(Stop.self, count: 100) { row, index in
      row.identifier = Int64(index)
      row.name = "stop \(index)"
    }
    fixture.observer.removeAll()
  }

  private func request(batchSize: Int = 10) -> FetchRequest<Stop> {
    var request = FetchRequest<Stop>()
    request.sortDescriptors = [.descending(\.identifier)]
    request.fetchBatchSize = batchSize
    return request
  }

  private var batchCount: Int {
    fixture.observer.sql.count { $0.contains("  LIMIT ") }
  }

  // MARK: - Loading

  @Test func countsAtOnceAndLoadsABatchWhenAnElementIsRead() throws {
    let stops = try context.fetchInBatches(request())
    #expect(stops.count == 100 && !stops.isEmpty)
    #expect(
      fixture.observer.sql == ["SELECT 0, t0.Z_PK FROM ZSTOP t0 ORDER BY t0.ZIDENTIFIER DESC"])
    #expect(stops[12].name == "stop 87")
    #expect(stops[19].name == "stop 80")
    #expect(fixture.observer.sql.dropFirst() == [Self.range])
    #expect(fixture.observer.bindings.last == [.integer(81), .integer(90)])
    #expect(stops.objectID(at: 99).primaryKey == 1)
    #expect(batchCount == 1)
  }

  @Test func keysBetweenWhichOthersAreAreListed() throws {
    var request = request()
    request.predicate = FetchRequest<Stop>(where: { $0.identifier != 85 }).predicate
    let stops = try context.fetchInBatches(request)
    #expect(stops[12].name == "stop 87")
    #expect(stops[30].name == "stop 68")
    #expect(fixture.observer.sql.dropFirst() == [Self.list, Self.range])
    #expect(
      fixture.observer.bindings.dropFirst().map(\.self) == [
        [.text("[90,89,88,87,85,84,83,82,81,80]")], [.integer(60), .integer(69)],
      ])
  }

  @Test(arguments: [true, false]) func rowDeletedSinceIsAFaultWithoutARow(
    isAscending: Bool
  ) throws {
    var request = request()
    request.sortDescriptors = [isAscending ? .ascending(\.identifier) : .descending(\.identifier)]
    let stops = try context.fetchInBatches(request)
    let other = fixture.container.newBackgroundContext()
    let place = isAscending ? 13 : 86
    try other.performAndWait {
      let request = FetchRequest<Stop>(where: { $0.identifier == 13 })
      other.delete(try #require(try other.fetch(request).first))
      try other.save()
    }
    #expect(try stops.object(at: place) == nil)
    #expect(stops[place].name == "")
    for (near, identifier) in [
      (place - 1, isAscending ? 12 : 14), (place + 1, isAscending ? 14 : 12),
    ] {
      #expect(stops[near].identifier == Int64(identifier))
    }
  }

  @Test func iteratesSlicesAndMapsLazilyBatchByBatch() throws {
    let stops = try context.fetchInBatches(request())
    var identifiers: [Int64] = []
    for stop in stops { identifiers.append(stop.identifier) }
    #expect(identifiers == (0..<100).reversed())
    #expect(batchCount == 10)

    let slice = try context.fetchInBatches(request())[25..<35]
    #expect(slice.map { $0.identifier } == (65...74).reversed())
    #expect(batchCount == 12)

    let lazy = try context.fetchInBatches(request()).lazy.map { $0.identifier }
    #expect(lazy.first { $0 < 70 } == 69)
    #expect(batchCount == 16)

    #expect(
      try context.fetchInBatches(request()).reversed().prefix(3).map { $0.name }
        == ["stop 0", "stop 1", "stop 2"])
    #expect(batchCount == 17)
  }

  @Test func withoutABatchSizeIsOneBatch() throws {
    let stops = try context.fetchInBatches(request(batchSize: 0))
    #expect(stops.map { $0.identifier } == (0..<100).reversed())
    #expect(batchCount == 1)
    #expect(try context.fetchInBatches(FetchRequest<StopTime>()).map(\.objectID) == [])
  }

  @Test func fillsObjectsWhereTheRequestWantsNoFaults() throws {
    var request = request()
    #expect(try context.fetchInBatches(request)[0].isFault == true)
    request.returnsObjectsAsFaults = false
    #expect(try context.fetchInBatches(request)[0].isFault == false)
  }

  // MARK: - Forgetting

  @Test func keepsFourBatches() throws {
    let stops = try context.fetchInBatches(request())
    for position in [5, 15, 25, 35, 6, 16, 26, 36] { _ = stops[position] }
    #expect(batchCount == 4)
    let first = stops.objectID(at: 5)
    #expect(context.registeredObject(for: first) != nil)
    _ = stops[45]
    #expect(context.registeredObject(for: first) == nil)
    #expect(stops[5].identifier == 94)
    #expect(batchCount == 6)
  }

  @Test func takesTheRowsOfDroppedBatchesOutOfTheRowCache() throws {
    let stops = try context.fetchInBatches(request())
    let held = stops[3]
    let dropped = stops.objectID(at: 4)
    for _ in stops {}
    let misses = fixture.container.statistics.cacheMisses
    #expect(held.name == "stop 96")
    #expect(fixture.container.statistics.cacheMisses == misses)
    #expect(try context.existingObject(with: dropped).value(forKey: "name") == .string("stop 95"))
    #expect(fixture.container.statistics.cacheMisses == misses + 1)
  }

  @Test func returnsNilForObjectsDeletedSince() throws {
    let stops = try context.fetchInBatches(request())
    let other = fixture.container.newBackgroundContext()
    other.delete(try other.existingObject(with: stops.objectID(at: 1)))
    try other.save()
    let found = try (0..<3).map { try stops.object(at: $0) != nil }
    #expect(found == [true, false, true])
    context.delete(stops[0])
    #expect(try stops.object(at: 0) == nil)
    context.rollback()
    #expect(stops[0].identifier == 99)
    context.delete(stops[0])
    try context.save()
    #expect(try stops.object(at: 0) == nil)
    #expect(stops.count == 100)
    #expect(try stops.loadingAll().count == 98)
  }

  @Test func loadsAgainAfterAReset() throws {
    let stops = try context.fetchInBatches(request())
    let before = stops[0]
    context.reset()
    let after = stops[0]
    #expect(after !== before && after.managedObjectContext === context)
    #expect(after.identifier == 99)
  }

  @Test func keepsTheErrorWhereItCannotThrow() throws {
    let stops = try context.fetchInBatches(request())
    fixture.container.close()
    #expect(throws: StoreError.self) { try stops.object(at: 0) }
    #expect(stops[0].isFault)
    #expect(context.faultError is StoreError)
  }

  // MARK: - Descriptions

  @Test func describesItselfWithoutLoading() throws {
    let stops = try context.fetchInBatches(request())
    #expect("\(stops)" == "100 Stop objects in batches of 10, 0 of them loaded")
    #expect(String(reflecting: stops) == "\(stops)")
    var dumped = ""
    dump(stops, to: &dumped)
    #expect(dumped == "- 100 Stop objects in batches of 10, 0 of them loaded\n")
    #expect(batchCount == 0)
    _ = stops[0]
    #expect("\(stops)" == "100 Stop objects in batches of 10, 1 of them loaded")
  }

  @Test func reportsBatchesAsChildrenOfTheirFetch() throws {
    let stops = try context.fetchInBatches(request(), file: "f", line: 3)
    _ = stops[95]
    let ends = fixture.observer.events.compactMap { event -> FetchEnd? in
      if case .fetchEnd(let end) = event { end } else { nil }
    }
    try #require(ends.count == 2)
    #expect(ends[0].kind == .objects && ends[0].rows == 100 && ends[0].batchSize == 10)
    #expect(ends[1].kind == .batch && ends[1].rows == 10 && ends[1].batchSize == 10)
    #expect(ends[1].parentID == ends[0].fetchID && ends[0].parentID == 0)
    #expect(ends[1].statementID == StatementID(sql: Self.range))
    guard
      case .fetchBegin(let begin) = fixture.observer.events.last(where: { $0.kind == .fetchBegin })
    else { return #expect(Bool(false)) }
    #expect(begin.location == SourceLocation(file: "f", line: 3))
    #expect(fixture.observer.plans[Self.range]?.contains(where: \.isTableScan) == false)
  }

  @Test func warnsWhenAllObjectsAreLoadedAtOnce() throws {
    let stops = try context.fetchInBatches(request(), file: "f", line: 3)
    for _ in stops {}
    #expect(fixture.observer.warnings == [])
    #expect(try stops.loadingAll().map(\.identifier) == (0..<100).reversed())
    #expect(Array(stops).count == 100)
    #expect(try context.fetch(request(), file: "f", line: 9).count == 100)
    #expect(
      fixture.observer.warnings == [
        "all 100 Stop objects of the fetch at f:3 were read at once, in batches of 10; go "
          + "through the batched result, or fetch without a batch size",
        "all 100 Stop objects of the fetch at f:3 were read at once, in batches of 10; go "
          + "through the batched result, or fetch without a batch size",
        "the fetch at f:9 has a batch size of 10 and loads all its Stop objects at once; use "
          + "fetchInBatches, or fetch without a batch size",
      ])
    _ = try context.fetchInBatches(request(batchSize: 0)).loadingAll()
    #expect(fixture.observer.warnings.count == 3)
  }

  // MARK: - Unsaved changes

  @Test func keepsAnUnsavedObjectThroughItsSave() throws {
    let new = fixture.makeStop("new", identifier: 50)
    let stops = try context.fetchInBatches(request())
    #expect(stops.count == 101)
    #expect(stops[50] === new)
    #expect(stops.objectID(at: 50).isTemporary)
    try context.save()
    #expect(stops[50] === new && stops[51].name == "stop 49")
    context.delete(new)
    #expect(try stops.object(at: 50) == nil && stops[50] === new)
  }

  /// The plain fetch takes all objects in memory; the batched one must agree with it.
  @Test(arguments: 0..<60)
  func agreesWithThePlainFetchUnderUnsavedChanges(seed: UInt64) throws {
    var random = SeededGenerator(seed)
    let stops = try context.fetch(FetchRequest<Stop>())
    for stop in stops.shuffled(using: &random).prefix(Int.random(in: 0...30, using: &random)) {
      switch Int.random(in: 0...3, using: &random) {
      case 0: context.delete(stop)
      case 1: stop.identifier = Int64.random(in: 0..<100, using: &random)
      case 2: stop.latitude = Double.random(in: -2...2, using: &random).rounded()
      default: stop.note = "unsorted"
      }
    }
    for index in 0..<Int.random(in: 0...5, using: &random) {
      fixture.makeStop("new \(index)", identifier: Int64.random(in: -5..<105, using: &random))
    }
    var request = FetchRequest<Stop>(where: { $0.identifier >= 20 })
    request.sortDescriptors =
      [
        [], [.ascending(\.latitude)], [.descending(\.latitude), .ascending(\.identifier)],
      ][Int.random(in: 0...2, using: &random)]
    request.fetchLimit = [0, 7, 200].randomElement(using: &random) ?? 0
    request.fetchOffset = [0, 5, 90].randomElement(using: &random) ?? 0
    let wanted = try context.fetch(request)
    request.fetchBatchSize = Int.random(in: 1...9, using: &random)
    let batched = try context.fetchInBatches(request)
    #expect(batched.map { $0.objectID } == wanted.map(\.objectID))
    request.includesPendingChanges = false
    request.fetchBatchSize = 0
    let saved = try context.fetch(request)
    request.fetchBatchSize = 4
    #expect(
      try context.fetchInBatches(request).map { $0.objectID }
        == saved.map(\.objectID))
  }

  @Test func findsUnsavedObjectsUnderPermanentIDs() throws {
    let new = context.insert(Stop.self)
    (new.name, new.identifier) = ("new", 1000)
    try context.obtainPermanentIDs(for: [new])
    #expect(try context.fetchInBatches(request())[0] === new)
    let child = ManagedObjectContext(parent: context)
    #expect(try child.fetchInBatches(request())[0].name == "new")
  }
}
