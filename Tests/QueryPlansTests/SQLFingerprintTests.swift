// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import Testing

@Suite struct SQLFingerprintTests {
  @Test(arguments: [
    (
      "SELECT 0, t0.Z_PK FROM ZSTOP t0  WHERE t0.ZNAME IN ('a', 'b''c')  LIMIT 100",
      "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE t0.ZNAME IN (?) LIMIT ?"
    ),
    (
      "SELECT COUNT( DISTINCT t0.Z_PK) FROM ZSTOP t0 WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray3)",
      "SELECT COUNT(DISTINCT t0.Z_PK) FROM ZSTOP t0 WHERE t0.Z_PK IN (SELECT * FROM _Z_intarray)"
    ),
    (
      "SELECT 0 FROM a WHERE (? <=  a.x AND  a.x <= ?2) -- why",
      "SELECT 0 FROM a WHERE (? <= a.x AND a.x <= ?)"
    ),
    ("INSERT INTO ZSTOP(Z_PK, ZNAME) VALUES(?, ?)", "INSERT INTO ZSTOP(Z_PK, ZNAME) VALUES (?)"),
  ]) func foldsValues(sql: String, expected: String) {
    #expect(SQLFingerprint(sql: sql).description == expected)
  }

  @Test func argumentsOfAFunctionAreNoList() {
    func search(_ options: Int, _ arguments: String = "") -> SQLFingerprint {
      SQLFingerprint(
        sql: "SELECT 0 FROM a WHERE NSCoreDataStringSearch( a.x, ?\(arguments), \(options), 0)")
    }
    #expect(
      search(8).description
        == "SELECT 0 FROM a WHERE NSCoreDataStringSearch(a.x, ?, 8, 0)")
    #expect(search(8) != search(137))
    #expect(search(8) != search(8, ", ?"))
    #expect(
      SQLFingerprint(sql: "SELECT 0 FROM a WHERE f(1 + 2, 'x') IN (1, 2, 3)").description
        == "SELECT 0 FROM a WHERE f(? + ?, ?) IN (?)")
  }

  @Test func longAndShortListsAreEqual() {
    let short = SQLFingerprint(sql: "SELECT 0 FROM a WHERE a.x IN (?, ?)")
    let long = SQLFingerprint(sql: "SELECT 0 FROM a WHERE a.x IN (?,?,?, ?)")
    #expect(short == long)
    #expect(short != SQLFingerprint(sql: "SELECT 0 FROM a WHERE a.y IN (?, ?)"))
  }

  @Test(arguments: [
    ("SAVEPOINT s140_x1", "SAVEPOINT ?"), ("savepoint \"s140_x2\";", "savepoint ?;"),
    ("RELEASE SAVEPOINT s140_x1", "RELEASE SAVEPOINT ?"), ("RELEASE 'a'", "RELEASE ?"),
    ("RELEASE savepoint", "RELEASE ?"), ("ROLLBACK TO SAVEPOINT [a]", "ROLLBACK TO SAVEPOINT ?"),
    ("ROLLBACK TRANSACTION TO a", "ROLLBACK TRANSACTION TO ?"), ("ROLLBACK", "ROLLBACK"),
    ("ROLLBACK TRANSACTION", "ROLLBACK TRANSACTION"), ("SAVEPOINT ?", "SAVEPOINT ?"),
  ]) func namesOfSavepointsAreValues(sql: String, expected: String) {
    #expect(SQLFingerprint(sql: sql).description == expected)
  }

  @Test(arguments: [
    ("INSERT INTO t(a, b) VALUES (?, ?), (?, ?), (?, ?)", "INSERT INTO t(a, b) VALUES (?)"),
    (
      "INSERT INTO t VALUES (1, NULL), (2, NULL), (3, lower('x')) ON CONFLICT DO NOTHING",
      "INSERT INTO t VALUES (?, NULL), (?, lower(?)) ON CONFLICT DO NOTHING"
    ),
    (
      "WITH c(x) AS (VALUES (1), (2), (3)) SELECT x FROM c",
      "WITH c(x) AS (VALUES (?)) SELECT x FROM c"
    ),
  ]) func equalRowsAreOneRow(sql: String, expected: String) {
    let form = SQLFingerprint(sql: sql)
    #expect(form.description == expected)
    #expect(SQLFingerprint(sql: form.description) == form)
  }

  @Test(arguments: ["", "'", "SELECT", "(((", "?,?,?", "SELECT 'a\0b", "\u{1b}["])
  func survivesWhatIsNoSQL(sql: String) {
    _ = SQLFingerprint(sql: sql).description
    _ = ComparedColumns.all(in: sql)
  }
}
