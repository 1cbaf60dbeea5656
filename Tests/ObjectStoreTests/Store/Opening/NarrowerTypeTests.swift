// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

/// Attributes that get another type in a column of the same type.
@Suite struct NarrowerTypeTests {
  struct Change: CustomTestStringConvertible, Sendable {
    let old: String
    let new: String
    /// A value that the new type has, and one that it has not.
    let fitting: StoreValue
    let other: StoreValue

    var testDescription: String { "\(old) to \(new)" }
  }

  static let changes = [
    Change(
      old: "Binary", new: "UUID", fitting: .data(Data(repeating: 1, count: 16)),
      other: .data(Data([1, 2, 3]))),
    Change(old: "Int64", new: "Boolean", fitting: .integer(1), other: .integer(5)),
    Change(old: "Int64", new: "Int32", fitting: .integer(-7), other: .integer(1 << 40)),
    Change(old: "Int32", new: "Int16", fitting: .integer(7), other: .integer(70_000)),
    Change(
      old: "String", new: "URI", fitting: .string("http://a.b/c?d=e"), other: .string("not a link")),
    Change(old: "String", new: "URI", fitting: .string("mailto:a@b"), other: .string("")),
    Change(old: "Double", new: "Float", fitting: .double(0.5), other: .double(0.1)),
    Change(old: "Double", new: "Float", fitting: .double(3), other: .double(1e300)),
  ]

  private func model(_ type: String, _ folder: TemporaryDirectory) throws -> ManagedObjectModel {
    try ModelText("Note: value \(type); text String").model(in: folder)
  }

  @Test(arguments: changes, [false, true])
  func narrowerTypeIsRefusedIfAValueDoesNotFit(change: Change, ofCoreData: Bool) throws {
    // Core Data keeps numbers of a Float attribute as the program set them.
    guard !ofCoreData || change.other != .double(0.1) else { return }
    for (value, fits) in [(change.fitting, true), (change.other, false)] {
      let folder = try TemporaryDirectory()
      let url = folder.url.appending(path: "store.sqlite")
      let container = try PersistentContainer(
        at: url, model: model(change.old, folder), options: StoreOptions())
      let context = container.newBackgroundContext()
      let note = try context.insert(entityNamed: "Note")
      try note.setValue(value, forKey: "value")
      try context.save()
      container.close()
      if ofCoreData { try CoreDataFile.removeModel(of: url) }
      do {
        let container = try PersistentContainer(
          at: url, model: model(change.new, folder), options: StoreOptions())
        let found = try dump(container)
        #expect(fits && !found.contains { $0.contains("value=nil") }, "\(found)")
      } catch StoreError.incompatibleModel(_, let differences) {
        #expect(!fits && differences.contains { $0.hasPrefix("ZNOTE.ZVALUE has values that") })
      }
    }
  }

  @Test func aTypeThatStaysIsNotRefusedForItsValues() throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "store.sqlite")
    func open(_ text: String) throws -> PersistentContainer {
      try PersistentContainer(
        at: url, model: ModelText(text).model(in: folder), options: StoreOptions())
    }
    try open("Note: value Float; text String").close()
    try CoreDataFile.run("INSERT INTO ZNOTE VALUES (1, 1, 1, 0.1, 'x')", on: url)
    #expect(try dump(open("Note: value Float; text String; more String")).count == 1)
  }

  @Test(arguments: [false, true])
  func aRelationshipIsNoNumber(toOneFirst: Bool) throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "store.sqlite")
    let texts = [
      "Note: owner Int64; text String\nOwner: name String",
      "Note: owner -> Owner; text String\nOwner: name String",
    ]
    func open(_ text: String) throws -> PersistentContainer {
      try PersistentContainer(
        at: url, model: ModelText(text).model(in: folder), options: StoreOptions())
    }
    let container = try open(texts[toOneFirst ? 1 : 0])
    let context = container.newBackgroundContext()
    let note = try context.insert(entityNamed: "Note")
    let owner = try context.insert(entityNamed: "Owner")
    try context.save()
    try note.setValue(toOneFirst ? .object(owner.objectID) : .integer(1), forKey: "owner")
    try context.save()
    container.close()
    #expect(throws: StoreError.self) { try open(texts[toOneFirst ? 0 : 1]) }
    #expect(try dump(open(texts[toOneFirst ? 1 : 0])).count == 2)
  }

  @Test func aValueInAFileIsNoUUID() throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "store.sqlite")
    func open(_ text: String) throws -> PersistentContainer {
      try PersistentContainer(
        at: url, model: ModelText(text).model(in: folder), options: StoreOptions())
    }
    let container = try open("Note: value Binary E; text String")
    let context = container.newBackgroundContext()
    // With its mark, it has 16 bytes in the row.
    try context.insert(entityNamed: "Note").setValue(
      .data(Data(repeating: 1, count: 15)), forKey: "value")
    try context.save()
    container.close()
    #expect(throws: StoreError.self) { try open("Note: value UUID; text String") }
  }
}

extension CoreDataFile {
  static func run(_ sql: String, on url: URL) throws {
    try Connection(path: url.path, mode: .readWrite).execute(sql)
  }

  /// Removes this library's record of the model, as in a file that only Core Data wrote.
  static func removeModel(of url: URL) throws {
    let connection = try Connection(path: url.path, mode: .readWrite)
    let select = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
    guard try select.step() else { return }
    let list =
      try PropertyListSerialization.propertyList(
        from: Data(select.blob(0)), format: nil) as? [String: Any]
    select.reset()
    let kept = list?.filter { !$0.key.hasPrefix("ObjectStore") } ?? [:]
    let update = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
    try PropertyListSerialization.data(fromPropertyList: kept, format: .binary, options: 0)
      .withUnsafeBytes { update.bind(blob: $0, at: 1) }
    try update.run()
  }
}
