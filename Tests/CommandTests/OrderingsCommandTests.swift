// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

@Suite struct OrderingsCommandTests {
  let folder: TemporaryDirectory
  let tool = BuiltTool("trace-report")
  var database: String { folder.path("store.sqlite") }

  init() throws {
    folder = try TemporaryDirectory()
    try Connection(path: database).execute(
      """
      CREATE TABLE event(id INTEGER PRIMARY KEY, ts INTEGER, name TEXT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
        INSERT INTO event SELECT i, i, 'name ' || (i * 31 % 997) FROM n;
      """)
  }

  private static let sql = "SELECT id FROM event WHERE ts > ? AND name LIKE ?"

  @Test func aTraceAloneNeedsItsStatement() async throws {
    let run = try await tool.run("orderings", "some.log", "--database", "a.sqlite")
    #expect(run.status == 64)
    #expect(
      run.errorOutput.contains(
        "Name the statement with --statement ID, as 'trace-report summary some.log' prints it."),
      "\(run.errorOutput)")
    let alone = try await tool.run("orderings", "--database", "a.sqlite", "--statement", "7")
    #expect(alone.status == 64)
    #expect(alone.errorOutput.contains("--statement needs the trace or log that holds it"))
  }

  @Test func reportsTermsValuesRowsAndVerdict() async throws {
    let run = try await tool.run([
      "orderings", "--database", database, "--sql", Self.sql, "--bind", "1990", "'%1%'", "--budget",
      "2", "--json",
    ])
    #expect([0, 3].contains(run.status), "\(run.errorOutput)")
    let report = try JSONDecoder().decode(OrderingsHeader.self, from: Data(run.output.utf8))
    #expect(report.schemaVersion == 1)
    #expect(report.values == ["1990", "'%1%'"])
    #expect(report.explanation == "residual")
    #expect(report.orders.map(\.terms) == [[1, 2], [2, 1]])
    #expect((report.verdict == "inconclusive") == (run.status == 3))
  }

  private struct OrderingsHeader: Decodable {
    var schemaVersion: Int
    var values: [String]
    var verdict: String
    var explanation: String
    var orders: [Order]
    struct Order: Decodable { var terms: [Int] }
  }

  @Test func textFitsEightyColumns() async throws {
    let run = try await tool.run([
      "orderings", "--database", database, "--sql", Self.sql, "--budget", "2", "--bind", "1990",
      "'%1%'",
    ])
    #expect([0, 3].contains(run.status), "\(run.errorOutput)")
    #expect(run.output.contains("values given: ?1 = 1990, ?2 = '%1%'"))
    #expect(run.output.contains("every order that was timed returns the same"))
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func takesAStatementOfATraceByItsID() async throws {
    let sql = "SELECT 0, t0.id FROM event t0 WHERE ( t0.name LIKE ? AND (t0.ts > ? OR  t0.id = ?))"
    let run = RunBuilder {
      $0.open()
      $0.fetch(sql)
      $0.fetch("SELECT 0, t0.id FROM event t0")
    }
    try run.log.write(toFile: folder.path("a.log"), atomically: true, encoding: .utf8)
    let found = try await tool.run([
      "orderings", folder.path("a.log"), "--statement", "\(StatementID(sql: sql))", "--database",
      database, "--bind", "'%1%'", "1990", "3", "--budget", "2", "--suggest", "--json",
    ])
    #expect([0, 3].contains(found.status), "\(found.errorOutput)")
    let report = try JSONDecoder().decode(OrderingsHeader.self, from: Data(found.output.utf8))
    #expect(
      report.orders.map(\.terms) == [[1, 2, 3], [1, 3, 2], [2, 3, 1], [3, 2, 1]])
    let none = try await tool.run([
      "orderings", folder.path("a.log"), "--statement", "00000000000000ff", "--database", database,
    ])
    #expect(none.status == 3)
    #expect(none.errorOutput.contains("no statement '00000000000000ff' in the trace"))
  }

  /// A run returned 20 rows, 1% of the table: values of the middle of the columns would find 300.
  @Test func valuesOfATraceAreRecordedOrSampledByTheRowsOfARun() async throws {
    let id = "\(StatementID(sql: Self.sql))"
    for values in [nil, "1980, '%name%'"] {
      let run = RunBuilder {
        $0.open()
        $0.fetch(Self.sql, rows: 20, vmSteps: 5000)
        if let values {
          $0.append(
            .values(
              ValuesBound(
                storeID: 1, statementID: StatementID(sql: Self.sql), values: values)))
        }
      }
      try run.log.write(toFile: folder.path("a.log"), atomically: true, encoding: .utf8)
      let found = try await tool.run([
        "orderings", folder.path("a.log"), "--statement", id, "--database", database, "--budget",
        "30", "--json",
      ])
      #expect([0, 3].contains(found.status), "\(found.errorOutput)")
      let report = try JSONDecoder().decode(ValuesHeader.self, from: Data(found.output.utf8))
      #expect(report.valuesSource == (values == nil ? "fitted" : "recorded"))
      #expect((16...24).contains(report.rows), "\(report.rows) rows, \(report.values)")
      if values != nil { #expect(report.values == ["1980", "'%name%'"]) }
    }
  }

  private struct ValuesHeader: Decodable {
    var valuesSource: String
    var values: [String]
    var rows: UInt64
  }

  @Test func withoutValuesItIsInconclusiveAndNamesTheFlag() async throws {
    let run = try await tool.run("orderings", "--database", database, "--sql", Self.sql)
    #expect(run.status == 3)
    #expect(run.output.isEmpty)
    #expect(run.errorOutput.contains("trace-report record --values"), "\(run.errorOutput)")
    #expect(run.errorOutput.contains("--bind"))
  }

  @Test func suggestsTheFormatString() async throws {
    let run = try await tool.run([
      "orderings", "--database", database, "--budget", "1", "--suggest", "--bind", "1990", "5",
      "--sql", "SELECT e.id FROM event e WHERE e.ts > ? AND e.id < ?",
    ])
    #expect([0, 3].contains(run.status), "\(run.errorOutput)")
    #expect(
      run.output.contains("ts > %@ AND id < %@") || run.output.contains("id < %@ AND ts > %@"))
  }

  @Test func refusalsGetOneSentenceAndTheirCode() async throws {
    for (arguments, status, words) in [
      (["--sql", "DELETE FROM event WHERE id < 3 AND ts < 3"], 1, "not a SELECT"),
      (["--sql", Self.sql, "--bind", "1"], 1, "has 2 parameters and --bind has 1 value;"),
      (["--sql", Self.sql, "--bind", "1", "abc"], 1, "'abc' is not a value"),
      (["--sql", "SELECT id FROM event WHERE ts > 4"], 3, "one term"),
      (["--sql", "SELECT id FROM other WHERE a AND b"], 3, "no such table: other"),
    ] {
      let run = try await tool.run(["orderings", "--database", database] + arguments)
      #expect(run.status == Int32(status))
      #expect(run.output.isEmpty)
      #expect(run.errorOutput.contains(words), "\(run.errorOutput)")
      #expect(run.errorOutput.split(separator: "\n").count == 1)
    }
    #expect(try await tool.run(["orderings", "--database", database]).status == 64)
  }
}
