// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct GroupWrites: Rule {
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
      Reported when 50 transactions or more of up to four rows each began to write at one line, one after the other on one
      connection, or of one thread on a connection each, whatever was read in between, and whether the driver or the
      program sent BEGIN, or neither did. A loop may write at several lines. Not reported: transactions between which the process received a connection or a message from
      the network, since these are a server's requests; transactions a second apart; those of connections between which tables are
      created, as by tests; databases in memory and temporary ones. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.transactions ?? [])
      .filter { $0.longestSequence >= Self.minTransactions }.map(finding)
  }

  private func finding(_ transactions: TransactionSite) -> Finding {
    let (site, sequence) = (transactions.site, transactions.longestSequence.grouped)
    // The time of an autocommitted statement is not that of its commit alone.
    let time = transactions.autocommits == nil ? transactions.commitTime : 0
    let isAutocommit = transactions.autocommits == site.count
    return Finding(
      rule: Self.name, confidence: .high, statement: site.known, caller: site.location,
      message: isAutocommit
        ? """
        It ran \(site.count.counted("time")), each in a transaction of its own, \(sequence) of them in a row, and \
        \(transactions.size).
        """
        : """
        \(site.count.counted("transaction")) that began to write here, \(sequence) of them in a row, \
        \(transactions.size)\(time > 0 ? "; their commits took \(time.millisecondsText)" : "").
        """,
      evidence: [.init("transactions", site.count)]
        + (transactions.writes.map { [.init("writes", $0)] } ?? [.init("rows", transactions.rows)])
        + (time > 0 ? [.init("commitNs", time)] : []),
      fix: isAutocommit
        ? "run BEGIN IMMEDIATE before the loop and COMMIT after it, or every thousand rows"
        : """
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
