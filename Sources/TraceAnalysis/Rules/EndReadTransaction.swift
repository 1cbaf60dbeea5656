// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct EndReadTransaction: Rule {
  // A checkpoint is due after 1,000 pages: with a few pages a commit, that is soon after 100.
  static let minCommits: UInt64 = 100

  static let explanation = RuleExplanation(
    problem: "a read that does not end",
    law: "A read ends before other connections have committed many times.",
    reason: """
      A read transaction, or a statement that is not stepped to its end and not reset, keeps its snapshot. With a
      write-ahead log, no checkpoint can copy later frames, so the log grows, and every read searches a longer log.
      """,
    bad: """
      for row in db.execute("SELECT … FROM item"):  slow(row)      -- 4,000 commits of others meanwhile
      """,
    good: """
      for row in db.execute("SELECT … FROM item").fetchall():  slow(row)
      """,
    limits: """
      Reported when other connections committed 100 times or more while a statement, or the transaction around it, was open,
      also if the statement did not end.
      Needs the probe's events of both sides.
      """)

  func check(_ workload: Workload) -> [Finding] {
    Self.sites(workload).map { site in
      Finding(
        rule: Self.name, confidence: .high, statement: site.statement, caller: site.location,
        message: """
          Other connections committed \(site.count.counted("time")) while it, or the transaction \
          around it, was open; no checkpoint could pass it.
          """,
        evidence: [.init("commits", site.count)],
        fix: """
          read all rows before the slow work, reset the statement, or end the transaction; long \
          reports can read a copy
          """)
    }
  }

  /// The reads during which others committed often.
  static func sites(_ workload: Workload) -> [LockSite] {
    (workload.profile.locks?.longReads ?? []).filter { $0.count >= minCommits }
  }
}
