// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

/// Files as Core Data and SwiftData write them since 2020, opened, written and read back.
@Suite struct TodaysFilesTests {
  private func shape(_ name: String) throws -> CoreDataShape {
    try #require(CoreDataShape.today.first { $0.name == name })
  }

  private func appleHashes(_ file: CoreDataFile) throws -> [String] {
    try file.rows("SELECT quote(Z_PLIST) FROM Z_METADATA").map { text in
      let bytes = text.dropFirst(2).dropLast()
      return String(bytes).contains(String(repeating: "01", count: 32)) ? "kept" : "lost"
    }
  }

  private func schema(_ file: CoreDataFile) throws -> [String] {
    try file.rows("SELECT name, sql FROM sqlite_master WHERE sql <> '' ORDER BY name")
  }

  @Test(arguments: CoreDataShape.today, [StoreOptions.MigrationPolicy.automatic, .exact, .refuse])
  func opensAsItIs(shape: CoreDataShape, policy: StoreOptions.MigrationPolicy) throws {
    let file = try shape.file()
    let before = try schema(file)
    let container = try file.open(shape.model(.fitting, in: file.folder)) {
      $0.isReadOnly = false
      $0.migrationPolicy = policy
    }
    #expect(container.migrationSteps == [])
    let found = try dump(container)
    for line in shape.expected { #expect(found.contains(line), "\(found)") }
    container.close()
    #expect(try schema(file) == before)
    #expect(try appleHashes(file) == ["kept"])
  }

  @Test(arguments: CoreDataShape.today)
  func isWrittenAndReadBack(shape: CoreDataShape) throws {
    let file = try shape.file()
    let model = try shape.model(.fitting, in: file.folder)
    let before = try schema(file)
    var found: [String] = []
    do {
      let container = try file.open(model) { $0.isReadOnly = false }
      let context = container.newBackgroundContext()
      for entity in model.entities { _ = try context.insert(entityNamed: entity.name) }
      try context.save()
      let name = try #require(model.entities.first).name
      let object = try #require(try context.fetch(entityNamed: name).first)
      context.delete(object)
      try context.save()
      found = try dump(container)
    }
    let again = try file.open(model) { $0.isReadOnly = true }
    #expect(try dump(again) == found)
    again.close()
    #expect(try schema(file) == before)
    #expect(try appleHashes(file) == ["kept"])
    #expect(try file.rows("PRAGMA integrity_check") == ["ok"])
  }

  @Test func readsAndWritesTheBitmapOfChangedColumns() throws {
    let shape = try shape("SwiftData with a history and a to-many without an inverse")
    let file = try shape.file()
    let container = try file.open(shape.model(.fitting, in: file.folder)) { $0.isReadOnly = false }
    let context = container.newBackgroundContext()
    context.transactionAuthor = "linux"
    let note = try #require(try context.fetch(entityNamed: "Note").first)
    try note.setValue(.string("new"), forKey: "body")
    try note.setValue(.string("title"), forKey: "title")
    try context.save()
    let history = try container.history(after: nil)
    #expect(history.map(\.author) == ["app", "sync", "linux"])
    #expect(
      history.map { $0.changes.map { $0.updatedProperties ?? [] } }
        == [[[], []], [["pinned", "title"]], [["body", "title"]]])
    container.close()
    // body, folder, notes, pinned, tags, title
    #expect(
      try file.rows("SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1") == ["14", "84"])
  }

  @Test(arguments: ["03", "1414", "7469746c65", "746974"])
  func aBitmapOfAnotherModelIsUnknown(bytes: String) throws {
    let shape = try shape("SwiftData with a history and a to-many without an inverse")
    let file = try shape.file()
    _ = try file.rows("UPDATE ACHANGE SET ZCOLUMNS = X'\(bytes)' WHERE Z_PK = 3")
    let container = try file.open(shape.model(.fitting, in: file.folder)) { $0.isReadOnly = true }
    let change = try #require(try container.history(after: nil).last?.changes.last)
    // Names as earlier versions of this library wrote them are read.
    #expect(change.updatedProperties == (bytes == "7469746c65" ? ["title"] : nil))
  }

  @Test func refusesAValueThatAUniqueIndexHas() throws {
    let shape = try shape("a unique index")
    let file = try shape.file()
    let container = try file.open(shape.model(.fitting, in: file.folder)) { $0.isReadOnly = false }
    let context = container.newBackgroundContext()
    try context.insert(entityNamed: "Code").setValue(.string("v"), forKey: "value")
    do {
      try context.save()
      Issue.record("saved")
    } catch StoreError.notUnique(let entity, let properties) {
      #expect(entity == "Code")
      #expect(properties == ["value"])
    }
  }

  @Test func dropsTheIndexOfAConstraintThatTheModelLacks() throws {
    let shape = try shape("a unique index")
    let file = try shape.file()
    let model = try ModelText("Code: value String; label String").model(in: file.folder)
    let container = try file.open(model) { $0.isReadOnly = false }
    #expect(container.migrationSteps == ["allowed rows of ZCODE to have the same (ZVALUE)"])
    let context = container.newBackgroundContext()
    try context.insert(entityNamed: "Code").setValue(.string("v"), forKey: "value")
    try context.save()
    container.close()
    #expect(try file.rows("SELECT count(*) FROM ZCODE WHERE ZVALUE = 'v'") == ["2"])
  }

  @Test func keepsAConstraintOverAnAttributeThatTheModelLacks() throws {
    let shape = try shape("a unique index")
    let file = try shape.file()
    let before = try schema(file)
    let model = try ModelText("Code: label String").model(in: file.folder)
    let container = try file.open(model) { $0.isReadOnly = false }
    #expect(container.migrationSteps == [])
    let context = container.newBackgroundContext()
    for _ in 0..<2 { _ = try context.insert(entityNamed: "Code") }
    try context.save()
    container.close()
    #expect(try schema(file) == before)
    #expect(try appleHashes(file) == ["kept"])
  }

  @Test func writesANewConstraintAsAnIndexWithoutCopyingTheTable() throws {
    let shape = try shape("a unique index")
    let file = try shape.file()
    let model = try ModelText("Code u=value u=label: value String; label String")
      .model(in: file.folder)
    let root = try file.rows("SELECT rootpage FROM sqlite_master WHERE name = 'ZCODE'")
    let container = try file.open(model) { $0.isReadOnly = false }
    #expect(container.migrationSteps == ["made (ZLABEL) of ZCODE unique"])
    container.close()
    #expect(try file.rows("SELECT rootpage FROM sqlite_master WHERE name = 'ZCODE'") == root)
    #expect(
      try file.rows("SELECT sql FROM sqlite_master WHERE name GLOB 'Z_Code*' ORDER BY name") == [
        "CREATE UNIQUE INDEX Z_Code_UNIQUE_label ON ZCODE (ZLABEL COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_Code_UNIQUE_value ON ZCODE (ZVALUE COLLATE BINARY ASC)",
      ])
  }

  @Test func exactIndexesKeepIndexesOfConstraints() throws {
    let shape = try shape("unique indexes in a hierarchy")
    let file = try shape.file()
    let before = try schema(file)
    try file.open(shape.model(.fitting, in: file.folder)) {
      $0.isReadOnly = false
      $0.indexPolicy = .exact
    }.close()
    #expect(try schema(file) == before)
  }

  @Test func keepsConstraintsOfAttributesThatAreRenamed() throws {
    let shape = try shape("a unique index")
    let file = try shape.file()
    let model = try ModelText("Code u=text u=value: text String <value; value String; label String")
      .model(in: file.folder)
    let container = try file.open(model) { $0.isReadOnly = false }
    container.close()
    #expect(
      try file.rows("SELECT name FROM sqlite_master WHERE name GLOB 'Z_Code*' ORDER BY name")
        == ["Z_Code_UNIQUE_text", "Z_Code_UNIQUE_value"])
    try file.open(model) { $0.isReadOnly = true }.close()
  }
}
