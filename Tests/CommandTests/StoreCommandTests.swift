// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// `trace-report store`: a copy of an app's file, and its model.
@Suite struct StoreCommandTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  private let path: String

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.path("Model.sqlite")
    let connection = try Connection(path: path)
    let head = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
    try connection.execute(
      """
      PRAGMA journal_mode = wal;
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Note', 0, 3), (2, 'Tag', 0, 1), (16001, 'CHANGE', 0, 2);
      INSERT INTO Z_METADATA VALUES (1, 'UUID', NULL);
      CREATE TABLE ZNOTE (\(head), ZFOLDER INTEGER, ZTITLE VARCHAR, ZPHOTO BLOB);
      CREATE TABLE ZTAG (\(head), ZWORD VARCHAR);
      CREATE TABLE Z_1TAGS (Z_1NOTES INTEGER, Z_2TAGS INTEGER, PRIMARY KEY (Z_1NOTES, Z_2TAGS));
      CREATE UNIQUE INDEX Z_Note_UNIQUE_title ON ZNOTE (ZTITLE COLLATE BINARY ASC);
      INSERT INTO ZNOTE VALUES (1, 1, 1, NULL, 'a', NULL), (2, 1, 1, 1, 'b', X'01FF'),
        (3, 1, 1, 77, 'c', CAST(X'02' || '619F5BBC-79AA-4D0E-8A6B-0C1D2E3F4A5B' || X'00' AS BLOB));
      INSERT INTO ZTAG VALUES (1, 2, 1, 'w'); INSERT INTO Z_1TAGS VALUES (1, 1);
      CREATE TABLE ATRANSACTION (\(head), ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZAUTHOR VARCHAR);
      CREATE TABLE ATRANSACTIONSTRING (\(head), ZNAME VARCHAR);
      CREATE TABLE ACHANGE (\(head), ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);
      INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'app');
      INSERT INTO ATRANSACTION VALUES (1, 16002, 1, 1, NULL, NULL), (2, 16002, 1, NULL, NULL, 'sync');
      INSERT INTO ACHANGE VALUES (1, 16001, 1, 0, 1, 1, 1, NULL), (2, 16001, 1, 1, 1, 1, 2, X'10');
      """)
  }

  private func model(_ attributes: String) throws -> String {
    let file = folder.url.appending(path: "\(UUID().uuidString).xcdatamodel")
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    let contents = """
      <model><entity name="Note"><attribute name="title" optional="YES" attributeType="String"/>
      \(attributes)
      <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
      <relationship name="folder" optional="YES" destinationEntity="Note" inverseName="notes" inverseEntity="Note"/>
      <relationship name="notes" optional="YES" toMany="YES" destinationEntity="Note" inverseName="folder" inverseEntity="Note"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="title"/></uniquenessConstraint></uniquenessConstraints>
      </entity></model>
      """
    try Data(contents.utf8).write(to: file.appending(path: "contents"))
    return file.path
  }

  private var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
  }

  @Test func reportsTheFileBesideAModelThatFits() async throws {
    let model = try model("")
    let (before, bytes) = (try files, try Data(contentsOf: URL(filePath: path)))
    let run = try await report.run("store", path, "--model", model)
    #expect(run.status == 0, "\(run.error)")
    for line in [
      "fits.", "the model has no entity Tag", "Note: 3", "ZNOTE (ZTITLE): Z_Note_UNIQUE_title",
      "Note.folder: 1", "ZNOTE.ZPHOTO: 1 of 1", "app: saves 1, inserts 1, updates 0, deletes 0",
      "sync: saves 1, inserts 0, updates 1, deletes 0",
    ] { #expect(run.output.contains(line), "\(line) in \(run.output)") }
    #expect(try files == before)
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
  }

  @Test func reportsWhyAModelDoesNotFit() async throws {
    let model = try model(
      "<attribute name=\"rank\" optional=\"YES\" attributeType=\"Integer 16\"/>")
    let run = try await report.run("store", path, "--model", model)
    #expect(run.status == 2)
    #expect(run.output.contains("does not fit."))
    #expect(run.output.contains("no column ZNOTE.ZRANK"))
    #expect(run.output.contains("Tag: 1"))
  }

  @Test func writesAnOutlineThatFitsTheFile() async throws {
    let outline = folder.path("Outline.xcdatamodel")
    let run = try await report.run("store", path, "--outline", outline)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output.contains("Note: 3"))
    let again = try await report.run("store", path, "--model", outline)
    #expect(again.output.contains("fits."), "\(again.output)\(again.error)")
    let third = try await report.run("store", path, "--outline", outline)
    #expect(third.status == 1)
    #expect(third.error.contains("exists; name a new folder"))
  }

  @Test func refusesOtherFiles() async throws {
    let other = folder.path("other.db")
    try Connection(path: other).execute("CREATE TABLE t (a)")
    let run = try await report.run("store", other)
    #expect(run.status == 1)
    #expect(run.error.contains("has no table Z_PRIMARYKEY"))
    let missing = try await report.run("store", folder.path("missing.db"))
    #expect(missing.status == 1)
    #expect(missing.error.contains("missing.db"))
  }
}
