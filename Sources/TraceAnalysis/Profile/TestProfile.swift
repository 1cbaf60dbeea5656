// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents

/// The work of a test, from its marker to the next marker in the same process.
///
///     SELECT 'storescope: test test_departures'
///
/// Only the test's own call counts: set-up, tear-down, changes of the schema, and BEGIN and ROLLBACK depend on the order
/// of the tests and on the number of processes that run them.
public struct TestProfile: Hashable, Sendable, Codable {
  /// The name in the marker.
  public var name: String
  /// The work of its statements, without the marker.
  public var work = StatementCounts()
  /// The statement that made most full-scan steps, if any did.
  public var scanning: StatementID?
  /// Its statements by form and line; nil in older reports, which have one line for each form.
  public var forms: [Form]?

  /// The runs of one form at one line in a test.
  public struct Form: Summed, Hashable, Codable {
    /// A statement of the form.
    public var statement: StatementID
    /// The line of code.
    public var caller: SourceLocation
    /// Runs, rows and the other counts.
    public var work = StatementCounts()
    /// Runs that were the first with their values in the process.
    public var firstRuns: UInt64 = 0
    /// Runs with values that had not run before in the test, with no row changed in between; nil in older reports.
    public var distinctRuns: UInt64?
    /// Runs outside of a transaction that changed rows, each a transaction of its own; nil in older reports.
    public var autocommits: UInt64?

    var site: LockSite.Key { .init(statement: statement, location: caller) }

    public static let sums = Sums<Self, Self>(
      \.work, \.firstRuns, \.distinctRuns, \.autocommits)
  }

  /// Makes a profile without work.
  public init(name: String) { self.name = name }

  mutating func add(_ other: Self) {
    work.add(other.work)
    scanning = scanning ?? other.scanning
    guard let others = other.forms else { return }
    forms = ((forms ?? []) + others).merged(by: \.site) { $0.add($1) }
  }
}

extension [TestProfile] {
  /// The statements that their own calls ran.
  public var statements: UInt64 { reduce(0) { $0.saturatingSum($1.work.count) } }
}

extension Profile {
  /// The names of the tests that ran the statement of a finding, or its line; nil without tests.
  public func tests(of finding: Finding) -> [String]? {
    observed?.tests.map { tests in
      tests.filter { test in
        (test.forms ?? []).contains { form in
          form.statement == finding.statement
            || (!finding.caller.file.isEmpty && form.caller == finding.caller)
        }
      }.map(\.name)
    }
  }
}

/// The marker of a phase of a test.
///
///     SELECT 'storescope: test checkout'            the test itself
///     SELECT 'storescope: test checkout (setup)'
///     SELECT 'storescope: test '                    no test any more
struct TestMarker: Equatable {
  var name: String
  var isCall: Bool

  /// Nil for any other statement.
  init?(_ sql: String) {
    guard Self.mayBe(sql), let name = Self.text(sql) else { return nil }
    let phase = [" (setup)", " (teardown)"].first(where: name.hasSuffix)
    self.name = String(name.dropLast(phase?.count ?? 0))
    isCall = phase == nil
  }

  private static let mark = "storescope: test "
  private static let statement = "SELECT '\(mark)"
  private static let quote = UInt8(ascii: "'")

  /// Whether a statement may be one.
  static func mayBe(_ sql: String) -> Bool { sql.utf8.contains(quote) }

  /// The text behind the mark.
  private static func text(_ sql: String) -> String? {
    // As the probe writes it.
    if sql.hasPrefix(statement), sql.utf8.last == quote {
      let name = sql.utf8.dropFirst(statement.utf8.count).dropLast()
      if name.firstIndex(of: quote) == nil { return String(Substring(name)) }
    }
    guard let text = StatementCommand.selectedText(of: sql), text.utf8.starts(with: mark.utf8)
    else {
      return nil
    }
    return String(Substring(text.utf8.dropFirst(mark.utf8.count)))
  }
}

/// Whether a statement is a driver's own: a PRAGMA that sets up a connection or reads the schema.
///
/// `PRAGMA wal_checkpoint` and others that do work are the program's.
func isDriverPragma(_ sql: String) -> Bool {
  StatementCommand.pragma(of: sql).map { !workingPragmas.contains($0) } ?? false
}

private let workingPragmas: Set = [
  "analysis_limit", "foreign_key_check", "incremental_vacuum", "integrity_check", "optimize",
  "quick_check", "wal_checkpoint",
]

/// The tests of a run while it is being folded, by process.
struct TestTally {
  fileprivate struct Test {
    var profile: TestProfile
    var maxScanSteps: UInt64 = 0
    var forms: [LoopDetector.Site: TestProfile.Form] = [:]
  }

  private struct Lookup: Hashable {
    var process: Int
    var statement: StatementID
    var values: UInt64
  }

  private var tests: [Test] = []
  /// By name.
  private var indices: [String: Int] = [:]
  /// By process: the index of the running test.
  private var current: [Int: (index: Int, isCall: Bool)] = [:]
  /// By process: a number of its own for each test, and for the part of it since a row was changed.
  private var parts: [Int: UInt64] = [:]
  private var lastPart: UInt64 = 0
  private var seen: Set<Int> = []
  private var counts: [StatementID: Bool] = [:]
  private var formCount = 0
  /// Whether tests or statements of tests were left out.
  private(set) var isFull = false
  /// The part in which each ran last in a test's own call; 0 for none.
  private var lookups: [Lookup: UInt64] = [:]

  mutating func begin(_ marker: TestMarker, in process: Int) {
    current[process] = nil
    beginPart(in: process)
    seen.insert(process)
    guard !marker.name.isEmpty else { return }
    let index = indices[marker.name] ?? tests.count
    guard index < Bounds.tests else {
      isFull = true
      return
    }
    if index == tests.count {
      tests.append(Test(profile: TestProfile(name: marker.name)))
      indices[marker.name] = index
    }
    current[process] = (index, marker.isCall)
  }

  func isRunning(in process: Int) -> Bool { current[process] != nil }

  mutating func add(
    _ run: StatementRun, _ sql: String?, form: UInt64, from location: SourceLocation,
    in process: Int
  ) {
    guard let test = current[process] else { return }
    let lookup = Lookup(process: process, statement: run.statementID, values: run.bindHash)
    let isCounted = test.isCall && countsInTests(run.statementID, sql)
    if isCounted, run.changes > 0 { beginPart(in: process) }
    let part = isCounted ? parts[process] ?? 0 : 0
    let (last, isFirst) = keep(lookup, in: part)
    guard isCounted else { return }
    isFull = isFull || formCount >= Bounds.formsOfTests
    let isDistinct = run.bindHash == 0 || last != part
    tests[test.index].add(
      run, form: isFull ? nil : form, from: location, isFirst, isDistinct, &formCount)
  }

  private mutating func beginPart(in process: Int) {
    lastPart += 1
    parts[process] = lastPart
  }

  /// Returns the part in which it ran last, and whether this is its first run in the process.
  private mutating func keep(
    _ lookup: Lookup, in part: UInt64
  ) -> (last: UInt64?, isFirst: Bool) {
    let hasRoom = lookups.count < Bounds.lookups
    if hasRoom, part != 0 {
      let last = lookups.updateValue(part, forKey: lookup)
      return (last, last == nil)
    }
    let last = lookups[lookup]
    if last == nil ? hasRoom : part != 0 { lookups[lookup] = part }
    return (last, last == nil && hasRoom)
  }

  private mutating func countsInTests(_ statement: StatementID, _ sql: String?) -> Bool {
    if let known = counts[statement] { return known }
    let isCounted = sql.map(StatementCommand.isOwnWork) ?? true
    if counts.count < Bounds.statements { counts[statement] = isCounted }
    return isCounted
  }

  /// The number of processes that ran tests; nil without markers.
  var processes: UInt64? { seen.isEmpty ? nil : UInt64(seen.count) }

  /// Most full-scan steps first; nil without markers.
  func finish() -> [TestProfile]? {
    guard !tests.isEmpty else { return nil }
    return tests.map(\.finished).sorted {
      ($1.work.fullScanSteps, $0.name) < ($0.work.fullScanSteps, $1.name)
    }
  }
}

extension TestTally.Test {
  mutating func add(
    _ run: StatementRun, form: UInt64?, from location: SourceLocation, _ isFirst: Bool,
    _ isDistinct: Bool, _ formCount: inout Int
  ) {
    profile.work.add(run)
    if run.counters.fullScanSteps > maxScanSteps {
      maxScanSteps = run.counters.fullScanSteps
      profile.scanning = run.statementID
    }
    guard let form else { return }
    let site = LoopDetector.Site(form: form, location: location)
    if forms[site] == nil { formCount += 1 }
    forms[site, default: .init(statement: run.statementID, caller: location)]
      .add(run, isFirst, isDistinct)
  }

  var finished: TestProfile {
    var profile = profile
    profile.forms = forms.sorted {
      ($0.key.form, $0.key.location.file, $0.key.location.line)
        < ($1.key.form, $1.key.location.file, $1.key.location.line)
    }.map(\.value)
    return profile
  }
}

extension TestProfile.Form {
  fileprivate mutating func add(
    _ run: StatementRun, _ isFirst: Bool, _ isDistinct: Bool
  ) {
    work.add(run)
    if isFirst { firstRuns.add(1) }
    distinctRuns.add(isDistinct ? 1 : 0)
    if run.commitsItself { autocommits = (autocommits ?? 0) &+ 1 }
  }
}

extension StatementRun {
  /// Whether it was a transaction of its own.
  fileprivate var commitsItself: Bool { transactionID == 0 && isReadOnly == 0 && changes > 0 }
}
