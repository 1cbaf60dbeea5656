// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct KeepDurableSettings: Rule {
  static let explanation = RuleExplanation(
    problem: "a setting that risks the file",
    law: "A database in a file keeps the settings that protect it from a crash.",
    reason: """
      With synchronous = OFF a power failure can damage the file. With journal_mode = OFF or MEMORY a program that
      is killed within a transaction leaves a damaged file. With writable_schema = ON a wrong statement makes the file
      unreadable.
      """,
    bad: """
      PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY
      """,
    good: """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL
      """,
    limits: """
      A note, because a file that can be built again needs no protection. Not reported for databases in memory. Needs
      the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.settings ?? []).map { site in
      let sql = site.sql ?? ""
      return Finding(
        rule: Self.name, severity: .note, confidence: .medium, statement: site.statement,
        caller: site.location, object: sql,
        message: """
          '\(sql)' was run \(site.count.counted("time")): a crash can damage the file.
          """,
        evidence: [.init("runs", site.count)],
        fix:
          "leave the default, or use journal_mode = WAL with synchronous = NORMAL, which is fast as well"
      )
    }
  }
}
