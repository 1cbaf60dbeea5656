// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import ObjectStore

@Suite struct SelectStatementTests {
  let model = PredicateModel()

  private func path(_ names: String...) -> FetchPredicate.Expression { .path(.init(names)) }

  private func compare(
    _ left: FetchPredicate.Expression, _ comparator: FetchPredicate.Comparator,
    _ right: FetchPredicate.Expression
  ) -> FetchPredicate { .comparison(.init(left, comparator, right)) }

  @Test func selectsColumnsByName() throws {
    let select = try SelectStatement.objects(of: model.stopTime)
    #expect(
      select.sql == "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZDEPARTURETIME, t0.ZHEADSIGN, t0.ZSTOP "
        + "FROM ZSTOPTIME t0")
    #expect(select.bindings.isEmpty)
    _ = try model.connection().prepare(select.sql)
  }

  @Test func joinsAcrossToOne() throws {
    let select = try SelectStatement.objectIDs(
      of: model.stopTime, where: compare(path("stop", "name"), .equal, .constant(.string("x"))))
    #expect(
      select.sql == "SELECT 0, t0.Z_PK FROM ZSTOPTIME t0 JOIN ZSTOP t1 ON t0.ZSTOP = t1.Z_PK "
        + "WHERE  t1.ZNAME = ?")
    #expect(select.bindings == [.string("x")])
  }

  @Test func keepsRowsWithoutPartnerWhereTheyCanMatch() throws {
    let connection = try model.connection()
    try connection.execute(
      """
      INSERT INTO ZSTOP (Z_PK, ZNAME) VALUES (1, NULL), (2, 'x');
      INSERT INTO ZSTOPTIME (Z_PK, ZSTOP) VALUES (1, NULL), (2, 1), (3, 2);
      """)
    let isNil = compare(path("stop", "name"), .equal, .constant(.null))
    let select = try SelectStatement.objectIDs(of: model.stopTime, where: isNil)
    #expect(
      select.sql == "SELECT 0, t0.Z_PK FROM ZSTOPTIME t0 LEFT OUTER JOIN ZSTOP t1 "
        + "ON t0.ZSTOP = t1.Z_PK WHERE  t1.ZNAME IS NULL")
    #expect(try connection.primaryKeys(select) == [1, 2])
    let sorted = try SelectStatement.objectIDs(
      of: model.stopTime, sortedBy: [SortTerm("stop.name", ascending: false), SortTerm("headsign")])
    #expect(
      sorted.sql == "SELECT 0, t0.Z_PK FROM ZSTOPTIME t0 LEFT OUTER JOIN ZSTOP t1 "
        + "ON t0.ZSTOP = t1.Z_PK ORDER BY t1.ZNAME DESC, t0.ZHEADSIGN")
    #expect(try connection.primaryKeys(sorted) == [3, 1, 2])
  }

  @Test func limitsAndCounts() throws {
    let isNamed = compare(path("name"), .notEqual, .constant(.null))
    #expect(
      try SelectStatement.objectIDs(of: model.stop, where: isNamed, limit: 100, offset: 5).sql
        == "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME IS NOT NULL  LIMIT 100 OFFSET 5")
    #expect(
      try SelectStatement.objectIDs(of: model.stop, offset: 5).sql
        == "SELECT 0, t0.Z_PK FROM ZSTOP t0 LIMIT -1 OFFSET 5")
    #expect(
      try SelectStatement.objectIDs(
        of: model.stop, where: isNamed, sortedBy: [SortTerm("name")], limit: 2
      ).sql
        == "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME IS NOT NULL  ORDER BY t0.ZNAME LIMIT 2")
    #expect(try SelectStatement.count(of: model.stop).sql == "SELECT COUNT(*) FROM ZSTOP")
    #expect(
      try SelectStatement.count(of: model.stop, where: isNamed).sql
        == "SELECT COUNT(*) FROM ZSTOP t0 WHERE  t0.ZNAME IS NOT NULL")
    #expect(
      try SelectStatement.count(
        of: model.stopTime, where: compare(path("stop", "name"), .notEqual, .constant(.null))
      ).sql
        == "SELECT COUNT(DISTINCT t0.Z_PK) FROM ZSTOPTIME t0 JOIN ZSTOP t1 "
        + "ON t0.ZSTOP = t1.Z_PK WHERE  t1.ZNAME IS NOT NULL")
  }

  @Test func namesTheNearestProperty() {
    #expect(
      throws: FetchPredicateError.unknownProperty("longitud", entity: "Stop", nearest: "longitude")
    ) {
      try SelectStatement.objectIDs(
        of: model.stop, where: compare(path("longitud"), .equal, .constant(.integer(1))))
    }
  }
}
