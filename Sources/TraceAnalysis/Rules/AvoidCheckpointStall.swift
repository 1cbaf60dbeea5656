// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The write-ahead log is checkpointed often, in small parts, and no reader blocks this.
struct AvoidCheckpointStall: Rule {
  static let minUnfinished: UInt64 = 3
  // 4,000 frames are 16 MB of the usual pages: four times the size that starts a checkpoint.
  static let maxLog: UInt64 = 4000

  static let explanation = RuleExplanation(
    problem: "a checkpoint that stalls commits",
    law:
      "The write-ahead log is checkpointed often, in small parts, and no reader blocks this.",
    reason: """
      A checkpoint copies the pages of the log into the file and waits for the disk, on the thread that committed last.
      It stops at the first page that a reader still needs: while a read stays open, the log grows, and every fetch
      searches it.
      """,
    bad: """
      -- checkpoint: passive, 812 of 96,204 frames      a reader has had its snapshot for a minute
      """,
    good: """
      -- checkpoint: passive, 1,004 of 1,004 frames in 3 ms
      """,
    limits: """
      Reported when the log grew to 4,000 frames or more, which is four times what starts a checkpoint; when three
      checkpoints or more could not finish, a reader is the cause, otherwise a large save. Shorter logs, and a
      checkpoint that a reader stopped once, are not reported.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let waits = workload.profile.waits
    if waits.unfinishedCheckpoints >= Self.minUnfinished, waits.largestLog >= Self.maxLog {
      return [hindered(waits, by: EndReadTransaction.sites(workload).first)]
    }
    // A log that is never reset is not long because of large saves.
    let growsOnly = workload.profile.locks?.logs?.contains(where: \.isNeverReset) ?? false
    return waits.largestLog >= Self.maxLog && waits.unfinishedCheckpoints == 0 && !growsOnly
      ? [long(waits)] : []
  }

  private func hindered(_ waits: WaitProfile, by reader: LockSite?) -> Finding {
    let fixOfReader = reader?.location.text.map { "end the read at \($0) sooner" }
    return Finding(
      rule: Self.name, confidence: .high,
      message: """
        \(waits.unfinishedCheckpoints.grouped) of \(waits.checkpoints.counted("checkpoint")) could \
        not finish, and the log grew to \(waits.largestLog.counted("frame")).
        """,
      evidence: evidence(waits),
      fix: fixOfReader ?? """
        end reads sooner: look for a statement that is stepped slowly, or a read transaction that \
        another program leaves open
        """)
  }

  private func long(_ waits: WaitProfile) -> Finding {
    Finding(
      rule: Self.name, confidence: .high,
      message: """
        The log grew to \(waits.largestLog.counted("frame")); the longest of \
        \(waits.checkpoints.counted("checkpoint")) took \(waits.longestCheckpoint.millisecondsText).
        """,
      evidence: evidence(waits),
      fix: "save every thousand objects, to keep the log short when a checkpoint runs",
      saving: .init(atMost: waits.checkpointTime, basis: "the time of all checkpoints"))
  }

  private func evidence(_ waits: WaitProfile) -> [Finding.Evidence] {
    [
      .init("checkpoints", waits.checkpoints), .init("unfinished", waits.unfinishedCheckpoints),
      .init("frames", waits.checkpointedFrames), .init("largestLog", waits.largestLog),
      .init("longestNs", waits.longestCheckpoint), .init("checkpointNs", waits.checkpointTime),
    ]
  }
}
