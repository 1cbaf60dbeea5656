// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct AvoidFrequentCheckpoint: Rule {
  static let minCheckpoints: UInt64 = 10
  static let maxShare: UInt64 = 10
  // The default size that starts a checkpoint; a larger transaction may have its own checkpoint.
  static let logOfALargeCommit: UInt64 = 1000

  static let explanation = RuleExplanation(
    problem: "a checkpoint for every few commits",
    law: "Checkpoints are rare compared with commits.",
    reason: """
      A checkpoint syncs the log and the file, and writes each page of the log once, however often it was changed. If it
      runs after every few commits, it repeatedly writes the same pages, and the commits wait for the disk.
      """,
    bad: """
      PRAGMA wal_autocheckpoint = 10           -- 400 commits, 100 checkpoints
      """,
    good: """
      PRAGMA wal_autocheckpoint = 1000         -- 400 commits, 1 checkpoint
      """,
    limits: """
      Reported when commits of one line ran ten checkpoints or more, in one commit of ten or more often, and wrote less
      than 1,000 pages each on average. If the log was never reset (AllowLogReset), only that is reported. Needs a
      recording with --io.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let growsOnly = workload.profile.locks?.logs?.contains(where: \.isNeverReset) ?? false
    guard !growsOnly else { return [] }
    let foreign = Set(AvoidForeignCheckpoint().check(workload).map(\.caller))
    return (workload.profile.io?.commits ?? []).filter {
      $0.checkpoints >= Self.minCheckpoints && $0.checkpoints >= $0.site.count / Self.maxShare
        && $0.logWrites / max($0.site.count, 1) < Self.logOfALargeCommit
        && !foreign.contains($0.site.location)
    }.map { commits in
      Finding(
        rule: Self.name, confidence: .high, statement: commits.site.known,
        caller: commits.site.location,
        message: """
          \(commits.checkpoints.grouped) of \(commits.site.count.counted("commit")) ran a \
          checkpoint; they wrote \(commits.checkpointWrites.counted("page")) in \
          \(commits.checkpointTime.millisecondsText).
          """,
        evidence: [
          .init("commits", commits.site.count), .init("checkpoints", commits.checkpoints),
          .init("pages", commits.checkpointWrites), .init("checkpointNs", commits.checkpointTime),
          .init("totalNs", commits.totalTime),
        ],
        fix: "raise PRAGMA wal_autocheckpoint on this connection; SQLite's default is 1000 pages",
        saving: .init(atMost: commits.checkpointTime, basis: "the time of these checkpoints"))
    }
  }
}
