// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A transaction that others wait for does only database work between BEGIN and COMMIT.
struct AvoidIdleWriter: Rule {
  static let explanation = RuleExplanation(
    problem: "a write transaction that idles",
    law:
      "A transaction that others wait for does only database work between BEGIN and COMMIT.",
    reason: """
      From its first write until it commits, a transaction keeps all other connections from writing. A request to a
      network, a computation or a user's answer between two statements makes all of them wait.
      """,
    bad: """
      BEGIN IMMEDIATE; UPDATE account …; (an HTTP request: 800 ms); INSERT INTO receipt …; COMMIT
      """,
    good: """
      (the HTTP request); BEGIN IMMEDIATE; UPDATE account …; INSERT INTO receipt …; COMMIT
      """,
    limits: """
      Reported when at least three waits of other connections ended with transactions of one line, and these spent more than
      half of their time between statements. Needs the probe's events of both sides.
      """)

  static let minWaits: UInt64 = 3

  func check(_ workload: Workload) -> [Finding] {
    let waits = workload.profile.locks?.waits ?? []
    let byLine = Dictionary(grouping: waits.filter { $0.holder != nil }) { $0.holder?.location }
    return byLine.values.compactMap(finding).sorted { $0.caller.sortKey < $1.caller.sortKey }
  }

  private func finding(_ waits: [LockWait]) -> Finding? {
    guard let holder = waits.first?.holder else { return nil }
    let count = waits.reduce(UInt64(0)) { $0.saturatingSum($1.count) }
    let time = waits.reduce(Nanoseconds(0)) { $0 &+ ($1.holder?.time ?? 0) }
    let idle = waits.reduce(Nanoseconds(0)) { $0 &+ ($1.holder?.idleTime ?? 0) }
    guard count >= Self.minWaits, idle > time / 2 else { return nil }
    let waited = waits.reduce(Nanoseconds(0)) { $0 &+ $1.time }
    let last = holder.statements.last.flatMap(\.location.text).map { " and \($0)" } ?? ""
    return Finding(
      rule: Self.name, confidence: .high,
      statement: holder.statements.first { $0.location == holder.location }?.statement,
      caller: holder.location,
      message: """
        \(count.counted("wait")) of other connections ended with its transactions, which were \
        idle between statements for \(Int(Double(idle) / Double(max(time, 1)) * 100))% of their \
        time.
        """,
      evidence: [
        .init("waits", count), .init("waitNs", waited), .init("transactionNs", time),
        .init("idleNs", idle),
      ],
      fix: "move what the program does between this line\(last) before BEGIN or after COMMIT",
      saving: .init(atMost: waited, basis: "the time the others waited"))
  }
}
