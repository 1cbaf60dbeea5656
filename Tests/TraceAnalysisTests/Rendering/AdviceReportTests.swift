// SPDX-License-Identifier: Apache-2.0

import Testing
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

  /// An index that covers a fetch may hold `Z_OPT` as well.
  @Test func whatNoPropertyCanDeclareIsMadeInSQL() {
    let report = report("ZKIND", "Z_OPT")
    #expect(report.json.create.map(\.declaration) == [nil])
    let text = report.text(.plain)
    #expect(text.contains("CREATE INDEX ZPHOTO_ZKIND_Z_OPT ON ZPHOTO (ZKIND, Z_OPT)"), "\(text)")
    #expect(text.contains("Z_OPT belongs to no property, so no declaration creates it"), "\(text)")
    #expect(!text.contains("Index("))
  }
}
