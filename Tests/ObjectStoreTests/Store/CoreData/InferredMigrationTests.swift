// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

/// A change of a model that Core Data infers a migration for, and the required state afterwards.
struct ModelChange: CustomTestStringConvertible, Sendable {
  let name: String
  let change: @Sendable (inout String) -> Void
  /// Lines of the dump that appear, as parts of them.
  let expected: [String]
  /// Changes of the same thing, with which it makes no sense.
  var excludes: [String] = []

  var testDescription: String { name }

  init(
    _ name: String, _ replaced: [(String, String)], expects expected: [String],
    excludes: [String] = []
  ) {
    self.name = name
    self.expected = expected
    self.excludes = excludes
    change = { text in
      for (old, new) in replaced { text = text.replacingOccurrences(of: old, with: new) }
    }
  }

  static let all: [ModelChange] = [
    ModelChange(
      "add an attribute", [("label String;", "label String; added Int64 ! =7;")],
      expects: ["added=7"]),
    ModelChange("remove an attribute", [(" weight Double;", "")], expects: ["code=10"]),
    ModelChange("make optional", [("code Int64 !;", "code Int64;")], expects: ["code=10"]),
    ModelChange(
      "make required", [("rank Int64;", "rank Int64 ! =5;")], expects: ["rank=5", "rank=3"]),
    ModelChange(
      "rename an attribute", [("label String;", "title String <label;")], expects: ["title=l1"],
      excludes: ["add an attribute"]),
    ModelChange(
      "rename an entity", [("Item:", "Thing <Item:"), ("Item/", "Thing/")],
      expects: ["Thing/1"]),
    ModelChange(
      "add an entity and a relationship",
      [("note String", "note String; extras ->> Extra/group")],
      expects: ["extras=[]"], excludes: ["remove a relationship"]),
    ModelChange(
      "remove a relationship",
      [
        (" tags ->> Tag/items;", ""), (" items ->> Item/tags;", ""), (" items ->> Thing/tags;", ""),
      ],
      expects: ["word=w1"]),
    ModelChange(
      "rename a relationship",
      [("tags ->> Tag/items;", "marks ->> Tag/items <tags;"), ("/tags", "/marks")],
      expects: ["marks=[1, 2]"], excludes: ["remove a relationship"]),
    ModelChange(
      "rename a to-one",
      [("group -> Group/items;", "box -> Group/items <group;"), ("/group", "/box")],
      expects: ["box=Group/1"],
      excludes: ["make a to-one a to-many", "add an entity and a relationship"]),
    ModelChange(
      "make a to-one a to-many", [("group -> Group/items;", "group ->> Group/items;")],
      expects: ["group=[1]"], excludes: []),
    ModelChange(
      "order a to-many", [("items ->> Item/group;", "items ->> Item/group #;")],
      expects: ["items=[1, 2]"]),
    ModelChange(
      "order a many-to-many", [("tags ->> Tag/items;", "tags ->> Tag/items #;")],
      expects: ["tags=[1, 2]"],
      excludes: ["remove a relationship", "rename a relationship"]),
    ModelChange(
      "move an attribute up",
      [
        ("Base: size Int64", "Base: size Int64; shared Boolean"),
        ("^Base: shared Boolean;", "^Base:"),
      ],
      expects: ["Left/1", "shared=true"]),
    ModelChange(
      "let an entity leave its hierarchy", [("Right ^Base:", "Right: size Int64;")],
      expects: ["Right/2", "size=2"], excludes: ["move an attribute up", "add a parent"]),
    ModelChange(
      "let an entity enter a hierarchy", [("Group:", "Group ^Base:")], expects: ["note=n1"],
      excludes: [
        "rename a to-one", "make a to-one a to-many", "add an entity and a relationship",
        "make a relationship",
      ]),
    ModelChange(
      "add a parent",
      [
        ("Tag:", "Labelled: text String\nTag ^Labelled:"),
        ("Tag u=word:", "Labelled: text String\nTag ^Labelled u=word:"),
      ],
      expects: ["Tag/1", "word=w1"]),
    ModelChange(
      "remove an entity", [("Left ^Base: shared Boolean; a String\n", "")],
      expects: ["Base/3 ", "size=9"],
      excludes: ["move an attribute up", "move an attribute down", "rename a parent"]),
    ModelChange(
      "remove an attribute of a subentity", [("; b String", "")], expects: ["Right/2", "size=2"],
      excludes: ["move an attribute up"]),
    ModelChange(
      "add a child", [("Zone: ", "Mark ^Tag: color String\nZone: ")],
      expects: ["Tag/1", "word=w1"], excludes: ["add a parent"]),
    ModelChange(
      "move an attribute down",
      [
        ("Base: size Int64", "Base:"), ("Left ^Base:", "Left ^Base: size Int64;"),
        ("Right ^Base:", "Right ^Base: size Int64;"),
      ],
      expects: ["Left/1", "Right/2", "size=1", "size=2"],
      excludes: ["let an entity leave its hierarchy", "move an attribute up"]),
    ModelChange(
      "remove a parent", [("^Base:", ": size Int64;"), ("Base: size Int64\n", "")],
      expects: ["Left/1", "size=1", "Right/2", "size=2"],
      excludes: [
        "move an attribute up", "let an entity leave its hierarchy", "move an attribute down",
        "let an entity enter a hierarchy", "remove an entity",
      ]),
    ModelChange(
      "unorder a to-many", [("places ->> Place/zone #;", "places ->> Place/zone;")],
      expects: ["places=[1, 2]"]),
    ModelChange(
      "make a one-to-one a one-to-many",
      [
        ("head -> Head/body;", "heads ->> Head/body <head;"),
        ("body -> Body/head", "body -> Body/heads"),
      ],
      expects: ["heads=[9]", "body=Body/1"]),
    ModelChange(
      "rename a parent", [("^Base", "^Root"), ("Base:", "Root <Base:")], expects: ["Root/3"],
      excludes: ["remove a parent"]),
    ModelChange(
      "remove a constraint", [(" u=word", "")],
      expects: ["word=w1"]),
    ModelChange(
      "add a constraint", [("Group:", "Group u=note:"), ("Group ^", "Group u=note ^")],
      expects: ["note=n1"]),
  ]

  static let base = """
    Item: label String; weight Double; code Int64 !; rank Int64; group -> Group/items; tags ->> Tag/items;
    Group: items ->> Item/group; note String
    Tag u=word: items ->> Item/tags; word String
    Base: size Int64
    Left ^Base: shared Boolean; a String
    Right ^Base: shared Boolean; b String
    Zone: places ->> Place/zone #; name String
    Place: zone -> Zone/places; name String
    Body: head -> Head/body; name String
    Head: body -> Body/head; name String
    """

  static let file = """
    CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCODE INTEGER,
      ZRANK INTEGER, ZGROUP INTEGER, ZWEIGHT FLOAT, ZLABEL VARCHAR);
    CREATE TABLE ZGROUP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNOTE VARCHAR);
    CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZWORD VARCHAR,
      CONSTRAINT ZWORD UNIQUE (ZWORD));
    CREATE TABLE ZBASE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSIZE INTEGER,
      ZSHARED INTEGER, ZSHARED1 INTEGER, ZA VARCHAR, ZB VARCHAR);
    CREATE TABLE Z_4TAGS (Z_4ITEMS INTEGER, Z_6TAGS INTEGER, PRIMARY KEY (Z_4ITEMS, Z_6TAGS));
    INSERT INTO ZITEM VALUES (1, 4, 1, 10, 3, 1, 0.5, 'l1'), (2, 4, 1, 20, NULL, 1, NULL, 'l2'),
      (3, 4, 2, 30, NULL, NULL, 1.5, NULL);
    INSERT INTO ZGROUP VALUES (1, 3, 1, 'n1'), (2, 3, 1, 'n2');
    INSERT INTO ZTAG VALUES (1, 6, 1, 'w1'), (2, 6, 1, 'w2');
    INSERT INTO Z_4TAGS VALUES (1, 1), (1, 2), (2, 2);
    INSERT INTO ZBASE VALUES (1, 2, 1, 1, 1, NULL, 'a1', NULL), (2, 5, 1, 2, NULL, 1, NULL, 'b1'),
      (3, 1, 1, 9, NULL, NULL, NULL, NULL);
    CREATE TABLE ZZONE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    CREATE TABLE ZPLACE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZZONE INTEGER,
      Z_FOK_ZONE INTEGER, ZNAME VARCHAR);
    CREATE TABLE ZBODY (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZHEAD INTEGER,
      ZNAME VARCHAR);
    CREATE TABLE ZHEAD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBODY INTEGER,
      ZNAME VARCHAR);
    INSERT INTO ZZONE VALUES (1, 7, 1, 'z1');
    INSERT INTO ZPLACE VALUES (1, 8, 1, 1, 2048, 'p1'), (2, 8, 1, 1, 1024, 'p2');
    INSERT INTO ZBODY VALUES (1, 9, 1, 9, 'b1');
    INSERT INTO ZHEAD VALUES (9, 10, 1, 1, 'h9');
    """

  static let entities = [
    "Base", "Left:Base", "Group", "Item", "Right:Base", "Tag", "Zone", "Place", "Body", "Head",
  ]

  static func text(_ changes: [ModelChange]) -> String {
    var text = base
    // A new name of a parent last: other changes name it.
    for change in changes.sorted(by: { $1.name == "rename a parent" && $0.name != $1.name }) {
      change.change(&text)
    }
    if text.contains("Extra/group") { text += "\nExtra: group -> Group/extras; x String" }
    return text
  }
}

/// Each change that Core Data infers a migration for, alone and with each other one, on a file with
/// rows.
@Suite struct InferredMigrationTests {
  @Test func theFileFitsTheModelItIsMadeFor() throws {
    let file = try CoreDataFile(ModelChange.entities, ModelChange.file)
    let container = try file.open(ModelText(ModelChange.base).model(in: file.folder))
    #expect(container.migrationSteps.isEmpty)
    #expect(
      try dump(container).filter { $0.hasPrefix("Base/") || $0.hasPrefix("Group/") } == [
        "Base/3 size=9", "Group/1 items=[1, 2] note=n1", "Group/2 items=[] note=n2",
      ])
  }

  @Test(arguments: ModelChange.all)
  func infersEachChange(change: ModelChange) throws { try check([change]) }

  /// A fifth of the ordered pairs, each change with five others; all with ALL_PAIRS=1.
  @Test(arguments: ModelChange.all.indices)
  func infersEachPairOfChanges(index: Int) throws {
    let change = ModelChange.all[index]
    let all = ProcessInfo.processInfo.environment["ALL_PAIRS"] == "1"
    for (place, other) in ModelChange.all.enumerated()
    where (all || (index + place) % 5 == 0) && other.name != change.name
      && !other.excludes.contains(change.name) && !change.excludes.contains(other.name)
    {
      try check([change, other])
    }
  }

  private func check(_ changes: [ModelChange]) throws {
    let names = changes.map(\.name).joined(separator: ", ")
    let text = ModelChange.text(changes)
    let file = try CoreDataFile(ModelChange.entities, ModelChange.file)
    let model = try ModelText(text).model(in: file.folder)
    let counts = try values(file)
    do {
      let container = try file.open(model)
      let found = try dump(container).joined(separator: "\n")
      for change in changes {
        for part in change.expected { #expect(found.contains(part), "\(names): \(part)\n\(found)") }
      }
      try checkRequired(container, names)
      // A save goes on with new keys.
      let context = container.newBackgroundContext()
      for entity in container.model.entities
      where entity.attributesByName.values
        .allSatisfy({ $0.isOptional || $0.defaultValue != .null })
      {
        _ = try context.insert(entityNamed: entity.name)
      }
      try context.save()
      container.close()
      let again = try file.open(model)
      #expect(again.migrationSteps.isEmpty, "\(names)")
    } catch {
      Issue.record("\(names): \(error)")
    }
    let now = try values(file)
    for (value, count) in counts { #expect(now[value, default: 0] >= count, "\(names): \(value)") }
    #expect(try file.rows("PRAGMA integrity_check") == ["ok"])
  }

  private func checkRequired(_ container: PersistentContainer, _ names: String) throws {
    let context = container.newBackgroundContext()
    for entity in container.model.entities where entity.superentity == nil {
      for object in try context.fetch(entityNamed: entity.name) {
        for attribute in object.entity.attributesByName.values where !attribute.isOptional {
          #expect(try object.value(forKey: attribute.name) != .null, "\(names): \(attribute.name)")
        }
      }
    }
  }

  /// How often each text and number is in the tables of entities, whatever its column; how many
  /// pairs there are.
  private func values(_ file: CoreDataFile) throws -> [String: Int] {
    var values: [String: Int] = [:]
    for (key, count) in try file.contents() {
      let value = key.split(separator: ": ").last.map(String.init) ?? key
      let isKey = key.hasPrefix("Z_ENT") && !key.contains(": ")
      let kind = isKey ? String(key.prefix { $0 != "k" }) : key.hasPrefix("pair") ? "pair" : value
      // Keys of other rows may change when rows move to another table.
      if Int(kind) != nil { continue }
      values[kind, default: 0] += count
    }
    return values
  }
}
