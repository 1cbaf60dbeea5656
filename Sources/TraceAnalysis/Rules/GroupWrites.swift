// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Writes that belong together are one transaction.
struct GroupWrites: Rule {
  static let minRuns: UInt64 = 100
  static let minTransactions: UInt64 = 50

  static let explanation = RuleExplanation(
    problem: "a transaction for each write",
    law: "Writes that belong together are one transaction.",
    reason: """
      Each transaction takes the lock, writes the log or the journal, and waits for the disk. Outside of a transaction,
      each INSERT, UPDATE or DELETE is a transaction of its own. A thousand of them wait a thousand times, and other
      writers wait for them.
      """,
    bad: """
      for row in rows:
        with db: db.execute("INSERT INTO item VALUES (?)", row)              -- 1,000 commits
      """,
    good: """
      with db: db.executemany("INSERT INTO item VALUES (?)", rows)           -- 1 commit
      """,
    limits: """
      Reported when one line ran one statement that writes 100 times or more in a row on one thread, outside of a
      transaction, with no statement in between; and when 50 transactions or more of up to four rows each began to
      write at one line, one after the other on one connection, whatever was read in between, and whether the driver or
      the program sent BEGIN. Databases in memory and temporary ones are not reported. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let autocommits = (workload.profile.locks?.autocommits ?? []).filter {
      $0.count >= Self.minRuns
    }.map { site in
      Finding(
        rule: Self.name, confidence: .high, statement: site.statement, caller: site.location,
        message: "It ran \(site.count.counted("time")) in a row, each in a transaction of its own.",
        evidence: [.init("runs", site.count)],
        fix: "run BEGIN IMMEDIATE before the loop and COMMIT after it, or every thousand rows")
    }
    return autocommits
      + (workload.profile.locks?.transactions ?? [])
      .filter { $0.longestSequence >= Self.minTransactions }.map(finding)
  }

  private func finding(_ transactions: TransactionSite) -> Finding {
    let (site, time) = (transactions.site, transactions.commitTime)
    return Finding(
      rule: Self.name, confidence: .high, statement: site.known, caller: site.location,
      message: """
        \(site.count.counted("transaction")) that began to write here, \
        \(transactions.longestSequence.grouped) of them in a row, \(transactions.size)\
        \(time > 0 ? "; their commits took \(time.millisecondsText)" : "").
        """,
      evidence: [.init("transactions", site.count)]
        + (transactions.writes.map { [.init("writes", $0)] } ?? [.init("rows", transactions.rows)])
        + (time > 0 ? [.init("commitNs", time)] : []),
      fix: """
        begin one transaction before the loop, and commit it after the loop or every thousand rows; \
        a driver's context manager, or commit(), within the loop ends one for each row
        """,
      saving: time == 0
        ? nil
        : .init(
          atMost: time - time / Int64(clamping: max(site.count, 1)),
          basis: "the time of all commits but one"))
  }
}

extension TransactionSite {
  fileprivate var size: String {
    writes.map { "ran \($0.counted("write"))" } ?? "changed \(rows.counted("row"))"
  }
}
