// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// No save, fetch or statement waits long for another connection's lock, or for a connection.
struct AvoidLockWait: Rule {
  // Ten attempts take 32 ms with the store's busy handler, and 178 ms with SQLite's own.
  static let minAttempts: UInt64 = 10
  static let minContended: UInt64 = 10

  static let explanation = RuleExplanation(
    problem: "a wait for a lock",
    law:
      "No save, fetch or statement waits long for another connection's lock, or for a connection.",
    reason: """
      SQLite has one writer at a time: a long save, or a transaction left open, blocks all others. A fetch waits if more
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
      Reported when a wait for a lock, after a second attempt, ended in SQLITE_BUSY; when SQLite retried a lock of
      another connection 10 times or more during the saves of a line, or the runs of a statement; when 10 saves or more
      of a line began while another thread of the process saved; and when 10 fetches or more of a statement began while
      four other threads fetched, which is the default number of readers of a store. Nothing is reported for a process
      with one thread that waited for no other connection. Attempts depend on the scheduler; this is the only rule whose
      findings may differ from one run to the next.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let idle = Set(AvoidIdleWriter().check(workload).map(\.caller))
    let waits = workload.profile.locks?.waits ?? []
    let others = Set(workload.profile.locks?.failuresOfOtherRules.map(\.statement) ?? [])
    /// Whether every transaction that a statement waited for is itself reported.
    func explained(_ statement: JudgedStatement) -> Bool {
      let waits = waits.filter { $0.waiter.statement == statement.id }
      return !waits.isEmpty
        && waits.allSatisfy { $0.holder.map { idle.contains($0.location) } ?? false }
    }
    let found =
      workload.profile.saves.compactMap(saveFinding)
      + workload.findings {
        fetchFinding($0)
          ?? runFinding(
            $0, waits, failsAtOnce: others.contains($0.id), isExplained: explained($0))
      }
    return found + failures(workload.profile, excluding: found)
  }

  private func saveFinding(_ save: SaveProfile) -> Finding? {
    let (attempts, contended) = (save.busyAttempts ?? 0, save.contended ?? 0)
    guard attempts >= Self.minAttempts || contended >= Self.minContended else { return nil }
    let isForeign = attempts >= Self.minAttempts
    return Finding(
      rule: Self.name, confidence: .high, caller: save.location,
      message: """
        \(save.count.counted("save")) waited \(save.waitTime.millisecondsText) for the writer, of \
        \(save.totalTime.millisecondsText) that they took; \
        \(isForeign
          ? "SQLite retried the lock of another connection \(attempts.counted("time"))"
          : "\(contended.grouped) began while another thread saved").
        """,
      evidence: [
        .init("saves", save.count), .init("waitNs", save.waitTime),
        .init("totalNs", save.totalTime), .init("busyAttempts", attempts),
        .init("contended", contended),
      ],
      fix: """
        end the transaction that holds the lock sooner: it should hold about a thousand objects; \
        the saves with the longest write time are in the summary
        """,
      saving: .init(atMost: save.waitTime, basis: "the time these saves waited"))
  }

  private func fetchFinding(_ statement: JudgedStatement) -> Finding? {
    let work = statement.work
    guard let contended = work.contended, contended >= Self.minContended else { return nil }
    return Finding(
      rule: Self.name, confidence: .medium, statement: statement.id,
      caller: statement.profile.mainCaller,
      message: """
        \(contended.grouped) of its runs began while \(Concurrency.defaultReaders) other threads \
        fetched, and its runs waited \(work.waitTime.millisecondsText) for a connection\
        \(statement.runsText).
        """,
      evidence: [
        .init("runs", work.count), .init("contended", contended), .init("waitNs", work.waitTime),
        .init("totalNs", work.totalTime),
      ],
      fix: "fetch on fewer threads at a time, or let the store open more readers",
      saving: .init(atMost: work.waitTime, basis: "the time these runs waited"))
  }

  /// A statement that the probe observed.
  private func runFinding(
    _ statement: JudgedStatement, _ waits: [LockWait], failsAtOnce: Bool, isExplained: Bool
  ) -> Finding? {
    let work = statement.work
    let waits = waits.filter { $0.waiter.statement == statement.id }
    let failures = failsAtOnce ? 0 : waits.reduce(UInt64(0)) { $0.saturatingSum($1.failures) }
    guard let attempts = work.busyAttempts, attempts >= Self.minAttempts || failures > 0,
      !isExplained
    else { return nil }
    let wait = waits.first { $0.failures > 0 } ?? waits.first
    let ending = failures > 0 ? ", and gave up \(failures.counted("time"))" : ""
    return Finding(
      rule: Self.name, confidence: .high, statement: statement.id,
      caller: statement.profile.mainCaller,
      message: """
        SQLite retried the lock of another connection \(attempts.counted("time")), and waited \
        \(work.waitTime.millisecondsText) for it\(ending)\(statement.runsText).\
        \(wait?.holderText ?? "")
        """,
      evidence: [
        .init("runs", work.count), .init("busyAttempts", attempts), .init("waitNs", work.waitTime),
        .init("totalNs", work.totalTime),
      ] + (failures > 0 ? [.init("gaveUp", failures)] : []),
      fix: wait?.fixOfReader ?? wait?.fixOfStatement ?? """
        commit the transaction that holds the lock sooner: do slow work before it begins or after \
        it ends
        """,
      saving: .init(atMost: work.waitTime, basis: "the time these runs waited"))
  }

  /// UseBeginImmediate and SetBusyTimeout report failures without an attempt to wait, and other
  /// findings already include some.
  private func failures(_ profile: Profile, excluding found: [Finding]) -> [Finding] {
    let waits = profile.waits
    let ofOtherRules = (profile.locks?.failuresOfOtherRules ?? [])
      .reduce(UInt64(0)) { $0.saturatingSum($1.count) }
    let statements = Set(found.compactMap(\.statement))
    let lines = Set(found.filter { $0.statement == nil }.map(\.caller))
    let reported = (profile.locks?.waits ?? []).filter {
      statements.contains($0.waiter.statement) || lines.contains($0.waiter.location)
    }.reduce(UInt64(0)) { $0.saturatingSum($1.failures) }
    let others = ofOtherRules.saturatingSum(reported)
    guard waits.busyFailures > others else { return [] }
    let failures = waits.busyFailures - others
    return [
      Finding(
        rule: Self.name, confidence: .high,
        message: """
          \(failures.grouped) of \(waits.busyWaits.counted("wait")) for another \
          connection's lock gave up; the longest took \(waits.longestBusy.millisecondsText).
          """,
        evidence: [
          .init("waits", waits.busyWaits), .init("gaveUp", failures),
          .init("busyNs", waits.busyTime), .init("longestNs", waits.longestBusy),
        ],
        fix: """
          end the transaction that holds the lock sooner, and handle the errors of the saves and \
          fetches that failed: their changes are not in the file
          """)
    ]
  }
}

extension LockProfile {
  /// Failures without an attempt to wait, and those with an open statement in the way.
  fileprivate var failuresOfOtherRules: [LockSite] {
    upgrades + refusals
      + (failures ?? []).filter { $0.obstacle != nil && $0.isBusy }.map(\.site)
  }
}

extension LockWait {
  /// The fix for a read that holds the lock; nil for a writer.
  fileprivate var fixOfReader: String? {
    guard holder?.kind == LockHolder.reading else { return nil }
    let end = "end the read sooner: read all rows, or reset the statement, before slow work"
    // A PRAGMA waits for readers with a write-ahead log as well.
    guard let sql = waiter.sql, StatementCommand.name(of: sql) != "PRAGMA" else { return end }
    return "\(end); or set PRAGMA journal_mode = WAL, with which a commit waits for no reader"
  }

  /// The fix for a single statement outside of a transaction that holds the lock; nil for others.
  fileprivate var fixOfStatement: String? {
    guard holder?.kind == LockHolder.autocommitting else { return nil }
    return """
      the statement that holds the lock is a transaction of its own: if it writes many rows, write some thousand at a \
      time; if it runs often, run BEGIN IMMEDIATE before several runs and COMMIT after them
      """
  }

  /// The program, the line and the statement that held the lock.
  fileprivate var holderText: String? {
    guard let holder else { return nil }
    let locationText = holder.location.text.map { " at \($0)" } ?? ""
    let steps = holder.statements
    let step =
      steps.first { $0.location == holder.location && !$0.isTransactionControl }
      ?? steps.first { !$0.isTransactionControl }
    let sql = step?.sql.map { ": \(FoldedSQL(SharedStatement(sql: $0).template).text)" } ?? ""
    return " The lock was held by \(holder.process)\(locationText)\(sql)."
  }
}
