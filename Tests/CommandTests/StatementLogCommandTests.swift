// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// A library's own log shows a loop and transactions of one row; with a database, plans and indexes.
@Suite struct StatementLogCommandTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private func write(_ text: String, _ name: String = "app.log") throws -> String {
    try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    return folder.path(name)
  }

  @Test(arguments: StatementLogs.all)
  func theLoopAndTheTransactionsAreFound(log: String) async throws {
    let run = try await report.run("summary", try write(log), "--json")
    let names = try Self.rules(run.output)
    #expect(names.contains("AvoidQueryInLoop warning"), "\(names)")
    #expect(names.contains("GroupWrites warning"), "\(names)")
  }

  @Test func railsFindingsHaveTheirLines() async throws {
    let run = try await report.run("summary", try write(StatementLogs.rails))
    #expect(run.output.contains("app/models/note.rb:5  a query in a loop"), "\(run.output)")
    #expect(run.output.contains("app/models/note.rb:9  a transaction for each write"))
  }

  /// Two requests that read a user, and few other statements, are no loop.
  @Test func requestsOfAServerAreNoLoop() async throws {
    let requests = (1...40).map {
      """
      Started GET "/books/\($0)" for 127.0.0.1 at 2026-11-28 04:00:00 +0000
        User Load (0.1ms)  SELECT "users".* FROM "users" WHERE "users"."id" = ?  [["id", \($0)]]
        ↳ app/controllers/application_controller.rb:3:in `user'
        Book Load (0.1ms)  SELECT "books".* FROM "books" WHERE "books"."id" = ?  [["id", \($0)]]
        ↳ app/controllers/books_controller.rb:9:in `show'
      Completed 200 OK in 4ms (Views: 0.1ms | ActiveRecord: 0.2ms)

      """
    }.joined()
    let run = try await report.run("summary", try write(requests), "--json")
    #expect(try Self.rules(run.output) == [])
  }

  @Test func aDatabaseAddsPlans() async throws {
    let database = folder.path("Notes.sqlite")
    try Connection(path: database).execute(
      """
      CREATE TABLE ZNOTE(ZPK INTEGER PRIMARY KEY, ZAUTHOR INTEGER, ZTITLE TEXT);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
        INSERT INTO ZNOTE SELECT i, i, 'title' FROM n;
      """)
    for log in StatementLogs.all {
      let run = try await report.run("summary", try write(log), "--database", database)
      #expect(
        run.output.contains("CREATE INDEX") && run.output.contains("ZAUTHOR"), "\(run.output)")
    }
  }

  private static func rules(_ json: String) throws -> [String] {
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    return (object?["findings"] as? [[String: Any]] ?? []).map {
      "\($0["rule"] ?? "") \($0["severity"] ?? "")"
    }
  }
}
