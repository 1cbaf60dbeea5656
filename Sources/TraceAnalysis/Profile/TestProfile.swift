// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents

/// The work of a test, from its marker to the next marker in the same process.
///
///     SELECT 'storescope: test test_departures'
public struct TestProfile: Hashable, Sendable, Codable {
  /// The name in the marker.
  public var name: String
  /// The work of its statements, without the marker.
  public var work = Work()
  /// The statement that made most full-scan steps, if any did.
  public var scanning: StatementID?

  /// Makes a profile without work.
  public init(name: String) { self.name = name }

  mutating func add(_ other: Self) {
    work.add(other.work)
    scanning = scanning ?? other.scanning
  }
}

/// The name of the test that a statement marks the beginning of; nil for any other statement.
///
///     SELECT 'storescope: test checkout'
func nameOfTest(markedBy sql: String) -> String? {
  let marker = "storescope: test "
  guard let text = StatementCommand.selectedText(of: sql), text.hasPrefix(marker),
    text.count > marker.count
  else { return nil }
  return String(text.dropFirst(marker.count))
}

/// Whether a statement is a driver's own: a PRAGMA that sets up a connection or reads the schema.
///
/// `PRAGMA wal_checkpoint` and others that do work are the program's.
func isDriverPragma(_ sql: String) -> Bool {
  let working: Set = [
    "analysis_limit", "foreign_key_check", "incremental_vacuum", "integrity_check", "optimize",
    "quick_check", "wal_checkpoint",
  ]
  return StatementCommand.pragma(of: sql).map { !working.contains($0) } ?? false
}

/// The tests of a run while it is being folded, by process.
struct TestTally {
  private struct Test {
    var profile: TestProfile
    var maxScanSteps: UInt64 = 0
  }

  private var tests: [String: Test] = [:]
  /// By process: the running test.
  private var current: [Int: String] = [:]

  mutating func begin(_ name: String, in process: Int) {
    guard tests[name] != nil || tests.count < Bounds.statements else {
      current[process] = nil
      return
    }
    tests[name] = tests[name] ?? Test(profile: TestProfile(name: name))
    current[process] = name
  }

  mutating func add(_ run: StatementRun, in process: Int) {
    guard let name = current[process] else { return }
    tests[name]?.profile.work.add(run)
    guard run.fullScanSteps > tests[name]?.maxScanSteps ?? .max else { return }
    tests[name]?.maxScanSteps = run.fullScanSteps
    tests[name]?.profile.scanning = run.statementID
  }

  /// Most full-scan steps first; nil without markers.
  func finish() -> [TestProfile]? {
    guard !tests.isEmpty else { return nil }
    return tests.values.map(\.profile).sorted {
      ($1.work.fullScanSteps, $0.name) < ($0.work.fullScanSteps, $1.name)
    }
  }
}
