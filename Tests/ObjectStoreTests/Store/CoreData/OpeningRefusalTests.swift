// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

/// An opening leaves a file that it does not understand unchanged.
@Suite struct OpeningRefusalTests {
  private static let head = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"

  private func refusal(
    _ file: CoreDataFile, _ model: String, _ policy: StoreOptions.MigrationPolicy = .automatic,
    readOnly: Bool = false
  ) throws -> [String] {
    let (bytes, files) = (file.bytes, file.files)
    defer {
      #expect(file.bytes == bytes)
      #expect(file.files == files)
    }
    do {
      try file.open(ModelText(model).model(in: file.folder)) {
        $0.migrationPolicy = policy
        $0.isReadOnly = readOnly
      }.close()
      return []
    } catch StoreError.incompatibleModel(let path, let differences) {
      #expect(path == file.url.path)
      return differences
    }
  }

  private func tags() throws -> CoreDataFile {
    try CoreDataFile(
      ["Item", "Tag"],
      """
      CREATE TABLE ZITEM (\(Self.head), ZDONE INTEGER, ZNAME VARCHAR, ZNOTE VARCHAR);
      CREATE TABLE ZTAG (\(Self.head), ZWORD VARCHAR);
      CREATE TABLE Z_1TAGS (Z_1ITEMS INTEGER, Z_2TAGS INTEGER, PRIMARY KEY (Z_1ITEMS, Z_2TAGS));
      INSERT INTO ZITEM VALUES (1, 1, 1, 1, 'a', NULL), (2, 1, 1, 0, 'b', 'n');
      INSERT INTO ZTAG VALUES (1, 2, 1, 'w'); INSERT INTO Z_1TAGS VALUES (1, 1), (2, 1);
      """)
  }

  @Test func refusesAModelThatSharesNoEntity() throws {
    #expect(
      try refusal(try tags(), "Order: total Double") == [
        "the model and the file have no entity in common: the file has Item, Tag, the model Order"
      ])
  }

  @Test func refusesAModelThatSharesNamesByChance() throws {
    let differences = try refusal(
      try tags(),
      "Item: price Double; quantity Int64; sku String\nCart: total Double\nOrder: x String")
    #expect(differences.first?.hasPrefix("the model may belong to another") == true)
  }

  @Test func refusesRequiredValuesThatRowsLackAndTakesADefault() throws {
    #expect(
      try refusal(
        try tags(),
        "Item: done Boolean; name String; note String !; tags ->> Tag/items\n"
          + "Tag: items ->> Item/tags; word String")
        == ["Item.note is not optional, and rows lack it"])
    let file = try tags()
    let container = try file.open(
      ModelText("Item: done Boolean; name String; note String ! =none").model(in: file.folder))
    #expect(container.migrationSteps == ["set ZITEM.ZNOTE to its default"])
    #expect(try file.rows("SELECT ZNOTE FROM ZITEM ORDER BY 1") == ["n", "none"])
  }

  @Test func refusesToChangeAFileWithRowsOfNoEntity() throws {
    let file = try tags()
    try Connection(path: file.url.path).execute(
      """
      CREATE TABLE ZLOST (\(Self.head), ZX VARCHAR); INSERT INTO ZLOST VALUES (1, 9, 1, 'x');
      CREATE TABLE Z_9FRIENDS (Z_9FRIENDS INTEGER, Z_8FRIENDS INTEGER);
      INSERT INTO Z_9FRIENDS VALUES (1, 1);
      """)
    let model =
      "Item: done Boolean; name String; note String; tags ->> Tag/items\n"
      + "Tag: items ->> Item/tags; word String"
    #expect(
      try refusal(file, model + "; added String").prefix(2) == [
        "the table ZLOST belongs to no entity of Z_PRIMARYKEY",
        "the table Z_9FRIENDS holds pairs of entities that are not in Z_PRIMARYKEY",
      ])
    #expect(try refusal(file, model, .exact).count == 2)
    // Nothing is to be changed: it opens.
    try file.open(ModelText(model).model(in: file.folder)).close()
    #expect(try file.rows("SELECT ZX FROM ZLOST") == ["x"])
  }

  @Test func listsWhatTheModelLacksUnderRefuse() throws {
    #expect(
      try refusal(try tags(), "Item: done Boolean; name String", .refuse) == [
        "the model has no entity Tag", "the model has no column ZITEM.ZNOTE",
        "the model has no table Z_1TAGS",
      ])
  }

  @Test func dropsTablesOnlyUnderTheExactPolicyAndListsThem() throws {
    let file = try tags()
    let model = try ModelText("Item: done Boolean; name String").model(in: file.folder)
    #expect(try file.open(model).migrationSteps.isEmpty)
    #expect(try file.rows("SELECT count(*) FROM Z_1TAGS") == ["2"])
    let container = try file.open(model) { $0.migrationPolicy = .exact }
    #expect(
      container.migrationSteps == [
        "dropped ZITEM.ZNOTE", "dropped entity Tag", "dropped table Z_1TAGS",
      ])
  }

  @Test func carriesPairsWhereOneEndHasAnotherName() throws {
    let file = try tags()
    let model = try ModelText(
      "Item: done Boolean; name String; note String; labels ->> Tag/items\n"
        + "Tag: items ->> Item/labels; word String"
    ).model(in: file.folder)
    #expect(try dump(try file.open(model)).contains("Tag/1 items=[1, 2] word=w"))
  }

  @Test func movesValuesOfSubentitiesToTheirParent() throws {
    let file = try CoreDataFile(
      ["Message", "Image:Message", "Text:Message"],
      """
      CREATE TABLE ZMESSAGE (\(Self.head), ZREAD INTEGER, ZREAD1 INTEGER, ZTITLE VARCHAR);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200)
      INSERT INTO ZMESSAGE SELECT i, 2 + i % 2, 1, iif(i % 2, NULL, 1), iif(i % 2, i % 4 = 1, NULL), 't' FROM n;
      """)
    let model = try ModelText(
      "Message: read Boolean !; title String\nImage ^Message: a String\nText ^Message: b String"
    ).model(in: file.folder)
    let container = try file.open(model)
    #expect(
      try file.rows(
        "SELECT Z_ENT, sum(ZREAD = 1), sum(ZREAD = 0), sum(ZREAD IS NULL) FROM ZMESSAGE GROUP BY 1")
        == ["2|100|0|0", "3|50|50|0"])
    #expect(
      try container.newBackgroundContext()
        .count(entityNamed: "Message", where: FetchPredicate("read == YES")) == 150)
  }

  @Test func hidesRowsOfEntitiesThatTheModelLacks() throws {
    let file = try CoreDataFile(
      ["Message", "Image:Message"],
      """
      CREATE TABLE ZMESSAGE (\(Self.head), ZTITLE VARCHAR, ZPATH VARCHAR);
      INSERT INTO ZMESSAGE VALUES (1, 1, 1, 'm', NULL), (2, 2, 1, 'i', 'p');
      """)
    let container = try file.open(ModelText("Message: title String").model(in: file.folder))
    #expect(try dump(container) == ["Message/1 title=m"])
    #expect(try file.rows("SELECT ZPATH FROM ZMESSAGE WHERE Z_ENT = 2") == ["p"])
  }

  @Test func leavesAWriteAheadLogAloneWhenItRefuses() throws {
    let file = try tags()
    let writer = try Connection(path: file.url.path)
    try writer.execute("PRAGMA wal_autocheckpoint = 0; UPDATE ZITEM SET ZNAME = 'changed'")
    let copy = file.folder.url.appending(path: "copy.sqlite")
    try FileManager.default.copyItem(at: file.url, to: copy)
    try FileManager.default.copyItem(atPath: file.url.path + "-wal", toPath: copy.path + "-wal")
    let before = try (Data(contentsOf: copy), Data(contentsOf: URL(filePath: copy.path + "-wal")))
    let foreign = try ModelText("Order: total Double").model(in: file.folder)
    #expect(throws: StoreError.self) { try PersistentContainer(at: copy, model: foreign) }
    #expect(try Data(contentsOf: copy) == before.0)
    #expect(try Data(contentsOf: URL(filePath: copy.path + "-wal")) == before.1)
  }
}

/// Names in a file are data: none of them ends up in SQL as it is.
@Suite struct HostileNamesTests {
  @Test func namesOfColumnsAndTablesDoNotRunAsSQL() throws {
    let head = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
    let file = try CoreDataFile(
      ["Code", "Tag", "x); DROP TABLE ZCODE; --"],
      """
      CREATE TABLE ZCODE (\(head), ZVALUE VARCHAR, "x); DROP TABLE ZTAG; --" "y); DROP TABLE ZTAG; --");
      CREATE TABLE ZTAG (\(head), ZWORD VARCHAR);
      CREATE TABLE "Z_1TAGS; DROP TABLE ZTAG; --" (Z_1CODES INTEGER, Z_2TAGS INTEGER);
      INSERT INTO ZCODE VALUES (1, 1, 1, 'v', 'kept'); INSERT INTO ZTAG VALUES (1, 2, 1, 'w');
      INSERT INTO "Z_1TAGS; DROP TABLE ZTAG; --" VALUES (1, 1);
      """)
    let model = try ModelText(
      "Code u=value: value String\nTag: word String; added String"
    ).model(in: file.folder)
    // The unknown table is not accounted for, so nothing is changed.
    #expect(throws: StoreError.self) { try file.open(model) }
    try Connection(path: file.url.path).execute("DELETE FROM \"Z_1TAGS; DROP TABLE ZTAG; --\"")
    let container = try file.open(model)
    #expect(try dump(container) == ["Code/1 value=v", "Tag/1 added=nil word=w"])
    #expect(try file.rows("SELECT \"x); DROP TABLE ZTAG; --\" FROM ZCODE") == ["kept"])
  }
}
