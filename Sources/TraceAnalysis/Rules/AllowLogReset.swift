// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct AllowLogReset: Rule {
  static let explanation = RuleExplanation(
    problem: "a log that grows",
    law: "The write-ahead log is reset after a checkpoint.",
    reason: """
      When a checkpoint has copied the whole log, the next writer restarts it from the beginning, unless a reader still
      uses the log. Readers that always overlap prevent this: the log grows without limit although every checkpoint
      finishes, and each commit runs another one.
      """,
    bad: """
      -- checkpoint: passive, 1,004 of 1,004 frames;  2,010 of 2,010;  3,015 of 3,015;  4,022 of 4,022
      """,
    good: """
      -- checkpoint: passive, 1,004 of 1,004 frames;  1,001 of 1,001;  1,010 of 1,010
      """,
    limits: """
      Reported when the log grew by 3,000 frames or more over three finished checkpoints or more in a row, or when no
      checkpoint was seen and the log was seen to grow three times, to 16 MB or more. Checkpoints that a reader stops
      are reported by AvoidCheckpointStall. Needs the probe's events; checkpoints of copies of SQLite that call their
      own functions directly are not observed.
      """)

  func check(_ workload: Workload) -> [Finding] {
    // EndReadTransaction reports a reader that pins the log.
    let isPinned = !EndReadTransaction().check(workload).isEmpty
    return (workload.profile.locks?.logs ?? []).compactMap { log in
      log.isNeverReset ? unreset(log) : isPinned ? nil : unchecked(log)
    }
  }

  private func unreset(_ log: LogGrowth) -> Finding {
    Finding(
      rule: Self.name, confidence: .high, object: log.database,
      message: """
        The log grew from \(log.firstFrames.counted("frame")) to \(log.lastFrames.grouped) over \
        \(log.checkpoints.counted("checkpoint")) that all finished; the log was never reset.
        """,
      evidence: evidence(log),
      fix: """
        leave a gap between reads from time to time, and run PRAGMA wal_checkpoint(RESTART) in it, \
        with a busy timeout: it waits for the current readers
        """)
  }

  private func unchecked(_ log: LogGrowth) -> Finding {
    Finding(
      rule: Self.name, confidence: .medium, object: log.database,
      message: """
        The log grew to \((log.largestBytes >> 20).grouped) MiB, and no checkpoint was seen.
        """,
      evidence: evidence(log),
      fix: """
        run PRAGMA wal_checkpoint(TRUNCATE) from time to time, or set PRAGMA wal_autocheckpoint = \
        1000 on a connection that writes
        """)
  }

  private func evidence(_ log: LogGrowth) -> [Finding.Evidence] {
    [
      .init("checkpoints", log.checkpoints), .init("firstFrames", log.firstFrames),
      .init("lastFrames", log.lastFrames), .init("largestBytes", log.largestBytes),
    ]
  }
}
