// SPDX-License-Identifier: Apache-2.0

import QueryPlans
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
      program sent BEGIN, or neither did. A loop may write at several lines. Not reported: transactions between which the
      process received a connection, or a message from the network or on the standard input, since these are a server's
      requests; transactions a second apart; those of different tests, and of connections between which tables are created,
      as by tests; writes to the table of a queue, whose workers claim rows by UPDATE … (SELECT … LIMIT …) RETURNING, or by
      SELECT … LIMIT with the same values and UPDATE, and have to commit before they work; databases in memory and temporary
      ones. A note where the program waits 20 ms or more before most of them, as for a person or a device. Needs the probe's
      events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let transactions = workload.profile.locks?.transactions ?? []
    let queues = Set(transactions.compactMap(Self.queue))
    return transactions.filter { transaction in
      guard transaction.longestSequence >= Self.minTransactions,
        Self.queue(of: transaction) == nil
      else { return false }
      let table = transaction.site.sql.flatMap { WrittenTable(sql: $0)?.table.lowercased() }
      return table.map { !queues.contains($0) } ?? true
    }.map(finding)
  }

  /// The table from which transactions claim its next rows; nil of others.
  ///
  ///     UPDATE job SET worker = ? WHERE id = (SELECT id FROM job WHERE worker IS NULL LIMIT 1) RETURNING id
  private static func queue(of transactions: TransactionSite) -> String? {
    if let claims = transactions.claims, claims > transactions.site.count / 2 {
      return transactions.claimedTable
    }
    guard let sql = transactions.site.sql,
      ["UPDATE", "DELETE"].contains(StatementCommand.name(of: sql)),
      let table = WrittenTable(sql: sql)?.table.lowercased()
    else { return nil }
    let tokens = SQLTokenizer.tokens(of: sql)
    let words = ["SELECT", "LIMIT", "RETURNING"]
    return words.allSatisfy({ word in tokens.contains { $0.isWord(word) } }) ? table : nil
  }

  private func finding(_ transactions: TransactionSite) -> Finding {
    let (site, sequence) = (transactions.site, transactions.longestSequence.grouped)
    // The time of an autocommitted statement is not that of its commit alone.
    let time = transactions.autocommits == nil ? transactions.commitTime : 0
    let isAutocommit = transactions.autocommits == site.count
    return Finding(
      rule: Self.name, severity: transactions.isPaced ? .note : .warning, confidence: .high,
      statement: site.known, caller: site.location,
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
    (writes.map { "ran \($0.counted("write"))" } ?? "changed \(rows.counted("row"))")
      + (isPaced ? "; the program waited 20 ms or more before most of them" : "")
  }
}
