// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// No save or fetch waits long for another connection's lock, or for a connection.
struct AvoidLockWait: Rule {
  // A fifth of the time, and 10 ms: less than a frame of a moving list is no wait.
  static let leastPart = 0.2
  static let leastTime: Nanoseconds = 10_000_000
  // Twenty attempts take about a tenth of a second: the busy handler sleeps longer each time.
  static let minAttempts: UInt64 = 20

  static let explanation = RuleExplanation(
    law: "No save or fetch waits long for another connection's lock, or for a connection.",
    reason: """
      SQLite has one writer at a time: a long save, or a transaction left open, stops all others. A fetch waits where more
      threads fetch than the store has readers.
      """,
    bad: """
      context.perform { for row in feed { insert(row) }; try context.save() }      // one save, 4 s in the writer's lock
      -- save: wait 3,900 ms, write 12 ms, commit 3 ms                             another context, meanwhile
      """,
    good: """
      for part in feed.chunks(of: 1000) { context.perform { insert(part); try context.save() } }
      -- save: wait 20 ms, write 12 ms, commit 3 ms
      """,
    limits: """
      Reported when a wait for a lock ended in SQLITE_BUSY; when SQLite asked for another connection's lock 20 times or more
      during the saves of a line; and when the saves of a line, or the runs of a statement, waited 10 ms and a fifth of
      their time or more in a process of several threads. Nothing is reported of a process with one thread that no other
      connection kept waiting. Waits depend on the scheduler: this rule alone may differ from one run to the next.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let profile = workload.profile
    let hasThreads = profile.processes.contains { $0.hasSeveralThreads == true }
    return profile.saves.compactMap { saveFinding($0, hasThreads) }
      + (hasThreads ? workload.findings(fetchFinding) : []) + failures(profile.waits)
  }

  private func isLong(_ wait: Nanoseconds, of total: Nanoseconds) -> Bool {
    wait >= Self.leastTime && Double(wait) >= Double(total) * Self.leastPart
  }

  private func saveFinding(_ save: SaveProfile, _ hasThreads: Bool) -> Finding? {
    let isBlocked = save.busyAttempts ?? 0 >= Self.minAttempts
    guard isBlocked || (hasThreads && isLong(save.waitTime, of: save.totalTime)) else { return nil }
    return Finding(
      rule: Self.name, confidence: .high, caller: save.location,
      message: """
        \(save.count.counted("save")) waited \(save.waitTime.millisecondsText) for the writer, of \
        \(save.totalTime.millisecondsText) that they took.
        """,
      evidence: [
        .init("saves", save.count), .init("waitNs", save.waitTime),
        .init("totalNs", save.totalTime), .init("busyAttempts", save.busyAttempts ?? 0),
      ],
      fix: """
        end the transaction that holds the lock sooner: it should hold about a thousand objects; \
        the saves with the longest write time are in the summary
        """,
      saving: .init(atMost: save.waitTime, basis: "the time these saves waited"))
  }

  private func fetchFinding(_ statement: JudgedStatement) -> Finding? {
    let work = statement.work
    guard isLong(work.waitTime, of: work.totalTime) else { return nil }
    return Finding(
      rule: Self.name, confidence: .high, statement: statement.id,
      caller: statement.profile.mainCaller,
      message: """
        Its runs waited \(work.waitTime.millisecondsText) for a connection, of \
        \(work.totalTime.millisecondsText) that they took\(statement.runsText).
        """,
      evidence: [
        .init("runs", work.count), .init("waitNs", work.waitTime),
        .init("totalNs", work.totalTime),
      ],
      fix: "fetch on fewer threads at a time, or give the store more readers",
      saving: .init(atMost: work.waitTime, basis: "the time these runs waited"))
  }

  private func failures(_ waits: WaitProfile) -> [Finding] {
    guard waits.busyFailures > 0 else { return [] }
    return [
      Finding(
        rule: Self.name, confidence: .high,
        message: """
          \(waits.busyFailures.grouped) of \(waits.busyWaits.counted("wait")) for another \
          connection's lock gave up; the longest took \(waits.longestBusy.millisecondsText).
          """,
        evidence: [
          .init("waits", waits.busyWaits), .init("gaveUp", waits.busyFailures),
          .init("busyNs", waits.busyTime), .init("longestNs", waits.longestBusy),
        ],
        fix: """
          end the transaction that holds the lock sooner, and look at the errors of the saves and \
          fetches that gave up: what they wanted to write is not in the file
          """)
    ]
  }
}
