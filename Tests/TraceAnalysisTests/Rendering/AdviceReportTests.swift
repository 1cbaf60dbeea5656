// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import TraceAnalysis
import TraceRendering

@testable import QueryPlans

@Suite struct AdviceReportTests {
  private func report(_ columns: String...) -> AdviceReport {
    var advice = IndexAdvice()
    advice.creations = [
      IndexAdvice.Creation(
        candidate: IndexCandidate(table: "ZPHOTO", columns: columns), entity: "Photo", saving: 1e6)
    ]
    return AdviceReport(database: "a.sqlite", sqliteVersion: "3", advice: advice)
  }

  @Test func propertiesAreDeclared() {
    let report = report("ZKIND", "ZNAME")
    #expect(report.json.create.map(\.declaration) == ["Index(\\.kind, \\.name)"])
    let text = report.text(.plain)
    #expect(text.contains("or in Photo, with the properties' own spelling:\n  Index("), "\(text)")
  }

  @Test func theDashboardDeclaresNothingForATableWithoutAnEntity() throws {
    func html(_ table: String, _ column: String) throws -> String {
      var advice = IndexAdvice()
      advice.creations = [
        IndexAdvice.Creation(
          candidate: IndexCandidate(table: table, columns: [column]), entity: nil, saving: 1e6)
      ]
      var page = DashboardPage(TimedProfile(profile: RunBuilder { $0.run("SELECT a") }.profile()))
      page.advice = AdviceReport(database: "a.sqlite", sqliteVersion: "3", advice: advice)
      return try page.html()
    }
    #expect(try html("ZPHOTO", "ZKIND").contains("In the entity"))
    #expect(try html("book", "author_id").contains("CREATE INDEX book_author_id"))
    #expect(try !html("book", "author_id").contains("In the entity"))
  }

  /// An index that covers a fetch may hold `Z_OPT` as well.
  @Test func indexThatNoPropertyDeclaresIsSQL() {
    let report = report("ZKIND", "Z_OPT")
    #expect(report.json.create.map(\.declaration) == [nil])
    let text = report.text(.plain)
    #expect(text.contains("CREATE INDEX ZPHOTO_ZKIND_Z_OPT ON ZPHOTO (ZKIND, Z_OPT)"), "\(text)")
    #expect(text.contains("Z_OPT belongs to no property, so no declaration creates it"), "\(text)")
    #expect(!text.contains("Index("))
  }

  @Test func aStatementThatNoIndexServesIsToBeWrittenDifferently() {
    var advice = IndexAdvice()
    advice.effects = [
      IndexAdvice.Effect(
        statement: "a1", runs: 3, before: 9000, after: 9000, time: nil, values: .none)
    ]
    var report = AdviceReport(database: "a.sqlite", sqliteVersion: "3", advice: advice)
    report.verdicts = ["a1": .fullScan]
    report.rewrites = ["a1": ["write b = ?"]]
    #expect(report.text(.plain).contains("\n  a1: write b = ?\n"), "\(report.text(.plain))")
  }
}
