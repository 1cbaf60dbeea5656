// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A database with a log and several connections is used through a version with the fix of the log's reset.
struct UpgradeSQLite: Rule {
  static let explanation = RuleExplanation(
    problem: "a version that can lose a commit",
    law:
      "A database with a log and several connections is used through a version with the fix of the log's reset.",
    reason: """
      Before 3.51.3 a checkpoint that runs at the same time as the reset of the log by another connection can lose a
      commit. It is rare, and has been seen under load.
      """,
    bad: """
      SQLite 3.40.1, PRAGMA journal_mode = WAL, two programs that write
      """,
    good: """
      SQLite 3.51.3, or a version with the fix: 3.50.7, 3.44.6
      """,
    limits: """
      Always a note. Reported for a database whose log was seen and that had two connections open at a time, in one
      process or in several. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let races = workload.profile.locks?.resetRaces ?? []
    guard let first = races.first else { return [] }
    let versions = Set(races.flatMap(\.versions)).sorted()
    let others = races.count - 1
    return [
      Finding(
        rule: Self.name, severity: .note, confidence: .low, object: first.path,
        message: """
          '\(first.path)'\(others == 0 ? "" : " and \(others.counted("other database"))") has a log and several \
          connections, with SQLite \(versions.joined(separator: ", ")): in rare cases a commit is lost when the log is \
          reset.
          """,
        evidence: [.init("databases", races.count)],
        fix: "use SQLite 3.51.3 or later, or a version with the fix: 3.50.7, 3.44.6")
    ]
  }
}
