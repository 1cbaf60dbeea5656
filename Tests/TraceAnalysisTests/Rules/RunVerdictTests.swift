// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceRendering

/// The judgement that every report begins with.
@Suite struct RunVerdictTests {
  private func verdict(_ write: (inout RunBuilder) -> Void) -> RunVerdict {
    let profile = RunBuilder(write).profile()
    return RunVerdict(profile, FindingReview(profile.findings))
  }

  private static let scan = "SELECT a FROM loan WHERE due < ?"

  @Test func countsFindingsAndNamesTheWorst() throws {
    let verdict = verdict { run in
      run.open()
      run.fetch(Self.scan, rows: 15, connection: 8_000_000, total: 8_000_000, fullScanSteps: 15_000)
      run.close()
    }
    #expect(verdict.warnings == 1)
    #expect(verdict.notes == 0)
    #expect(verdict.worst?.problem == "a full scan")
    #expect(verdict.time == 8_000_000)
    #expect(
      verdict.sentence
        == "1 warning: up to 7.99 ms of 8.00 ms can be saved. Worst: a full scan on 'Stop' at "
        + "transit/Search.swift:42.")
  }

  @Test func twoFindingsOnOneStatementSaveItsTimeOnce() {
    let profile = RunBuilder {
      $0.open()
      $0.fetch(Self.scan, total: 9_000_000)
      $0.close()
    }.profile()
    func finding(_ line: UInt64, saves time: Nanoseconds) -> Finding {
      Finding(
        rule: "LimitFetch", confidence: .high, statement: StatementID(sql: Self.scan),
        caller: SourceLocation(file: "app.py", line: line), message: "", evidence: [], fix: "",
        saving: .init(atMost: time, basis: ""))
    }
    func saving(_ findings: Finding...) -> Nanoseconds? {
      RunVerdict(profile, FindingReview(findings)).savesAtMost
    }
    #expect(saving(finding(1, saves: 5_000_000), finding(1, saves: 3_000_000)) == 5_000_000)
    #expect(saving(finding(1, saves: 5_000_000), finding(2, saves: 3_000_000)) == 8_000_000)
    #expect(saving(finding(1, saves: 5_000_000), finding(2, saves: 6_000_000)) == 9_000_000)
    #expect(saving() == nil)
  }

  @Test func aRunWithoutFindingsAndLossesIsClean() {
    let clean = verdict { run in
      run.open()
      run.fetch(Self.scan, rows: 15)
      run.close()
    }
    #expect(clean.isClean)
    #expect(clean.sentence == "No findings.")
    let lossy = verdict { run in
      run.open()
      run.fetch(Self.scan, rows: 15)
      run.close(missing: 3)
    }
    #expect(!lossy.isClean)
    #expect(lossy.sentence == "No findings, but data is missing: this is not a pass.")
    #expect(!verdict { _ in }.isClean)
  }

  @Test func errorsAreNamedWhereNothingWasFound() {
    let failed = verdict { run in
      run.connect()
      run.run("SELECT a FROM missing", error: "SQLITE_ERROR: no such table: missing")
    }
    #expect(failed.errors == 1)
    #expect(failed.sentence.hasPrefix("No findings, 1 error"))
  }

  /// Commits that take seconds come before a scan that takes a millisecond.
  @Test func aFindingWithoutASavingIsRankedByItsTime() throws {
    var runs = LockRuns()
    let program = runs.open(1, "a")
    for number in 1...200 {
      runs.run(
        "INSERT INTO t VALUES (?)", line: 4, of: program, at: Double(number) * 20, open: 10,
        bindHash: UInt64(number))
    }
    let finding = try #require(runs.profile.findings.first { $0.rule == "GroupWrites" })
    #expect(finding.saving == nil)
    #expect(finding.cost == 2_000_000_000)
    let profile = RunBuilder { run in
      run.open()
      run.fetch(Self.scan, rows: 1, connection: 1_300_000, fullScanSteps: 15_000)
      run.close()
    }.profile()
    let scan = try #require(profile.findings.first)
    #expect(scan.cost < finding.cost)
  }

  @Test(arguments: [
    ("CREATE INDEX b_y ON b (y)", "b"), ("CREATE INDEX a_x ON a (x)", "a"), ("read less", "a"),
  ]) func ofAJoinTheTableOfTheFixIsTheCulprit(fix: String, table: String) throws {
    var finding = Finding(
      rule: "AvoidFullTableScan", confidence: .high, message: "", evidence: [], fix: fix)
    let profile = RunBuilder {
      $0.fetch("SELECT a.z FROM a JOIN b ON a.x = b.y", entity: "", rows: 1)
    }.profile()
    let statement = try #require(profile.statements.first)
    finding.statement = statement.id
    #expect(finding.culprit(of: statement) == table)
  }

  @Test func everyRuleHasItsProblemAsANoun() {
    for rule in Rules.all {
      let problem = type(of: rule).explanation.problem
      #expect(problem.hasPrefix("a ") || problem.hasPrefix("an ") || !problem.hasSuffix("."))
      #expect(!problem.isEmpty && problem.count < 45, "\(problem)")
    }
  }

  @Test func aDifferenceListsNewAndGoneFindingsWithoutTimes() {
    func profile(_ steps: UInt64, line: UInt64) -> Profile {
      RunBuilder { run in
        run.open()
        run.fetch(
          Self.scan, at: SourceLocation(file: "app.py", line: line), rows: 15,
          connection: 8_000_000, fullScanSteps: steps)
        run.close()
      }.profile()
    }
    let better = ProfileDifference(before: profile(15_000, line: 4), after: profile(0, line: 9))
    #expect(better.sentence == "1 finding is gone: rows read in full scans 15,000 → 0.")
    let worse = ProfileDifference(before: profile(0, line: 4), after: profile(15_000, line: 4))
    #expect(worse.sentence == "1 finding is new: rows read in full scans 0 → 15,000.")
    let moved = ProfileDifference(
      before: profile(15_000, line: 4), after: profile(15_000, line: 9))
    #expect(moved.sentence == "1 finding stays: the counts are the same.")
  }
}
