// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceRendering

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// A gate's output for CI servers and code hosts.
struct GateOutputsTests {
  private static let hostile = "a\n|`<b>@all#1\u{1b}[31m\u{0}&\"]]>\\"
  private static let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = ?"

  private func run(_ write: (inout RunBuilder) -> Void) -> Profile {
    RunBuilder {
      $0.open()
      write(&$0)
      $0.close()
    }.profile()
  }

  private var worse: GateResult {
    let before = run { trace in
      trace.fetch(Self.sql, rows: 15, vmSteps: 1000)
      trace.fetch("SELECT c", at: SourceLocation(file: "transit/C.swift", line: 3), sorts: 2)
    }
    let after = run { trace in
      trace.fetch(Self.sql, rows: 15, vmSteps: 1000, fullScanSteps: 12_800)
      trace.fetch("SELECT c", at: SourceLocation(file: "transit/C.swift", line: 3))
      trace.fetch(
        "SELECT x FROM \"\(Self.hostile)\"", at: SourceLocation(file: Self.hostile, line: 0))
    }
    return Gate().compare(after, with: BaselineV1(before))
  }

  // MARK: - One line

  @Test func oneLineHasTheVerdictAndItsReason() {
    #expect(
      worse.oneLine == """
        gate: regression: 2 worse (full-scan steps 0 → 12,800 at transit/Search.swift:42); \
        2 better; 1 new
        """)
    let usual = run { $0.fetch(Self.sql) }
    #expect(Gate().compare(usual, with: BaselineV1(usual)).oneLine == "gate: same: 1 the same")
    let doubtful = Gate().compare(RunBuilder().profile(), with: BaselineV1(usual)).oneLine
    #expect(doubtful.hasPrefix("gate: inconclusive: "))
    #expect(doubtful.contains("holds no events"))
  }

  @Test func manyNewTestsAreAFewLines() {
    func suite(_ count: Int) -> Profile {
      RunBuilder { trace in
        trace.connect()
        for number in 0..<count {
          trace.run("SELECT 'storescope: test t.py::test_\(number)'")
          trace.run("SELECT id FROM book")
        }
        trace.close()
      }.profile()
    }
    func lines(_ now: Int, _ before: Int) -> [Substring] {
      let result = Gate().compare(suite(now), with: BaselineV1(suite(before)))
      return Document(gate: result, baseline: "b.json", update: "update").markdown()
        .split(separator: "\n")
    }
    let (new, gone) = (lines(3000, 1), lines(1, 3000))
    #expect(new.count < 12 && new.contains { $0.contains("and 2,994 more") })
    #expect(new.contains { $0.contains("Tests that the baseline does not have (2,999)") })
    #expect(gone.count < 12 && gone.contains { $0.contains("Tests that only the baseline has") })
  }

  // MARK: - Markdown

  @Test func markdownIsForAPullRequest() {
    let lines = Document(gate: worse, baseline: "baseline.json", update: "update").markdown()
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines[0] == "## gate: regression")
    #expect(lines.contains("### Regressions (2)"))
    #expect(
      lines.contains("- **full-scan steps 0 → 12,800** at <code>transit/Search.swift:42</code>"))
    #expect(lines.contains("  ```sql"))
    #expect(lines.contains("  SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE t0.ZNAME = ?"))
  }

  @Test func markdownOfDataIsText() {
    let text = Document(gate: worse, baseline: Self.hostile, update: "update").markdown()
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    // Outside the fences nothing of the data stands unescaped.
    var isFenced = false
    for line in text.split(separator: "\n") {
      if line.drop(while: { $0 == " " }).hasPrefix("```") {
        isFenced.toggle()
      } else if !isFenced {
        #expect(!line.contains("@all"))
        #expect(!line.contains("<b>"))
        #expect(!line.contains("|`"))
      }
    }
    #expect(!isFenced)
    let table = Document(
      difference: ProfileDifference(
        before: run { $0.fetch("SELECT a|b") }, after: run { $0.fetch("SELECT a|b") }), before: "a",
      after: "b"
    ).markdown()
    let rows = table.split(separator: "\n").filter { $0.hasPrefix("|") }
    let pipes = Set(rows.suffix(3).map { $0.replacing("\\|", with: "").count { $0 == "|" } })
    #expect(pipes.count == 1)
    #expect(rows.contains { $0.contains("<br><code>SELECT a&#124;b</code>") })
  }

  /// Markdown reads on within `<code>`: a name could be a link, and `count(*)` begin an emphasis.
  @Test func markdownOfSQLInATableIsText() {
    let sql = "SELECT count(*), max(*) FROM [a](https://x.y) WHERE b = `c` AND ZD = ~1"
    let table = Document(
      difference: ProfileDifference(
        before: run { $0.fetch(sql) }, after: run { $0.fetch(sql) }), before: "a", after: "b"
    ).markdown()
    #expect(
      table.contains(
        "<code>SELECT count(&#42;), max(&#42;) FROM &#91;a&#93;(https://x.y) "
          + "WHERE b = &#96;c&#96; AND ZD = &#126;"), "\(table)")
  }

  @Test func totalsOfAProgramWithoutAStoreAreStatements() {
    func profile(_ runs: Int) -> Profile {
      RunBuilder { trace in
        trace.connect()
        for _ in 0..<runs { trace.run("SELECT a FROM b", rows: 3) }
        trace.close()
      }.profile()
    }
    let text = Document(
      difference: ProfileDifference(before: profile(4), after: profile(6)), before: "a", after: "b"
    ).text(.plain)
    #expect(text.contains("statements       4       6  +2"), "\(text)")
    #expect(text.contains("rows            12      18  +6"), "\(text)")
    #expect(!text.contains("fault") && !text.contains("fetch"))
  }

  // MARK: - JUnit

  private final class Reader: NSObject, XMLParserDelegate {
    var elements: [(name: String, attributes: [String: String])] = []

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) { elements.append((name, attributes)) }
  }

  @Test func junitIsWellFormedAndCounts() throws {
    let reader = Reader()
    let parser = XMLParser(data: Data(GateReportJUnit.xml(worse).utf8))
    parser.delegate = reader
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    let suite = try #require(reader.elements.first { $0.name == "testsuite" }).attributes
    let cases = reader.elements.filter { $0.name == "testcase" }
    #expect(suite["tests"] == "\(cases.count)")
    #expect(suite["failures"] == "2")
    #expect(suite["errors"] == "0")
    #expect(reader.elements.count { $0.name == "failure" } == 2)
    #expect(cases.allSatisfy { $0.attributes["name"] != nil && $0.attributes["classname"] != nil })
    #expect(Set(cases.map { $0.attributes["name"] }).count == cases.count)
    #expect(cases[0].attributes["file"] == "transit/Search.swift")
    #expect(cases[0].attributes["line"] == "42")
  }

  /// Several doubts have one name, as have totals that rose and totals that fell.
  @Test func eachCaseHasANameOfItsOwn() throws {
    let usual = run { $0.fetch(Self.sql) }
    var result = Gate().compare(RunBuilder().profile(), with: BaselineV1(usual))
    result.doubts = ["one", "two", "three"]
    let reader = Reader()
    let parser = XMLParser(data: Data(GateReportJUnit.xml(result).utf8))
    parser.delegate = reader
    #expect(parser.parse())
    let names = reader.elements.filter { $0.name == "testcase" }.map { $0.attributes["name"] }
    #expect(names.count >= 3)
    #expect(Set(names).count == names.count)
    #expect(names.contains("the run can be compared (3)"))
  }

  @Test func inconclusiveCheckIsAnErrorInJUnit() throws {
    let reader = Reader()
    let usual = run { $0.fetch(Self.sql) }
    let result = Gate().compare(RunBuilder().profile(), with: BaselineV1(usual))
    let parser = XMLParser(data: Data(GateReportJUnit.xml(result).utf8))
    parser.delegate = reader
    #expect(parser.parse())
    #expect(reader.elements.count { $0.name == "error" } >= 1)
    #expect(!reader.elements.contains { $0.name == "testcase" && $0.attributes["name"] == "" })
  }

  // MARK: - SARIF

  private func sarif(_ result: GateResult) throws -> [String: Any] {
    let log = SARIFLog(gate: result, version: "0.1.0") { caller, _ in
      caller.file.isEmpty
        ? .init(path: "baseline.json", line: 7)
        : .init(path: "Sources/\(caller.file)", line: caller.line)
    }
    let text = try JSONText.encoded(log)
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(object as? [String: Any])
  }

  /// The properties that the schema requires, and the properties with limited values.
  @Test func sarifHasThePropertiesThatItsSchemaRequires() throws {
    let log = try sarif(worse)
    #expect(log["version"] as? String == "2.1.0")
    #expect((log["$schema"] as? String)?.hasSuffix("sarif-2.1.0.json") == true)
    let runs = try #require(log["runs"] as? [[String: Any]])
    #expect(runs.count == 1)
    let tool = try #require(runs[0]["tool"] as? [String: Any])
    let driver = try #require(tool["driver"] as? [String: Any])
    #expect((driver["name"] as? String)?.isEmpty == false)
    let rules = try #require(driver["rules"] as? [[String: Any]])
    let ids = rules.compactMap { $0["id"] as? String }
    #expect(ids.count == rules.count && Set(ids).count == ids.count)
    for invocation in try #require(runs[0]["invocations"] as? [[String: Any]]) {
      #expect(invocation["executionSuccessful"] as? Bool == true)
    }
    let results = try #require(runs[0]["results"] as? [[String: Any]])
    #expect(results.count == 5)
    for result in results {
      let message = try #require(result["message"] as? [String: Any])
      #expect((message["text"] as? String)?.isEmpty == false)
      #expect(["none", "note", "warning", "error"].contains(result["level"] as? String))
      let index = try #require(result["ruleIndex"] as? Int)
      #expect(ids[index] == result["ruleId"] as? String)
      let locations = try #require(result["locations"] as? [[String: Any]])
      #expect(locations.count == 1, "GitHub refuses a file with a result that has none")
      for location in locations {
        let physical = try #require(location["physicalLocation"] as? [String: Any])
        let artifact = try #require(physical["artifactLocation"] as? [String: Any])
        let uri = try #require(artifact["uri"] as? String)
        #expect(URL(string: uri)?.scheme == nil)
        #expect(uri.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
        let region = try #require(physical["region"] as? [String: Any])
        #expect((region["startLine"] as? Int).map { $0 >= 1 } == true)
      }
    }
    let first = try #require(
      ((results[0]["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any])?[
        "artifactLocation"] as? [String: Any])
    #expect(first["uri"] as? String == "Sources/transit/Search.swift")
  }

  @Test func anInconclusiveGateWasNoSuccess() throws {
    let usual = run { $0.fetch(Self.sql) }
    let log = try sarif(Gate().compare(RunBuilder().profile(), with: BaselineV1(usual)))
    let run = try #require((log["runs"] as? [[String: Any]])?.first)
    let invocation = try #require((run["invocations"] as? [[String: Any]])?.first)
    #expect(invocation["executionSuccessful"] as? Bool == false)
    #expect((invocation["toolExecutionNotifications"] as? [[String: Any]])?.isEmpty == false)
  }
  // MARK: - SARIF of findings

  /// The fingerprint of each finding, by its line.
  private func fingerprints(_ lines: [UInt64]) throws -> [Int: String] {
    let profile = run { trace in
      for line in lines {
        trace.fetch(
          Self.sql, at: SourceLocation(file: "transit/Search.swift", line: line), rows: 1,
          connection: Int64(line) * 1000, fullScanSteps: 12_800)
      }
      trace.fetch(
        Self.sql, at: SourceLocation(file: "transit/Other.swift", line: 1), rows: 1,
        fullScanSteps: 12_800)
    }
    let log = SARIFLog(findings: profile.findings, in: profile, version: "0.1.0") { caller, _ in
      .init(path: caller.file, line: caller.line)
    }
    let text = try JSONText.encoded(log)
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let run = try #require((object?["runs"] as? [[String: Any]])?.first)
    let results = try #require(run["results"] as? [[String: Any]])
    let pairs = try results.map { result in
      let place = try #require((result["locations"] as? [[String: Any]])?.first)
      let region = (place["physicalLocation"] as? [String: Any])?["region"] as? [String: Any]
      let prints = try #require(result["partialFingerprints"] as? [String: String])
      return (try #require(region?["startLine"] as? Int), try #require(prints["finding/v2"]))
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  @Test func findingsAtSeveralLinesHaveSeveralFingerprintsThatStayWhenLinesShift() throws {
    let found = try fingerprints([42, 43, 44])
    #expect(found.count == 4)
    #expect(Set(found.values).count == 4)
    let shifted = try fingerprints([52, 53, 60])
    #expect([found[42], found[43], found[44]] == [shifted[52], shifted[53], shifted[60]])
    #expect(found[1] == shifted[1])
  }
}
