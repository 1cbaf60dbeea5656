// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

/// Numbers that the store keeps in its rows, and that are none: each is an error that names the row.
@Suite struct DamagedRowTests {
  private struct Owner: Entity {
    let name = Attribute<String>("name", default: "")
    let items: ToMany<Item> = ToMany("items", inverse: \.owner, ordered: true)
  }

  private struct Item: Entity {
    let code = Attribute<Int64>("code", default: 0)
    let owner = ToOne<Owner>("owner", inverse: \.items)
    static let uniquenessConstraints = [UniquenessConstraint<Item>(\.code)]
  }

  private static let notIntegers = ["1.5", "1e300", "'abc'", "x'01'", "NULL"]
  private let folder: TemporaryDirectory
  private var url: URL { folder.url.appending(path: "store.sqlite") }

  init() throws { folder = try TemporaryDirectory() }

  private func open() throws -> PersistentContainer {
    var options = StoreOptions()
    options.tracksHistory = true
    return try PersistentContainer(at: url, entities: Owner.self, Item.self, options: options)
  }

  /// A store with one owner of two items, and a damaged row.
  private func damaged(_ sql: String) throws -> PersistentContainer {
    let container = try open()
    let owner = container.mainContext.insert(Owner.self)
    for code in 1...2 {
      let item = container.mainContext.insert(Item.self)
      item.code = Int64(code)
      owner.items.append(item)
    }
    try container.mainContext.save()
    container.close()
    let connection = try Connection(path: url.path)
    try connection.execute(sql)
    #expect(connection.changes > 0)
    return try open()
  }

  private func rows() throws -> [String] {
    let connection = try Connection(path: url.path)
    var rows: [String] = []
    for table in ["ZITEM", "ZOWNER", "Z_PRIMARYKEY", "ATRANSACTION", "ACHANGE"] {
      let statement = try connection.prepare("SELECT * FROM \(table) ORDER BY 1")
      while try statement.step() {
        rows.append(
          (0..<statement.columnCount).map { "\(statement.columnType($0)) \(statement.string($0))" }
            .joined(separator: "|"))
      }
    }
    return rows
  }

  /// Nothing is written, and the error names table, row, column and value.
  private func expectDamage(
    _ sql: String, _ table: String, _ key: Int64, _ column: String,
    _ change: (PersistentContainer) throws -> Void
  ) throws {
    let container = try damaged(sql)
    defer { container.close() }
    let before = try rows()
    let error = #expect(throws: StoreError.self, Comment(rawValue: sql)) { try change(container) }
    guard case .damagedRow(_, table, key, column, _)? = error else {
      Issue.record("\(sql): \(String(describing: error))")
      return
    }
    #expect(error?.description.contains("row \(key) of \(table)") == true)
    #expect(try rows() == before)
  }

  private func change(_ container: PersistentContainer) throws {
    let items = try container.mainContext.fetch(FetchRequest<Item>())
    for item in items { item.code += 10 }
    try container.mainContext.save()
  }

  @Test(arguments: notIntegers + ["9223372036854775807"])
  func aVersionThatIsNoneIsNamedAtASave(value: String) throws {
    try expectDamage(
      "UPDATE ZITEM SET Z_OPT = \(value) WHERE Z_PK = 2", "ZITEM", 2, "Z_OPT", change)
  }

  @Test(arguments: notIntegers, [MergePolicy.objectTrump, .overwrite, .storeTrump, .rollback])
  func damagedVersionIsAnErrorUnderEachMergePolicy(value: String, policy: MergePolicy) throws {
    try expectDamage("UPDATE ZITEM SET Z_OPT = \(value) WHERE Z_PK = 2", "ZITEM", 2, "Z_OPT") {
      $0.mainContext.mergePolicy = policy
      try change($0)
    }
  }

  @Test(arguments: notIntegers)
  func deletionNamesTheDamagedRow(value: String) throws {
    try expectDamage("UPDATE ZITEM SET Z_OPT = \(value) WHERE Z_PK = 1", "ZITEM", 1, "Z_OPT") {
      let context = $0.mainContext
      for item in try context.fetch(FetchRequest<Item>()) { context.delete(item) }
      try context.save()
    }
  }

  @Test(arguments: notIntegers + ["9223372036854775807"])
  func batchUpdateNamesTheDamagedRow(value: String) throws {
    let sql = "UPDATE ZITEM SET Z_OPT = \(value) WHERE Z_PK = 2"
    try expectDamage(sql, "ZITEM", 2, "Z_OPT") {
      var update = BatchUpdateRequest<Item>(where: { $0.code == 2 })
      update.set(\.code, to: 7)
      try $0.mainContext.execute(update)
    }
    try FileManager.default.removeItem(at: url)
    try expectDamage(sql, "ZITEM", 2, "Z_OPT") {
      try $0.mainContext.execute(BatchDeleteRequest<Owner>(FetchRequest()))
    }
  }

  @Test func aBatchThatUpdatesNamesTheLastVersion() throws {
    try expectDamage(
      "UPDATE ZITEM SET Z_OPT = 9223372036854775807 WHERE Z_PK = 2", "ZITEM", 2, "Z_OPT"
    ) {
      try $0.mainContext.batchInsert(Item.self, count: 1, onConflict: .update) { row, _ in
        row.code = 2
      }
    }
  }

  @Test(arguments: notIntegers + ["9223372036854775807", "-1", "-9223372036854775808"])
  func keysThatCannotBeAllocatedAreNamed(value: String) throws {
    let container = try open()
    let entityID = try #require(container.model.entity(named: "Item")).entityID
    container.close()
    try FileManager.default.removeItem(at: url)
    try expectDamage(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = \(value) WHERE Z_NAME = 'Item'", "Z_PRIMARYKEY", entityID,
      "Z_MAX"
    ) {
      $0.mainContext.insert(Item.self).code = 50
      try $0.mainContext.save()
    }
  }

  @Test func aPermanentIDIsNeverThatOfARow() throws {
    let container = try damaged("UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Item'")
    defer { container.close() }
    let context = container.mainContext
    context.mergePolicy = .objectTrump
    let codes = try context.fetch(FetchRequest<Item>()).map(\.code).sorted()
    let item = context.insert(Item.self)
    item.code = 50
    let error = #expect(throws: StoreError.self) { try context.obtainPermanentIDs(for: [item]) }
    #expect(error?.description.contains("Z_MAX") == true)
    #expect(item.objectID.isTemporary)
    context.rollback()
    #expect(try context.fetch(FetchRequest<Item>()).map(\.code).sorted() == codes)
  }

  @Test func theLastKeysAreAllocated() throws {
    let container = try damaged(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775804 WHERE Z_NAME = 'Item'")
    defer { container.close() }
    let owner = try #require(try container.mainContext.fetch(FetchRequest<Owner>()).first)
    for code in 50...52 {
      let item = container.mainContext.insert(Item.self)
      item.code = Int64(code)
      owner.items.append(item)
    }
    try container.mainContext.save()
    #expect(owner.items.last?.objectID.primaryKey == .max)
    container.mainContext.insert(Item.self).code = 60
    #expect(throws: StoreError.self) { try container.mainContext.save() }
    let reopened = try open()
    #expect(
      try reopened.mainContext.fetch(FetchRequest<Owner>())[0].items.map(\.code) == [
        1, 2, 50, 51, 52,
      ])
  }

  @Test(arguments: ["TRANSACTION", "CHANGE"], notIntegers + ["9223372036854775807", "-9"])
  func numbersOfTheHistoryAreNamed(entity: String, value: String) throws {
    try expectDamage(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = \(value) WHERE Z_NAME = '\(entity)' AND Z_ENT > 16000",
      "Z_PRIMARYKEY", entity == "CHANGE" ? 16001 : 16002, "Z_MAX", change)
  }

  @Test func aPlaceBehindTheLastIsNamed() throws {
    try expectDamage(
      "UPDATE ZITEM SET Z_FOK_OWNER = 9223372036854775807 WHERE Z_PK = 2", "ZITEM", 2,
      "Z_FOK_OWNER"
    ) {
      let item = $0.mainContext.insert(Item.self)
      item.code = 70
      try $0.mainContext.fetch(FetchRequest<Owner>())[0].items.append(item)
      try $0.mainContext.save()
    }
  }

  @Test(arguments: ["1.5", "'abc'", "x'01'"])
  func aLastPlaceThatIsNoneIsNamed(value: String) throws {
    try expectDamage(
      "UPDATE ZITEM SET Z_FOK_OWNER = \(value) WHERE Z_PK = 2; "
        + "UPDATE ZITEM SET Z_FOK_OWNER = NULL WHERE Z_PK = 1", "ZITEM", 2, "Z_FOK_OWNER"
    ) {
      let item = $0.mainContext.insert(Item.self)
      item.code = 70
      try $0.mainContext.fetch(FetchRequest<Owner>())[0].items.append(item)
      try $0.mainContext.save()
    }
  }

  @Test(arguments: ["1.5", "'abc'", "x'01'", "NULL", "-5", "-9223372036854775808"])
  func placesOfAnotherTypeTrapNowhere(value: String) throws {
    let container = try damaged("UPDATE ZITEM SET Z_FOK_OWNER = \(value) WHERE Z_PK = 1")
    defer { container.close() }
    let owner = try container.mainContext.fetch(FetchRequest<Owner>())[0]
    let item = container.mainContext.insert(Item.self)
    item.code = 70
    owner.items.insert(item, at: 1)
    try container.mainContext.save()
    #expect(owner.items.count == 3)
  }
}
