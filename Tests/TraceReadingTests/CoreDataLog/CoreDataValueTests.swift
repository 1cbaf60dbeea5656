// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing
import TraceReading

/// The bound values of a Core Data log of level 2 and up, with which `advise` and `plans` measure.
struct CoreDataValueTests {
  private static let sql = "SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE ( t0.ZA = ? AND  t0.ZB = ?)"

  private func values(_ binds: [String], sql: String = Self.sql) throws -> [String] {
    let lines =
      ["sql: \(sql)"] + binds + ["annotation: total fetch execution time: 0.1s for 1 rows."]
    let reading = try Reading(log: lines.map { "CoreData: \($0)\n" }.joined())
    return reading.events.compactMap {
      if case .values(let bound) = $0 { bound.values } else { nil }
    }
  }

  @Test(arguments: [
    ("18", "18"), ("-18", "-18"), ("13.5", "13.5"), ("(int64)1", "1"), ("(int64) 1", "1"),
    ("(double)464441952.529884", "464441952.529884"), ("(timestamp) 5.0", "5.0"), ("nil", "NULL"),
    ("\"text\"", "'text'"), ("\"a \"b\" c\"", "'a \"b\" c'"), ("\"it's\"", "'it''s'"),
    ("\"\"", "''"),
  ])
  func valuesOfAllTypesAreRead(bind: String, literal: String) throws {
    #expect(
      try values(["details: SQLite bind[0] = \(bind)", "details: SQLite bind[1] = 2"])
        == ["\(literal), 2"])
  }

  /// With some of its values a statement would find something else.
  @Test(arguments: [
    ["details: SQLite bind[0] = 1"], ["details: SQLite bind[1] = 1"],
    ["details: SQLite bind[0] = 1", "details: SQLite bind[1] = (blob)<0a0b>"],
    ["details: SQLite bind[0] = 1", "details: SQLite bind[1] = 2", "details: SQLite bind[2] = 3"],
    ["details: SQLite bind[0] = 1", "details: SQLite bind[1] = 12 apples"],
    ["details: SQLite bind[0] = 1", "details: SQLite bind[1] = inf"],
  ])
  func valuesThatAreNotCompleteAreLeftOut(binds: [String]) throws {
    #expect(try values(binds) == [])
  }

  @Test func aQuestionMarkInATextIsNoParameter() throws {
    let sql = "SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE ( t0.ZA = '?' AND  t0.ZB = ?)"
    #expect(try values(["details: SQLite bind[0] = 7"], sql: sql) == ["7"])
  }

  @Test func aMissHasItsValues() throws {
    let reading = try Reading(
      log: """
        CoreData: sql: SELECT 0, t0.Z_PK FROM ZITEM t0 WHERE  t0.Z_PK = ?
        CoreData: details: SQLite bind[0] = 4
        CoreData: annotation: sql connection fetch time: 0.0010s
        CoreData: annotation: total fetch execution time: 0.0040s for 1 rows.
        CoreData: annotation: fault fulfilled from database for : 0x1 <x-coredata://9A1C/Item/p4>

        """)
    #expect(reading.events.map(\.kind) == [.statement, .values, .cacheMiss, .fault])
  }
}
