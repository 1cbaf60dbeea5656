// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import Testing

/// Many contexts, each the child of the one before.
@Suite struct NestingDepthTests {
  private func makeChain(
    _ count: Int, below context: ManagedObjectContext
  ) -> [ManagedObjectContext] {
    var chain = [context]
    for _ in 1..<count { chain.append(ManagedObjectContext(parent: chain[chain.count - 1])) }
    return chain
  }

  @Test func aHundredLevelsReadAndSave() throws {
    let fixture = try StoreFixture()
    let saved = fixture.makeStop("A", stopTimes: 2)
    try fixture.context.save()
    let chain = makeChain(100, below: fixture.container.newBackgroundContext())
    for context in chain { context.insert(StopTime.self).headsign = "x" }
    let last = chain[99]
    let stop = try #require(try last.fetch(FetchRequest<Stop>()).first)
    #expect(stop.name == "A" && stop.stopTimes.count == 2)
    #expect(try last.count(FetchRequest<StopTime>()) == 102)
    stop.name = "B"
    for context in chain.reversed() { try context.save() }
    #expect(try fixture.rows("SELECT ZNAME FROM ZSTOP") == ["B"])
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZSTOPTIME") == ["102"])
    withExtendedLifetime(saved) {}
  }

  @Test func moreLevelsAreAnError() throws {
    let fixture = try StoreFixture()
    let saved = fixture.makeStop("A", stopTimes: 2)
    try fixture.context.save()
    let deep = makeChain(5_000, below: fixture.container.newBackgroundContext())[4_999]
    let error = StoreError.nestedTooDeep(limit: 100)
    #expect(throws: error) { try deep.fetch(FetchRequest<Stop>()) }
    #expect(throws: error) { try deep.count(FetchRequest<Stop>()) }
    #expect(throws: error) { try deep.fetchObjectIDs(FetchRequest<Stop>()) }
    #expect(throws: error) { try deep.fetchDictionaries(FetchRequest<Stop>()) }
    #expect(throws: error) { try deep.fetchInBatches(FetchRequest<Stop>()) }
    #expect(throws: error) { try deep.existingObject(with: saved.objectID) }
    #expect(throws: error) { try deep.save() }
    #expect(throws: error) { try deep.refreshAllObjects() }
    let new = deep.insert(Stop.self)
    #expect(throws: error) { try deep.obtainPermanentIDs(for: [new]) }
    let fault = try #require(try deep.object(with: saved.objectID).as(Stop.self))
    #expect(fault.name == "" && fault.stopTimes.isEmpty)
    #expect(deep.faultError as? StoreError == error)
    deep.processPendingChanges()
    deep.rollback()
    deep.reset()
    #expect(throws: error) { try deep.save() }
  }

  @Test func manyLevelsEndWithoutFillingTheStack() throws {
    let fixture = try StoreFixture()
    var last = fixture.container.newBackgroundContext()
    for _ in 0..<20_000 { last = ManagedObjectContext(parent: last) }
    last = fixture.container.newBackgroundContext()
    #expect(try last.count(FetchRequest<Stop>()) == 0)
  }
}
