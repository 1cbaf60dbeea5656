// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
@testable import TraceAnalysis

@Suite struct ExceptionFileTests {
  private static let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZNAME = ?"

  private var profile: Profile {
    RunBuilder { $0.fetch(Self.sql, rows: 3, fullScanSteps: 12_800) }.profile()
  }

  private func review(_ text: String, today: String = "2026-11-21") throws -> FindingReview {
    let file = try ExceptionFile(path: "x", text: text)
    return FindingReview(profile.findings, in: profile, file: file, today: today)
  }

  @Test func readsAllKeys() throws {
    let file = try ExceptionFile(
      path: "x",
      text: """
        # what we live with
        [AvoidFullTableScan]
        caller = transit/Search.swift:42
        statement = 00000000000000ff
          sql = WHERE  a = b
        object = ZSTOP
        reason = It runs once a night. # not a comment
        expires = 2027-03-01

        [Gate]
        reason = new feature
        """)
    #expect(file.exceptions.map(\.rule) == ["AvoidFullTableScan", "Gate"])
    let first = try #require(file.exceptions.first)
    #expect(first.caller == "transit/Search.swift:42")
    #expect(first.statement == StatementID(rawValue: 255))
    #expect(first.sql == "WHERE  a = b")
    #expect(first.reason == "It runs once a night. # not a comment")
    #expect(first.expires == "2027-03-01")
    #expect(first.line == 2)
  }

  @Test(arguments: [
    "caller = transit/Search.swift", "caller = transit/Search.swift:42", "sql = FROM ZSTOP t0",
    "statement = \(StatementID(sql: Self.sql))",
  ])
  func excusesWhatItNames(_ matcher: String) throws {
    let review = try review("[AvoidFullTableScan]\n\(matcher)\nreason = It is small.")
    #expect(review.findings.isEmpty)
    #expect(review.suppressed.map(\.exception.reason) == ["It is small."])
    #expect(review.complaints.isEmpty)
  }

  @Test(arguments: [
    ("AvoidFaultStorm", "sql = FROM ZSTOP"), ("AvoidFullTableScan", "caller = transit/Sea"),
    ("AvoidFullTableScan", "caller = transit/Search.swift:43"),
    ("AvoidFullTableScan", "sql = FROM ZOTHER"), ("AvoidFullTableScan", "object = ZSTOP"),
    ("AvoidFullTableScan", "statement = 00000000000000ff"),
  ])
  func reportsAnExceptionThatMatchesNothing(_ rule: String, _ matcher: String) throws {
    let review = try review("[\(rule)]\n\(matcher)\nreason = It is small.")
    #expect(review.findings.map(\.rule) == ["AvoidFullTableScan"])
    let compared =
      rule == "AvoidFullTableScan" ? " (it was compared with transit/Search.swift:42)" : ""
    #expect(
      review.complaints == [
        "x:1: the exception from \(rule) matches nothing; take it out\(compared)"
      ])
  }

  @Test func anExpiredExceptionExcusesNothing() throws {
    let text = "[AvoidFullTableScan]\nreason = It is small.\nexpires = 2026-11-20"
    let late = try review(text)
    #expect(late.findings.count == 1)
    #expect(
      late.complaints == [
        "x:1: the exception from AvoidFullTableScan expired on 2026-11-20; what it excused counts "
          + "again"
      ])
    #expect(try review(text, today: "2026-11-20").findings.isEmpty)
  }

  @Test(arguments: [
    ("[NoSuchRule]\nreason = r", "no rule \"NoSuchRule\""),
    ("[AvoidFullTableScan]", "has no reason"),
    ("[AvoidFullTableScan]\nreason =", "\"reason\" has no value"),
    ("[AvoidFullTableScan]\nwhy = r", "\"why\" is not a key"),
    ("reason = r", "neither [RULE] nor key = value"),
    ("[Gate]\nreason = r\nexpires = 2027-13-01", "is not a date"),
    ("[Gate]\nreason = r\nexpires = soon", "is not a date"),
    ("[Gate]\nreason = r\nstatement = 12", "is not the id of a statement"),
    ("[Gate]\nnonsense", "neither [RULE] nor key = value"),
  ])
  func whatIsNotUnderstoodIsAnError(_ text: String, _ words: String) {
    do {
      _ = try ExceptionFile(path: "x", text: text)
      Issue.record("\(text) was read")
    } catch {
      #expect("\(error)".contains(words), "\(error)")
      #expect("\(error)".hasPrefix("x:"))
    }
  }

  @Test func excusesARegressionAndItsShareOfTheTotals() throws {
    let before = RunBuilder {
      $0.open()
      $0.fetch(Self.sql, rows: 3)
      $0.close()
    }.profile()
    let after = RunBuilder {
      $0.open()
      for _ in 1...3 { $0.fetch(Self.sql, rows: 3) }
      $0.close()
    }.profile()
    var result = Gate().compare(after, with: BaselineV1(before))
    #expect(result.verdict == .regression)
    result.suppress(
      by: try ExceptionFile(path: "x", text: "[Gate]\nsql = FROM ZSTOP\nreason = new"), today: "")
    #expect(result.verdict == .same)
    #expect(result.suppressed.count == 1)
    #expect(result.complaints.isEmpty)

    let faults = RunBuilder {
      $0.open()
      for _ in 1...3 { $0.fetch(Self.sql, rows: 3) }
      for pk in 1...5 as ClosedRange<Int64> { $0.fault(pk: pk, source: .rowCache) }
      $0.close()
    }.profile()
    var other = Gate().compare(faults, with: BaselineV1(before))
    other.suppress(
      by: try ExceptionFile(path: "x", text: "[Gate]\nsql = FROM ZSTOP\nreason = new"), today: "")
    #expect(other.regressions.flatMap(\.changes).map(\.metric) == [.faults])
  }

  /// A warning on a schema has no statement and no counts.
  @Test func aNewWarningWithoutAStatementStaysARegression() throws {
    var warning = try #require(profile.findings.first)
    (warning.rule, warning.statement) = ("DropDuplicateIndex", nil)
    var result = GateResult()
    result.regressions = [
      .init(sql: nil, statement: nil, caller: .unknown, finding: warning, changes: [])
    ]
    result.suppress(by: ExceptionFile(), today: "")
    #expect(result.regressions.count == 1 && result.verdict == .regression)
  }
}
