// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

/// Derived attributes that triggers of Core Data's files keep.
@Suite struct TriggeredRowsTests {
  private let shape: CoreDataShape
  private let file: CoreDataFile

  init() throws {
    shape = try #require(CoreDataShape.today.first { $0.name == "derived attributes" })
    file = try shape.file()
  }

  /// - Parameter isDeclared: whether the model declares the derivations, or plain attributes.
  private func open(isDeclared: Bool) throws -> PersistentContainer {
    let text =
      isDeclared
      ? shape.model
      : "Item: list -> List/items; price Int32; name String; updated Date\n"
        + "List: items ->> Item/list; title String; count Int64; total Int64"
    return try file.open(ModelText(text).model(in: file.folder)) { $0.isReadOnly = false }
  }

  private func sql(_ list: Int64) throws -> [String] {
    try file.rows(
      "SELECT count(*) || ' ' || ifnull(sum(ZPRICE), 0) FROM ZITEM WHERE ZLIST = \(list) UNION ALL "
        + "SELECT ZCOUNT || ' ' || ZTOTAL FROM ZLIST WHERE Z_PK = \(list)")
  }

  private func values(_ list: AnyManagedObject) throws -> String {
    func number(_ key: String) throws -> Int64 {
      guard case .integer(let number) = try list.value(forKey: key) else { return -1 }
      return number
    }
    return "\(try number("count")) \(try number("total"))"
  }

  private func list(_ context: ManagedObjectContext) throws -> AnyManagedObject {
    let lists = try context.fetch(entityNamed: "List")
    return try #require(lists.first { $0.objectID.primaryKey == 1 })
  }

  @Test(arguments: [true, false])
  func equalSQLInEachContextAfterInsertsAndDeletes(isDeclared: Bool) throws {
    let container = try open(isDeclared: isDeclared)
    let (first, second) = (container.newBackgroundContext(), container.newBackgroundContext())
    let (one, other) = (try list(first), try list(second))
    #expect(try values(one) == "2 30")
    #expect(try values(other) == "2 30")

    let item = try first.insert(entityNamed: "Item")
    try item.setValue(.integer(12), forKey: "price")
    try item.setValue(.object(one.objectID), forKey: "list")
    try first.save()
    #expect(try values(one) == "3 42")
    #expect(try sql(1) == ["3 42", "3 42"])

    // The row of its object is older than the file's; the version is the same.
    try other.setValue(.string("renamed"), forKey: "title")
    try second.save()
    #expect(try values(other) == "3 42")
    let third = container.newBackgroundContext()
    #expect(try values(list(third)) == "3 42")

    let items = try second.fetch(entityNamed: "Item")
    second.delete(try #require(items.first { $0.objectID.primaryKey == 1 }))
    try second.save()
    #expect(try sql(1) == ["2 32", "2 32"])
    #expect(try values(other) == "2 32")
    try first.refreshAllObjects()
    #expect(try values(one) == "2 32")
  }

  @Test func theTimeThatATriggerSetsIsThatOfTheObject() throws {
    let container = try open(isDeclared: false)
    let context = container.newBackgroundContext()
    let item = try #require(try context.fetch(entityNamed: "Item").first)
    try item.setValue(.string("new"), forKey: "name")
    try context.save()
    guard case .date(let date) = try item.value(forKey: "updated") else {
      Issue.record("no date")
      return
    }
    let key = item.objectID.primaryKey
    let stored = try #require(
      try file.rows("SELECT ZUPDATED > 700000000, ZUPDATED FROM ZITEM WHERE Z_PK = \(key)").first)
    #expect(stored.hasPrefix("1|"))
    #expect(abs(date.timeIntervalSinceReferenceDate - (Double(stored.dropFirst(2)) ?? 0)) < 0.001)
  }

  @Test func aTableIsCopiedWhereTriggersOfOthersNameIt() throws {
    let connection = try file.rows("ALTER TABLE ZLIST ADD COLUMN ZOLD VARCHAR")
    #expect(connection == [])
    let container = try file.open(ModelText(shape.model).model(in: file.folder)) {
      $0.isReadOnly = false
      $0.migrationPolicy = .exact
    }
    #expect(container.migrationSteps == ["dropped ZLIST.ZOLD"])
    let context = container.newBackgroundContext()
    let item = try context.insert(entityNamed: "Item")
    try item.setValue(.object(try list(context).objectID), forKey: "list")
    try context.save()
    #expect(try sql(1) == ["3 30", "3 30"])
  }

  @Test func aTriggerGoesWithTheColumnThatItSets() throws {
    let model =
      "Item: list -> List/items; price Int32; name String; updated Date\n"
      + "List: items ->> Item/list; title String; count Int64"
    let container = try file.open(ModelText(model).model(in: file.folder)) {
      $0.isReadOnly = false
      $0.migrationPolicy = .exact
    }
    let context = container.newBackgroundContext()
    let item = try context.insert(entityNamed: "Item")
    try item.setValue(.object(try list(context).objectID), forKey: "list")
    try context.save()
    #expect(try file.rows("SELECT ZCOUNT FROM ZLIST WHERE Z_PK = 1") == ["3"])
  }
}
