// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import TestSupport
import Testing

@testable import QueryPlans

/// The statements of `make verdicts`, their plans read as text.
@Suite struct PlanTextVerdictTests {
  private struct Flags: Equatable, CustomStringConvertible {
    var scans: [String]
    /// The scans that matter; fewer where sizes are known.
    var suspects: [String]
    var sorts: [String]
    var automaticIndexes: [String]
    var isCorrelated: Bool
    var scansInCorrelatedSubquery: Bool

    init(_ judgement: PlanJudgement, of plan: QueryPlan) {
      // A SEARCH that reads all of an index, for max(), shows only beside the columns of the index. The names are
      // the statement's: the names of the tables within a view are not in a text.
      let names = plan.nodes.compactMap { node -> String? in
        if case .scan(let access) = node.fact { access.name.lowercased() } else { nil }
      }
      scans = judgement.scans.filter { $0.harmlessBecause != .subqueryResult }
        .map { $0.name.lowercased() }.filter(names.contains).sorted()
      suspects = judgement.suspects.map { $0.name.lowercased() }.filter(names.contains)
      sorts = judgement.temporaryBTrees.sorted()
      automaticIndexes = judgement.automaticIndexes.map { $0.lowercased() }.sorted()
      isCorrelated = judgement.correlatedSubqueries > 0
      scansInCorrelatedSubquery = judgement.scansInCorrelatedSubquery
    }

    /// Whether all flags are the same; a scan may be harmless by the size of its table.
    func contains(_ other: Flags) -> Bool {
      scans == other.scans && sorts == other.sorts && automaticIndexes == other.automaticIndexes
        && isCorrelated == other.isCorrelated
        && scansInCorrelatedSubquery == other.scansInCorrelatedSubquery
        && other.suspects.allSatisfy(suspects.contains)
    }

    var description: String { "\(scans) \(sorts) \(automaticIndexes) \(isCorrelated)" }
  }

  @Test(arguments: VerdictSchema.all)
  func theFlagsOfATextEqualTheDatabases(schema: VerdictSchema) throws {
    let folder = try TemporaryDirectory()
    let writer = try Connection(path: folder.path("store.sqlite"))
    try StoreNames.define(on: writer)
    try writer.execute(schema.setUp)
    let reader = try InspectedDatabase(path: folder.path("store.sqlite"))
    let explainer = PlanExplainer(reader.connection)
    for sql in schema.statements {
      let explanation = explainer.explain(sql)
      guard let plan = explanation.plan, !plan.roots.isEmpty, let judgement = explanation.judgement
      else { continue }
      let unmeasured = PlanJudge(
        sql: explanation.qualifiedSQL, source: explainer.source
      ).judge(plan)
      let forms = PlanTextForms(steps: try reader.connection.plan(sql), plan: plan)
      for form in PlanTextForms.names {
        guard let text = forms.text(form) else { continue }
        let listings = PlanTranscript("sqlite> EXPLAIN QUERY PLAN \(sql);\n\(text)\n").listings
        #expect(listings.count == 1, "\(form): \(text)")
        let listing = try #require(listings.first)
        #expect(listing.sql == sql)
        let read = try #require(listing.explanation().judgement)
        let (own, all) = (Flags(unmeasured, of: plan), Flags(read, of: plan))
        #expect(all.contains(own), "\(form): \(sql)\n\(text)")
        let measured = explainer.explain(listing)
        #expect(measured.verdict == judgement.verdict, "\(form): \(sql)\n\(text)")
        #expect(measured.judgement?.otherPlan.isEmpty == true, "\(form): \(sql)\n\(text)")
      }
    }
  }

  @Test func thereAreMoreThanSixtyOlderPlans() throws {
    var count = 0
    for schema in VerdictSchema.all {
      let connection = try Connection(path: ":memory:")
      try StoreNames.define(on: connection)
      try connection.execute(schema.setUp)
      let explainer = PlanExplainer(connection)
      count += schema.statements.count { explainer.plan(of: $0).flatMap(OlderPlan.init) != nil }
    }
    #expect(count > 60)
  }

  /// The rows of SQLite 3.7.13 for the box of a map, with the estimates of its defaults.
  @Test(arguments: [
    (
      "SEARCH t0 USING INDEX ZSTOP_ZLONGITUDE_INDEX (ZLONGITUDE>? AND ZLONGITUDE<?)", 6944,
      "0|0|0|SEARCH TABLE ZSTOP AS t0 USING INDEX ZSTOP_ZLONGITUDE_INDEX (ZLONGITUDE>? AND ZLONGITUDE<?) (~6944 rows)"
    ),
    ("SCAN t0", 12800, "0|0|0|SCAN TABLE ZSTOP AS t0 (~12800 rows)"),
  ])
  func theConverterWritesTheRowsOfItsTime(detail: String, rows: Int, row: String) {
    let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE t0.ZLONGITUDE > ? LIMIT 100"
    let plan = QueryPlan(steps: [PlanStep(id: 3, parent: 0, detail: detail)], sql: sql)
    #expect(OlderPlan(plan)?.text { _ in rows } == row)
  }

  @Test func theConverterNumbersTheSelects() {
    let sql =
      "SELECT 0 FROM ZSTOP t0 WHERE (SELECT COUNT(*) FROM ZSTOPTIME t1 WHERE t1.ZSTOP = t0.Z_PK) > 0"
    let plan = QueryPlan(
      steps: [
        PlanStep(id: 2, parent: 0, detail: "SCAN t0"),
        PlanStep(id: 5, parent: 0, detail: "CORRELATED SCALAR SUBQUERY 3"),
        PlanStep(id: 9, parent: 5, detail: "SEARCH t1 USING COVERING INDEX i (ZSTOP=?)"),
      ], sql: sql)
    #expect(
      OlderPlan(plan)?.text { _ in nil } == """
        0|0|0|SCAN TABLE ZSTOP AS t0
        0|0|0|EXECUTE CORRELATED SCALAR SUBQUERY 1
        1|0|0|SEARCH TABLE ZSTOPTIME AS t1 USING COVERING INDEX i (ZSTOP=?)
        """)
  }
}
