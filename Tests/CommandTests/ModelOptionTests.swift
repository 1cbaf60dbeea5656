// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// `--model`: the fixes in the terms of the app's own data model.
@Suite struct ModelOptionTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  private let store: String
  private let model: String
  private let log: String

  init() throws {
    folder = try TemporaryDirectory()
    store = folder.path("Model.sqlite")
    model = folder.path("Notes.xcdatamodel")
    log = folder.path("console.log")
    let head = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
    try Connection(path: store).execute(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Folder', 0, 100), (2, 'Item', 0, 5000), (3, 'Note', 2, 0);
      INSERT INTO Z_METADATA VALUES (1, 'UUID', NULL);
      CREATE TABLE ZFOLDER (\(head), ZNAME VARCHAR);
      CREATE TABLE ZITEM (\(head), ZFOLDER INTEGER, ZTEXTCOLOR INTEGER, ZCREATIONDATE TIMESTAMP);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100)
        INSERT INTO ZFOLDER SELECT i, 1, 1, 'f' || i FROM n;
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)
        INSERT INTO ZITEM SELECT i, 3, 1, i % 100 + 1, i % 7, i FROM n;
      """)
    try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
    try Data(
      """
      <model><entity name="Folder">
      <attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="allItems" optional="YES" toMany="YES" destinationEntity="Item" inverseName="folder" inverseEntity="Item"/>
      </entity><entity name="Item">
      <attribute name="creationDate" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
      <relationship name="folder" optional="YES" destinationEntity="Folder" inverseName="allItems" inverseEntity="Folder"/>
      </entity><entity name="Note" parentEntity="Item">
      <attribute name="textColor" optional="YES" attributeType="Integer 64"/>
      </entity></model>
      """.utf8
    ).write(to: URL(filePath: model + "/contents"))
  }

  private func write(_ statements: [String], rows: Int = 4) throws {
    let text = statements.map { sql in
      """
      CoreData: sql: \(sql)
      CoreData: annotation: sql connection fetch time: 0.0400s
      CoreData: annotation: total fetch execution time: 0.0420s for \(rows) rows.

      """
    }.joined()
    try Data(text.utf8).write(to: URL(filePath: log))
  }

  private static let byDate =
    "SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE  t0.ZCREATIONDATE > ? AND t0.ZTEXTCOLOR = ?"
  private static let fix =
    "add a fetch index on textColor, creationDate (ZTEXTCOLOR, ZCREATIONDATE) to Note in the model (<fetchIndex>)"

  private func oneLine(_ text: String) -> String {
    text.split { $0.isWhitespace }.joined(separator: " ")
  }

  @Test func plansNameTheEntityAndItsProperties() async throws {
    try write([Self.byDate])
    let run = try await report.run("plans", log, "--database", store, "--model", model)
    #expect(run.status == 0, "\(run.error)")
    #expect(oneLine(run.output).contains("model: " + Self.fix), "\(run.output)")
    let json = try await report.run("plans", log, "--database", store, "--model", model, "--json")
    #expect(json.output.contains("\"fetchIndexes\""), "\(json.output)")
    let without = try await report.run("plans", log, "--database", store)
    #expect(!without.output.contains("fetch index"), "\(without.output)")
  }

  @Test func adviceNamesTheEntityAndItsProperties() async throws {
    try write(Array(repeating: Self.byDate, count: 20))
    let run = try await report.run("advise", log, "--database", store, "--model", model)
    #expect(oneLine(run.output).contains(Self.fix), "\(run.output)\(run.error)")
    #expect(!run.output.contains("with the properties' own spelling"), "\(run.output)")
    let json = try await report.run("advise", log, "--database", store, "--model", model, "--json")
    #expect(json.output.contains("\"fetchIndex\""), "\(json.output)")
  }

  @Test func findingsNameTheEntityAndItsProperties() async throws {
    try write(Array(repeating: Self.byDate, count: 20))
    let run = try await report.run("summary", "--all", log, "--database", store, "--model", model)
    #expect(oneLine(run.output).contains(Self.fix), "\(run.output)\(run.error)")
  }

  @Test func aCountForEachRowIsADerivedAttribute() async throws {
    let count = "add a derived attribute with the expression allItems.@count to Folder"
    try write(
      Array(
        repeating: "SELECT 0, t0.Z_PK FROM ZFOLDER t0 WHERE (SELECT COUNT(t1.Z_PK) FROM ZITEM t1 "
          + "WHERE (t0.Z_PK = t1.ZFOLDER) ) > ?", count: 5))
    let subquery = try await report.run(
      "summary", "--all", log, "--database", store, "--model", model)
    #expect(oneLine(subquery.output).contains(count), "\(subquery.output)\(subquery.error)")
    try write(
      ["SELECT 0, t0.Z_PK, t0.ZNAME FROM ZFOLDER t0 "]
        + Array(
          repeating: "SELECT COUNT( DISTINCT t0.Z_PK) FROM ZITEM t0 WHERE  t0.ZFOLDER = ?",
          count: 50), rows: 50)
    // From the log and the model alone.
    let loop = try await report.run("summary", "--all", log, "--model", model)
    #expect(oneLine(loop.output).contains(count), "\(loop.output)\(loop.error)")
  }

  @Test func aModelThatDoesNotFitIsRefused() async throws {
    try write([Self.byDate])
    try Data(
      "<model><entity name=\"Item\"><attribute name=\"rank\" attributeType=\"String\"/></entity></model>"
        .utf8
    )
    .write(to: URL(filePath: model + "/contents"))
    for command in ["summary", "plans", "advise"] {
      let run = try await report.run(command, log, "--database", store, "--model", model)
      #expect(run.status == 1, "\(command) \(run.output)")
      #expect(run.error.contains("no column ZITEM.ZRANK"), "\(run.error)")
    }
    let missing = try await report.run(
      "summary", "--all", log, "--model", folder.path("none.xcdatamodel"))
    #expect(missing.status == 1)
    #expect(missing.error.contains("none.xcdatamodel"))
  }
}
