// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TraceRendering

@Suite struct SQLLayoutTests {
  @Test func lineBreaksOutsideQuotesAreSpaces() {
    #expect(
      SQLLayout.lines(of: "SELECT a,\n\tb\nFROM t\nWHERE c = 'x\ny'") == [
        "SELECT a, b", " FROM t", " WHERE c = 'x\ny'",
      ])
  }

  @Test func clausesStandOnLinesOfTheirOwn() {
    #expect(
      SQLLayout.lines(of: "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE ( t0.ZNAME = ?)  LIMIT 100") == [
        "SELECT 0, t0.Z_PK", " FROM ZSTOP t0", " WHERE ( t0.ZNAME = ?) ", " LIMIT 100",
      ])
  }

  @Test func sqlThatFitsIsOneLine() {
    let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE t0.ZNAME = ? LIMIT 100"
    #expect(SQLLayout.indentedLines(of: sql) == [sql])
  }

  @Test func wideTermsAndSubqueriesAreBroken() {
    let sql = """
      SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE ((SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE \
      (t0.Z_PK = t1.ZSTOP AND t1.ZDEPARTURETIME BETWEEN ? AND ?) ) <> ? AND t0.ZNAME = 'a AND b') \
      LIMIT 200
      """
    #expect(
      SQLLayout.indentedLines(of: sql, width: 60).joined(separator: "\n") == """
        SELECT 0, t0.Z_PK
        FROM ZSTOP t0
        WHERE (
          (
            SELECT COUNT(t1.Z_PK)
            FROM ZSTOPTIME t1
            WHERE (
              t0.Z_PK = t1.ZSTOP
                AND t1.ZDEPARTURETIME BETWEEN ? AND ?
            )
          ) <> ?
            AND t0.ZNAME = 'a AND b'
        )
        LIMIT 200
        """)
  }

  @Test(arguments: [
    "((((", "))))", "'", "\"a", "", " ", "SELECT (((", ") AND (",
    String(repeating: "(", count: 5000),
    String(repeating: "x AND ", count: 500), String(repeating: "('a' ", count: 100),
  ]) func brokenTextKeepsEveryWord(sql: String) {
    let laid = SQLLayout.indentedLines(of: sql, width: 20).joined()
    #expect(laid.filter { !$0.isWhitespace } == sql.filter { !$0.isWhitespace })
  }
}
