// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import SQLiteDriver
import Testing

@Suite struct ResultColumnsTests {
  @Test func readsTheColumnsOfTheOuterSelect() {
    let sql = """
      SELECT 0, t0.Z_PK, t0.ZBLOB, COUNT(t1.Z_PK), t1.ZNAME FROM ZPHOTO t0 JOIN ZTAG t1 ON \
      t1.ZPHOTO = t0.Z_PK WHERE t0.ZDATE > ?
      """
    #expect(
      ResultColumns.all(in: sql).map { "\($0.table).\($0.name)" }
        == ["ZPHOTO.Z_PK", "ZPHOTO.ZBLOB", "ZTAG.ZNAME"])
    #expect(ResultColumns.all(in: "SELECT COUNT(*) FROM ZPHOTO").isEmpty)
    #expect(ResultColumns.all(in: "DELETE FROM ZPHOTO").isEmpty)
  }

  @Test func averagesTheBytesOfBlobs() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE ZPHOTO(Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR, ZBLOB BLOB, ZNONE BLOB);
      INSERT INTO ZPHOTO VALUES(1, 'a', zeroblob(100), NULL), (2, 'b', zeroblob(300), NULL);
      """)
    let facts = try DatabaseFacts(connection)
    #expect(facts.table("zphoto")?.blobBytes == ["ZBLOB": 200, "ZNONE": 0])
  }

  @Test func averagesTheBytesOfTexts() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE post(id INTEGER PRIMARY KEY, title VARCHAR(80), body text, extra, n INT);
      INSERT INTO post VALUES(1, 'a', 'äö', zeroblob(100), 7), (2, 'b', 'äöüé', NULL, 7);
      """)
    let post = try #require(try DatabaseFacts(connection).table("post"))
    #expect(post.textBytes == ["body": 6, "extra": 50])
    #expect(post.largeColumns == ["body", "extra"])
  }

  @Test(arguments: [
    ("SELECT * FROM photo", ["photo.big"]),
    ("SELECT DISTINCT p.* FROM photo p JOIN tag t ON t.photo = p.id", ["photo.big"]),
    ("SELECT t.*, p.label AS l FROM photo p, tag t", ["tag.big", "photo.label"]),
    ("SELECT label, big AS picture, max(id) FROM photo", ["photo.label", "photo.big"]),
    ("SELECT x.* FROM (SELECT * FROM photo) x", []),
  ])
  func readsStarsAndColumnsWithoutTheirTable(sql: String, columns: [String]) {
    let found = ResultColumns.all(in: sql) { _ in ["big"] }
    #expect(found.map { "\($0.table).\($0.name)" } == columns)
  }
}
