// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import TraceAnalysis
import TraceRendering

@Suite struct BaselineTests {
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private var baseline: BaselineV1 {
    let profile = RunBuilder { trace in
      trace.open()
      trace.fetch("SELECT b FROM t WHERE x IN (1, 2)", rows: 15)
      trace.fetch("SELECT b FROM t WHERE x IN (1, 2, 3)", rows: 5)
      trace.fetch("SELECT a FROM t")
      trace.close()
    }.profile()
    return BaselineV1(profile, tags: ["seed": "1"])
  }

  private func read(_ text: String) throws -> BaselineV1 {
    let path = folder.path("baseline.json")
    try Data(text.utf8).write(to: URL(filePath: path))
    return try BaselineV1(path: path)
  }

  private func error(_ text: String) -> String {
    do {
      return "\(try read(text))"
    } catch {
      return "\(error)".replacing(folder.path("baseline.json"), with: "FILE")
    }
  }

  @Test func foldsValuesAndSortsBySQL() {
    #expect(
      baseline.statements.map(\.sql) == ["SELECT a FROM t", "SELECT b FROM t WHERE x IN (?)"])
    #expect(baseline.statements.map(\.count) == [1, 2])
    #expect(baseline.statements.map(\.rows) == [1, 20])
  }

  @Test func isReadAsItWasWritten() throws {
    let sealed = try baseline.sealed
    #expect(try read(JSONText.encoded(sealed)) == sealed)
  }

  @Test func aBaselineThatLostItsCheckIsDamaged() throws {
    #expect(try error(JSONText.encoded(baseline)).contains("was changed after it was written"))
    var older = baseline
    older.totals.inserted = nil
    #expect(try read(JSONText.encoded(older)) == older, "written before there were checks")
  }

  @Test func readsLikeThis() throws {
    let text = try JSONText.encoded(baseline)
    #expect(text.hasPrefix("{\n  \"schemaVersion\" : 1,\n  \"sqliteVersion\" : \"3.40.1\",\n"))
    #expect(text.contains("\"tags\" : {\n    \"seed\" : \"1\"\n  }"))
    #expect(!text.contains("callers"))
  }

  @Test func aNegativeCountIsOutOfRange() throws {
    let text = try JSONText.encoded(baseline).replacing(/"fetches" : \d+/, with: "\"fetches\" : -1")
    #expect(
      error(text).contains("is not a baseline: it is not JSON, or a number in it is out of range"))
  }

  @Test func errorNamesWhyABaselineCannotBeRead() {
    #expect(throws: BaselineError.missing("/nowhere")) { try BaselineV1(path: "/nowhere") }
    #expect(
      error("{\"schemaVersion\": 7}").contains("has schemaVersion 7, this trace-report reads 1"))
    #expect(error("not json").contains("is not a baseline: it is not JSON"))
    #expect(error("{}").contains("no 'schemaVersion'"))
    #expect(error("{\"schemaVersion\": 1, \"tags\": {}}").contains("no 'totals'"))
  }
}
