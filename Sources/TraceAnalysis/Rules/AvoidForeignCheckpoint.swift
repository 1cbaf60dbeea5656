// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct AvoidForeignCheckpoint: Rule {
  static let explanation = RuleExplanation(
    problem: "a commit that checkpoints for others",
    law: "A commit does not checkpoint pages that other connections wrote.",
    reason: """
      SQLite runs a checkpoint within the commit that exceeds the size limit of the log, even if other connections wrote
      the rest of it. A small, urgent write then waits until a thousand pages of a busy writer are copied and synced.
      """,
    bad: """
      -- job.py: 4,000 commits
      -- web.py: INSERT INTO visit …   40 commits, of which 4 ran a checkpoint of 1,000 frames
      """,
    good: """
      PRAGMA wal_autocheckpoint = 0         -- on web.py's connection; job.py is unchanged
      """,
    limits: """
      Reported when commits of one line ran three checkpoints or more, and three quarters or more of the commits since
      the checkpoints before them were those of other connections. A writer that fills the log itself is not reported.
      Needs the probe's events of all writers, and a copy of SQLite whose checkpoints are observed.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.checkpointPayers ?? []).filter(\.isReported).map { payer in
      Finding(
        rule: Self.name, confidence: .high, statement: payer.site.statement,
        caller: payer.site.location,
        message: """
          Its commits ran \(payer.site.count.counted("checkpoint")) of \
          \(payer.frames.counted("frame")); of the commits since those before, \
          \(payer.otherCommits.grouped) were those of other connections and \
          \(payer.ownCommits.grouped) its own.
          """,
        evidence: [
          .init("checkpoints", payer.site.count), .init("frames", payer.frames),
          .init("otherCommits", payer.otherCommits), .init("ownCommits", payer.ownCommits),
        ],
        fix: """
          set PRAGMA wal_autocheckpoint = 0 on this connection, and run checkpoints on the \
          connections that write most
          """)
    }
  }
}
