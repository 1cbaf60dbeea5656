// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

@Suite struct HistoryTests {
  private let fixture: StoreFixture
  private var context: ManagedObjectContext { fixture.context }

  init() throws {
    var options = StoreOptions()
    options.tracksHistory = true
    fixture = try StoreFixture(options: options)
  }

  /// `insert Stop 1`, `update Stop 1 name,note`.
  private func text(_ transaction: HistoryTransaction) -> [String] {
    transaction.changes.map { change in
      let properties = change.updatedProperties.map { " " + $0.joined(separator: ",") } ?? ""
      return
        "\(change.kind) \(change.objectID.entityName) \(change.objectID.primaryKey)\(properties)"
    }
  }

  @Test func reportsWhoChangedWhat() throws {
    let start = Date()
    context.transactionAuthor = "import"
    let stop = fixture.makeStop("A", stopTimes: 1)
    try context.save()
    let other = fixture.container.newBackgroundContext(name: "editor")
    let same = try #require(try other.fetch(FetchRequest<Stop>()).first)
    same.name = "B"
    same.note = "n"
    try other.save()
    try context.refresh(stop, mergeChanges: false)
    context.transactionAuthor = nil
    context.delete(stop)
    try context.save()

    let history = try fixture.container.history(after: nil)
    #expect(history.map(\.author) == ["import", nil, nil])
    #expect(history.map(\.contextName) == [nil, "editor", nil])
    #expect(text(history[0]).sorted() == ["insert Stop 1", "insert StopTime 1"])
    #expect(text(history[1]) == ["update Stop 1 name,note"])
    #expect(text(history[2]).sorted() == ["delete Stop 1", "delete StopTime 1"])
    #expect(history.allSatisfy { $0.timestamp >= start && $0.timestamp <= Date() })
    #expect(history[0].changes[0].objectID.storeUUID == fixture.container.storeUUID)
    #expect(try fixture.container.currentHistoryToken() == history[2].token)
    #expect(try fixture.container.history(after: history[0].token) == Array(history[1...]))
    #expect(try fixture.container.history(after: start).count == 3)
    #expect(try fixture.container.history(after: Date()).isEmpty)
  }

  @Test func keepsItInCoreDatasTables() throws {
    context.transactionAuthor = "a"
    fixture.makeStop("A")
    try context.save()
    fixture.makeStop("B")
    try context.save()
    #expect(
      try fixture.rows("SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY 1")
        == ["16001|CHANGE|0|2", "16002|TRANSACTION|0|2", "16003|TRANSACTIONSTRING|0|1"])
    #expect(
      try fixture.rows("SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID FROM ACHANGE")
        == ["1|0|1|1|1", "2|0|1|2|2"])
    #expect(
      try fixture.rows("SELECT ZAUTHORTS, ZCONTEXTNAMETS FROM ATRANSACTION") == [
        "1|NULL", "1|NULL",
      ])
    #expect(try fixture.rows("SELECT ZNAME FROM ATRANSACTIONSTRING") == ["a"])
  }

  @Test func reportsOfBatches() throws {
    try context.batchInsert(Stop.self, count: 3) { row, index in
      row.identifier = Int64(index)
      row.name = "\(index)"
    }
    var update = BatchUpdateRequest<Stop>(where: { $0.identifier > 0 })
    update.set(\.name, to: "x")
    #expect(try context.execute(update).count == 2)
    #expect(try context.execute(BatchDeleteRequest<Stop>(where: { $0.identifier == 1 })).count == 1)
    #expect(
      try fixture.container.history(after: nil).map(text) == [
        ["insert Stop 1", "insert Stop 2", "insert Stop 3"],
        ["update Stop 2 name", "update Stop 3 name"], ["delete Stop 2"],
      ])
  }

  @Test func purgesAndNeverIssuesATokenTwice() throws {
    for name in ["A", "B", "C"] {
      fixture.makeStop(name)
      try context.save()
    }
    let history = try fixture.container.history(after: nil)
    #expect(try fixture.container.deleteHistory(before: history[2].token) == 2)
    #expect(try fixture.container.history(after: nil) == [history[2]])
    #expect(try fixture.container.deleteHistory(before: Date()) == 1)
    #expect(try fixture.rows("SELECT COUNT(*) FROM ACHANGE") == ["0"])
    fixture.makeStop("D")
    try context.save()
    let next = try fixture.container.history(after: history[2].token)
    #expect(next.count == 1 && next[0].token > history[2].token)
  }

  @Test func goesOnWhereAHistoryWasBegun() throws {
    let container = try fixture.reopened()
    #expect(container.tracksHistory && container.migrationSteps == [])
    let stop = container.mainContext.insert(Stop.self)
    stop.identifier = 1
    stop.name = "A"
    try container.mainContext.save()
    #expect(try container.history(after: nil).map(text) == [["insert Stop 1"]])
  }

  @Test func keepsNoHistoryOfARollbackOrOfAStoreWithoutHistory() throws {
    let stop = fixture.makeStop("A")
    try context.save()
    try Connection(path: fixture.url.path).execute("UPDATE ZSTOP SET Z_OPT = 9")
    stop.name = "B"
    #expect(throws: StoreError.self) { try context.save() }
    #expect(try fixture.container.history(after: nil).count == 1)
    let without = try StoreFixture()
    without.makeStop("A")
    try without.context.save()
    #expect(try without.container.history(after: nil).isEmpty)
    #expect(try without.rows("SELECT name FROM sqlite_master WHERE name LIKE 'A%'") == [])
  }
}
