// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

@testable import QueryPlans

/// The statements of `make verdicts`, planned on capsules of their databases.
@Suite struct CapsuleVerdictTests {
  private struct Comparison {
    var count = 0
    var others: [String] = []
    var samples = 0
  }

  private func compare(_ schema: VerdictSchema, analyzed: Bool, _ result: inout Comparison) throws {
    let folder = try TemporaryDirectory()
    let writer = try Connection(path: folder.path("store.sqlite"))
    try StoreNames.define(on: writer)
    try writer.execute(schema.setUp + (analyzed ? "; ANALYZE" : ""))
    let original = try InspectedDatabase(path: folder.path("store.sqlite"))
    let capsule = try CapsuleV1(
      of: original.connection,
      statements: schema.statements.map { .init(sql: $0, work: StatementWork(), values: []) })
    result.samples += capsule.samples?.count ?? 0
    let copy = try capsule.open()
    let (before, after) = (
      PlanExplainer(original.connection), PlanExplainer(copy.connection)
    )
    func add(_ sql: String, _ other: String) {
      result.count += 1
      if before.plan(of: sql) != after.plan(of: other) {
        result.others.append("\(schema): \(sql): \(other)")
      }
    }
    for sql in schema.statements { add(sql, sql) }
    // The forms with pseudonyms are in the order of their first text.
    var forms: Set<SQLFingerprint> = []
    let firsts = schema.statements.filter {
      StatementOutline($0).hasPlan && forms.insert(SQLFingerprint(sql: $0)).inserted
    }
    for (sql, form) in zip(firsts, capsule.statements) { add(sql, form.sql) }
    #expect(firsts.count == capsule.statements.count)
  }

  @Test(arguments: [false, true])
  func plansEqualTheOriginals(analyzed: Bool) throws {
    var result = Comparison()
    for schema in VerdictSchema.all { try compare(schema, analyzed: analyzed, &result) }
    // Set by `make verdicts`, with a library that has STAT4.
    #expect(
      result.samples > 0 || !analyzed
        || ProcessInfo.processInfo.environment["STORESCOPE_STAT4"] == nil)
    print(
      "plans on capsules: \(result.count), \(result.others.count) differ; \(result.samples) samples"
    )
    #expect(result.count >= 600)
    #expect(
      Double(result.others.count) <= 0.02 * Double(result.count),
      "\(result.others.joined(separator: "\n"))")
  }
}
