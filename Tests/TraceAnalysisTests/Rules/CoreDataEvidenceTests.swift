// SPDX-License-Identifier: Apache-2.0

import Foundation
import QueryPlans
import SQLiteDriver
import TestSupport
import Testing
import TraceRendering

@testable import TraceAnalysis

/// The conclusions from the text of Core Data's log alone, and similar logs that are healthy.
@Suite struct CoreDataEvidenceTests {
  private let report = BuiltTool("trace-report")

  private func findings(_ log: String) throws -> [Finding] {
    let folder = try TemporaryDirectory()
    let path = folder.path("console.log")
    try log.write(toFile: path, atomically: true, encoding: .utf8)
    return try Profile(reading: [path]).findings
  }

  private func rules(_ runs: CoreDataEvidence.Run...) throws -> [String] {
    try findings(CoreDataEvidence(name: "", runs: runs).log()).map(\.rule)
  }

  @Test(arguments: CoreDataEvidence.all)
  func theTextAloneIsEnough(evidence: CoreDataEvidence) throws {
    let found = try findings(evidence.log())
    #expect(found.map(\.rule) == [evidence.rule].compactMap(\.self), "\(found)")
    guard let finding = found.first else { return }
    #expect(finding.severity.rawValue == evidence.severity)
    for words in evidence.fix { #expect(finding.fix.contains(words), "\(finding.fix)") }
    #expect(!finding.fix.contains("CREATE INDEX") && !finding.fix.contains("NSC"))
    #expect(!finding.evidence.contains { ["vmSteps", "fullScanSteps", "sorts"].contains($0.name) })
  }

  /// As a narrow column prints it: cut at 70 characters, or between words, two spaces before a name.
  @Test(arguments: [true, false])
  func aWrappedLogIsReadTheSame(isCut: Bool) throws {
    let log = CoreDataEvidence.localizedSort.log()
      .replacing("COLLATE NS", with: "COLLATE  NS").replacing(" ZRECORD", with: "  ZRECORD")
    let wrapped = log.split(separator: "\n").map { line in
      isCut ? Self.cut(line, at: 70) : Self.wrapped(line, at: 70)
    }.joined(separator: "\n")
    #expect(try findings(wrapped + "\n").map(\.rule) == ["UseStoredSortKey"], "\(wrapped)")
  }

  private static func cut(_ line: Substring, at width: Int) -> String {
    line.count <= width
      ? String(line) : line.prefix(width) + "\n" + cut(line.dropFirst(width), at: width)
  }

  private static func wrapped(_ line: Substring, at width: Int) -> String {
    guard line.count > width, let space = line.prefix(width).lastIndex(of: " ") else {
      return String(line)
    }
    return line[..<space] + "\n" + wrapped(line[line.index(after: space)...], at: width)
  }

  /// With a copy of the store the same problem is found, and certain findings are warnings.
  @Test func evidenceHasTheSameFindingsWithTheStore() async throws {
    let folder = try TemporaryDirectory()
    let (log, store) = (folder.path("console.log"), folder.path("Model.sqlite"))
    try CoreDataEvidence.makeStore(at: store)
    let warnings: Set = [
      "UnindexedStringSearch", "AvoidLargeColumnInList", "AvoidFaultStorm", "UseStoredSortKey",
      "UseIndexForSort",
    ]
    for evidence in CoreDataEvidence.all {
      try evidence.log().write(toFile: log, atomically: true, encoding: .utf8)
      let run = try await report.run("summary", log, "--database", store, "--json")
      let found = try JSONDecoder().decode(ReportV1.self, from: Data(run.output.utf8)).findings
        .filter { !$0.rule.hasPrefix("Drop") }
      #expect(found.map(\.rule) == [evidence.rule].compactMap(\.self), "\(evidence): \(found)")
      guard let rule = evidence.rule else { continue }
      let page = folder.path("report.html")
      let text = try await report.run("summary", log, "--database", store)
      #expect(text.output.contains(rule), "\(evidence)")
      #expect(try await report.run("html", log, "--database", store, "-o", page).status == 0)
      let html = try String(contentsOfFile: page, encoding: .utf8)
      #expect(html.contains(rule), "\(evidence)")
      #expect(
        found.map(\.severity) == [warnings.contains(rule) ? "warning" : "note"],
        "\(evidence)")
      #expect(found.allSatisfy { !$0.fix.contains("CREATE INDEX") && !$0.fix.contains("NSC") })
    }
  }

  @Test(arguments: CoreDataEvidence.all)
  func everyReportShowsTheEvidence(evidence: CoreDataEvidence) async throws {
    let folder = try TemporaryDirectory()
    let (log, page) = (folder.path("console.log"), folder.path("report.html"))
    try evidence.log().write(toFile: log, atomically: true, encoding: .utf8)
    let text = try await report.run("summary", log)
    let json = try await report.run("summary", log, "--json")
    #expect(try await report.run("html", log, "-o", page).status == 0)
    let html = try String(contentsOfFile: page, encoding: .utf8)
    let outputs = [text.output, json.output, html]
    guard let rule = evidence.rule else {
      for rule in Rules.all.map({ type(of: $0).name }) {
        #expect(!outputs.contains { $0.contains(rule) }, "\(rule)")
      }
      return
    }
    for output in outputs { #expect(output.contains(rule)) }
  }

  // MARK: - Healthy logs

  @Test func aShortListMayBeSortedByLocale() throws {
    let sql = CoreDataEvidence.record + " ORDER BY t0.ZVALUE COLLATE NSCollateLocaleSensitive"
    #expect(try rules(.init(sql: sql, rows: 12)) == [])
    #expect(try rules(.init(sql: sql, rows: 999)) == [])
  }

  @Test func sortByTheKeyOrOfFewRowsHasNoFinding() throws {
    #expect(try rules(.init(sql: CoreDataEvidence.record + " ORDER BY t0.Z_PK", rows: 4000)) == [])
    #expect(
      try rules(.init(sql: CoreDataEvidence.record + " ORDER BY t0.ZINDEXVALUE", rows: 999)) == [])
    #expect(
      try rules(
        .init(sql: CoreDataEvidence.record + " ORDER BY t0.ZINDEXVALUE LIMIT 1000", rows: 1000))
        == [])
  }

  @Test func textSearchAmongSelectedRowsHasNoFinding() throws {
    let sql = CoreDataEvidence.stop + " WHERE ( t0.ZLINE = ? AND "
    #expect(
      try rules(.init(sql: sql + " NSCoreDataStringSearch( t0.ZNAME, ?, 393, 0))", rows: 4)) == [])
  }

  @Test func aSearchThatItsLimitEndedMayHaveReadFewRows() throws {
    let sql =
      CoreDataEvidence.stop + " WHERE NSCoreDataStringSearch( t0.ZNAME, ?, 393, 0)  LIMIT 200"
    #expect(try rules(.init(sql: sql, rows: 200)) == [])
    #expect(try rules(.init(sql: sql, rows: 18)) == ["UnindexedStringSearch"])
  }

  @Test func aSearchOfATableThatIsKnownToBeLargeIsAWarning() throws {
    let search = CoreDataEvidence.textSearch.log()
    let large = CoreDataEvidence(
      name: "", runs: [.init(sql: CoreDataEvidence.stop + " WHERE  t0.ZLATITUDE > ?", rows: 4000)])
    let found = try findings(large.log() + search)
    #expect(found.map(\.severity) == [.warning])
    #expect(
      found.map(\.message) == [
        "Each run compares the text of 4,000 rows or more of 'ZSTOP' to return 4 (1 run)."
      ])
  }

  @Test func searchThatStartsAtTheTagsHasNoFinding() throws {
    let tags =
      "SELECT 0, t0.Z_PK FROM ZTAG t0 WHERE ( t0.ZNORMALIZEDTAG >= ? AND  t0.ZNORMALIZEDTAG < ?)"
    let photos =
      "SELECT 0, t0.Z_PK FROM ZPHOTO t0 JOIN Z_1TAGS t1 ON t0.Z_PK = t1.Z_1PHOTOS WHERE  t1.Z_2TAGS IN (SELECT * FROM _Z_intarray0)"
    #expect(try rules(.init(sql: tags, rows: 3), .init(sql: photos, rows: 40)) == [])
  }

  @Test func scrollingABatchedListHasNoFinding() throws {
    let keys = CoreDataEvidence.Run(sql: "SELECT 0, t0.Z_PK FROM ZSTOP t0", rows: 12_800)
    let batch = CoreDataEvidence.batches.runs[1]
    var (few, all) = (batch, batch)
    few.count = 6
    #expect(try rules(keys, few) == [])
    // Something else is fetched while the list is scrolled to its end.
    all.count = 128
    let other = CoreDataEvidence.Run(sql: CoreDataEvidence.photo + " WHERE  t0.ZLABEL = ?", rows: 1)
    #expect(try rules(keys, all, other, all) == [])
    // A short list that is read to its end.
    let short = CoreDataEvidence.Run(sql: "SELECT 0, t0.Z_PK FROM ZSTOP t0", rows: 200)
    few.count = 4
    #expect(try rules(short, few) == [])
  }

  @Test func otherNumbersOfRunsThanRowsAreNoLoop() throws {
    let list = CoreDataEvidence.counts.runs[0]
    var count = CoreDataEvidence.counts.runs[1]
    for runs in [9, 20, 35, 60] {
      count.count = runs
      #expect(try rules(list, count) == [], "\(runs)")
    }
    let short = CoreDataEvidence.Run(sql: list.sql, rows: 4)
    count.count = 4
    #expect(try rules(short, count) == [])
  }

  /// A fetch of the same entity elsewhere in the log is not that of the faults.
  @Test func aLaterFetchDoesNotTurnTheFixOfAStormAround() throws {
    let folders = "SELECT 0, t0.Z_PK, t0.ZNAME FROM ZFOLDER t0"
    func fault(_ key: Int) -> CoreDataEvidence.Run {
      .init(
        sql: folders + " WHERE  t0.Z_PK = ?", rows: 1,
        after:
          "CoreData: annotation: fault fulfilled from database for : 0xd0 <x-coredata://AB/Folder/p\(key)>\n"
      )
    }
    let notes = CoreDataEvidence.Run(sql: "SELECT 0, t0.Z_PK, t0.ZFOLDER FROM ZNOTE t0", rows: 40)
    let list = CoreDataEvidence.Run(sql: folders + " ORDER BY t0.ZNAME", rows: 40)
    let faults = (1...40).map(fault)
    func fix(_ runs: [CoreDataEvidence.Run]) throws -> String? {
      let found = try findings(CoreDataEvidence(name: "", runs: runs).log())
      return found.first { $0.rule == "AvoidFaultStorm" }?.fix
    }
    for runs in [[notes] + faults + [list], [list, notes] + faults] {
      #expect(try fix(runs)?.hasPrefix("prefetch the Folder objects") == true)
    }
    #expect(try fix([list] + faults)?.hasPrefix("fetch the values with the objects") == true)
  }

  /// Three runs with values: the rows are the rows of one run.
  @Test func rowsAreNotTheSumOverTheLoggedValues() throws {
    let folder = try TemporaryDirectory()
    let (log, store) = (folder.path("console.log"), folder.path("Model.sqlite"))
    try Connection(path: store).execute(
      """
      CREATE TABLE ZNOTE(Z_PK INTEGER PRIMARY KEY, Z_OPT INTEGER, ZTITLE VARCHAR, ZBODY);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)
        INSERT INTO ZNOTE SELECT i, 1, 'note ' || i, i FROM n;
      CREATE INDEX Z_Note_byTitle ON ZNOTE(Z_OPT, ZTITLE);
      """)
    let runs = ["a", "b", "c"].map { value in
      """
      CoreData: sql: SELECT 0, t0.Z_PK, t0.ZTITLE, t0.ZBODY FROM ZNOTE t0 WHERE  t0.ZTITLE LIKE ?
      CoreData: details: SQLite bind[0] = "\(value)"
      CoreData: annotation: sql connection fetch time: 0.0000s
      CoreData: annotation: total fetch execution time: 0.0000s for 3 rows.

      """
    }
    try runs.joined().write(toFile: log, atomically: true, encoding: .utf8)
    let database = try InspectedDatabase(path: store)
    let found = try Workload(Profile(reading: [log]), database: database.connection).findings
    // The log cannot prove that no other statement uses the index.
    #expect(found.map(\.rule) == ["UnindexedStringSearch"], "\(found)")
    #expect(found[0].message.contains("4,999 rows"), "\(found[0].message)")
    #expect(found.allSatisfy { $0.saving == nil })
  }

  /// `ZPICTURE` is the relationship whose objects are then read.
  @Test func aRelationshipIsNoColumnOfBytes() throws {
    let list = CoreDataEvidence.Run(
      sql: "SELECT 0, t0.Z_PK, t0.ZLABEL, t0.ZPICTURE FROM ZPHOTO t0", total: 0.09, rows: 184)
    let picture = CoreDataEvidence.Run(
      sql: "SELECT 0, t0.Z_PK, t0.ZBLOB FROM ZPICTURE t0 WHERE  t0.Z_PK = ?", rows: 1)
    #expect(try rules(list, picture) == [])
    #expect(try rules(list) == ["AvoidLargeColumnInList"])
  }

  @Test func bytesNeedANameATimeAndAList() throws {
    let sql = CoreDataEvidence.bytesInList.runs[0].sql
    #expect(try rules(.init(sql: sql, total: 0.0019, rows: 184)) == [])
    #expect(try rules(.init(sql: sql, total: 0.2, rows: 12)) == [])
    let thumbnails = sql.replacing("ZPHOTODATA", with: "ZTHUMBNAILDATA")
    #expect(try rules(.init(sql: thumbnails, total: 0.2, rows: 184)) == [])
    let texts = sql.replacing("ZPHOTODATA", with: "ZNOTE")
    #expect(try rules(.init(sql: texts, total: 0.2, rows: 184)) == [])
  }

  @Test func aSmallRelationshipIsReadAsAWhole() throws {
    var runs = CoreDataEvidence.relationship.runs
    runs[1].rows = 40
    runs[1].after = runs[1].after.replacing("12000", with: "40")
    #expect(try findings(CoreDataEvidence(name: "", runs: runs).log()).isEmpty)
  }

  @Test func numbersBeforeTextAreInOrder() throws {
    let sql =
      CoreDataEvidence.photo
      + " WHERE ( t0.ZTIMESTAMP > ? AND  NSCoreDataMatches( t0.ZLABEL, ?, 1))"
    #expect(try rules(.init(sql: sql, rows: 9)) == [])
  }
}
