// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

@testable import QueryPlans

/// No value of a random database occurs in its capsule.
@Suite struct CapsulePrivacyTests {
  private static func word(_ generator: inout SeededGenerator) -> String {
    String(
      (0..<Int.random(in: 4...14, using: &generator)).map { _ in
        "bcdfghjklmnpqrstvwxz".randomElement(using: &generator) ?? "q"
      })
  }

  private static func literal(_ generator: inout SeededGenerator) -> (sql: String, secret: String) {
    switch Int.random(in: 0..<3, using: &generator) {
    case 0:
      let number = Int64.random(in: 1_000_000...9_000_000_000_000, using: &generator)
      return ("\(number)", "\(number)")
    case 1:
      let number = Int.random(in: 1_000_000...99_000_000, using: &generator)
      return ("\(number).5", "\(number)")
    default:
      let text = word(&generator)
      return ("'\(text)'", text)
    }
  }

  @Test(arguments: 1...40)
  func noValueOccursInACapsule(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let folder = try TemporaryDirectory()
    let connection = try Connection(path: folder.path("a.db"))
    var secrets: Set<String> = []
    var statements: [CapsuleStatement] = []
    for table in 0..<Int.random(in: 1...4, using: &generator) {
      let columns = (0..<Int.random(in: 1...5, using: &generator)).map { "c\($0)" }
      try connection.execute("CREATE TABLE t\(table)(\(columns.joined(separator: ", ")))")
      for column in columns where Bool.random(using: &generator) {
        try connection.execute("CREATE INDEX t\(table)\(column) ON t\(table)(\(column))")
      }
      for _ in 0..<Int.random(in: 0...60, using: &generator) {
        let values = columns.map { _ in Self.literal(&generator) }
        secrets.formUnion(values.map(\.secret))
        try connection.execute(
          "INSERT INTO t\(table) VALUES (\(values.map(\.sql).joined(separator: ", ")))")
      }
      for column in columns {
        let (first, second, bound) = (
          Self.literal(&generator), Self.literal(&generator), Self.word(&generator)
        )
        secrets.formUnion([first.secret, second.secret, bound])
        let comparison = ["=", "<", "LIKE", "IN"].randomElement(using: &generator) ?? "="
        let operand =
          comparison == "IN" ? "(\(first.sql), -\(second.sql))" : first.sql
        statements.append(
          CapsuleStatement(
            sql: """
              SELECT *, \(second.sql) FROM t\(table) -- \(first.secret)
              WHERE \(column) \(comparison) \(operand) OR \(column) = ?
              """, work: StatementWork(executions: 1, rows: 2, vmSteps: 30),
            values: [[.text(bound)]]))
      }
    }
    if Bool.random(using: &generator) { try connection.execute("ANALYZE") }
    let file = try InspectedDatabase(path: folder.path("a.db"))
    let capsule = try CapsuleV1(of: file.connection, statements: statements)
    let text = String(decoding: try JSONEncoder().encode(capsule), as: UTF8.self)
    #expect(capsule.statements.isEmpty == statements.isEmpty)
    for secret in secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
  }
}
