// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct AvoidSyncForFewRows: Rule {
  // As in AvoidSlowSave.
  static let minCommits: UInt64 = 50
  static let maxRows = 4.0

  static let explanation = RuleExplanation(
    problem: "a disk sync for few rows",
    law: "A commit that waits for the disk writes more than a few rows.",
    reason: """
      A sync takes as long for one row as for a thousand. With a rollback journal each commit syncs the journal, its folder
      and the file; with a write-ahead log and synchronous = FULL it syncs the log once, and with NORMAL not at all.
      """,
    bad: """
      BEGIN; INSERT INTO event VALUES (…); COMMIT            -- 200 times: 800 syncs for 200 rows
      """,
    good: """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL  -- syncs only at checkpoints
      """,
    limits: """
      Reported when 50 commits or more of one line synced at least once each, and wrote up to four rows on average. A
      line that GroupWrites or AvoidSlowSave reports is not reported again. The time of the syncs is shown but does not
      affect the decision. Needs a recording with --io.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let reported = Set(
      (GroupWrites().check(workload) + AvoidSlowSave().check(workload)).map(\.caller))
    return (workload.profile.io?.commits ?? []).filter {
      $0.site.count >= Self.minCommits && $0.syncs >= $0.site.count
        && Double($0.changes) <= Self.maxRows * Double($0.site.count)
        && !reported.contains($0.site.location)
    }.map(finding)
  }

  private func finding(_ commits: CommitProfile) -> Finding {
    let isJournal = commits.syncs / 2 >= commits.site.count
    return Finding(
      rule: Self.name, confidence: .high, statement: commits.site.known,
      caller: commits.site.location,
      message: """
        \(commits.site.count.counted("commit")) of \(commits.changes.counted("row")) in total \
        waited for the disk \(commits.syncs.counted("time")), for \
        \(commits.syncTime.millisecondsText).
        """,
      evidence: [
        .init("commits", commits.site.count), .init("rows", commits.changes),
        .init("syncs", commits.syncs), .init("syncNs", commits.syncTime),
        .init("totalNs", commits.totalTime),
      ],
      fix: isJournal
        ? """
        use PRAGMA journal_mode = WAL, which syncs once a commit, or write more rows in one \
        transaction
        """
        : """
        write more rows in one transaction; or set PRAGMA synchronous = NORMAL, if the last \
        commits may be lost when the power fails
        """,
      saving: .init(atMost: commits.syncTime, basis: "the time of these syncs"))
  }
}

extension LockSite {
  /// The statement, if it is known.
  var known: StatementID? { statement.rawValue == 0 ? nil : statement }
}
