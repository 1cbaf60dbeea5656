// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Both replays, statement by statement.
struct ReplayRace {
  private struct Reason: Hashable {
    var divergence: Divergence
    var form: SQLFingerprint
  }

  private let asItWas: ReplayWorld
  private let changed: ReplayWorld
  private var fingerprints: [StatementID: SQLFingerprint] = [:]
  private var reasons: [Reason: DivergentRuns] = [:]
  private(set) var forms: [SQLFingerprint: FormEffect] = [:]
  private(set) var before = ReplayWork()
  private(set) var after = ReplayWork()
  private(set) var total = TotalRatio()
  private(set) var recordedRuns: UInt64 = 0
  private var waiting: [RecordedStep] = []
  // Arbitrary: events of two processes are written down some microseconds apart.
  private static let maxWaiting = 1000
  // Arbitrary: a program that writes values into its SQL has a text for each run, but few forms.
  private static let maxTexts = 10_000

  init(_ change: ReplayChange, starts: [String: String?]) throws(ReplayError) {
    asItWas = try ReplayWorld(ReplayChange(), starts: starts) { _, _ in }
    changed = try ReplayWorld(change, starts: starts) { _, _ in }
  }

  var divergences: [DivergentRuns] { Array(reasons.values) }
  var failedPreparations: [(sql: String, message: String)] { changed.pending }

  /// Replays a step, or lets it wait for the end of a transaction: two processes may write down the end of one and
  /// the next one's first write in the other order.
  mutating func replay(_ step: RecordedStep) throws(ReplayError) {
    guard !waiting.contains(where: { $0.connection == step.connection }) else {
      waiting.append(step)
      if waiting.count > Self.maxWaiting { try finish() }
      return
    }
    guard try perform(step, mayWait: true) else { return waiting.append(step) }
    guard !waiting.isEmpty, step.mayUnlock else { return }
    let steps = waiting
    waiting.removeAll()
    for step in steps { try replay(step) }
  }

  /// Replays what still waits, in the recorded order.
  mutating func finish() throws(ReplayError) {
    let steps = waiting
    waiting.removeAll()
    for step in steps { _ = try perform(step, mayWait: false) }
  }

  /// - Returns: false if it has to wait, and did nothing.
  private mutating func perform(_ step: RecordedStep, mayWait: Bool) throws(ReplayError) -> Bool {
    switch step {
    case .open(let connection, let path):
      try asItWas.open(connection, path: path)
      try changed.open(connection, path: path)
    case .close(let connection):
      asItWas.close(connection)
      changed.close(connection)
    case .run(let run): return replay(run, mayWait: mayWait)
    }
    return true
  }

  private mutating func replay(_ run: RecordedRun, mayWait: Bool) -> Bool {
    recordedRuns += 1
    let form = fingerprint(of: run)
    let isKnown = asItWas.has(run.connection)
    if let divergence = Divergence(before: run, hasConnection: isKnown) {
      add(divergence, "", form)
      return true
    }
    var effect = forms[form] ?? FormEffect(form: form)
    if effect.before.runs == 0, let plans = plans(of: run) { effect.plans = plans }
    guard let (first, second) = outcomes(of: run) else { return true }
    if mayWait, first.error == "SQLITE_BUSY", second.error == "SQLITE_BUSY", run.event.error.isEmpty
    {
      recordedRuns -= 1
      return false
    }
    if let divergence = Divergence(first, of: run) { add(divergence, first.message, form) }
    effect.add(first, second)
    forms[form] = effect
    before.add(first.work)
    after.add(second.work)
    total.add(before: first.work.time, after: second.work.time)
    return true
  }

  /// Runs it on both in turns, so that what the machine does meanwhile meets both.
  private func outcomes(of run: RecordedRun) -> (RunOutcome, RunOutcome)? {
    if let stops = run.stopsEarly, recordedRuns.isMultiple(of: 2) {
      guard let second = changed.run(run, mayStop: { _ in stops }),
        let first = asItWas.run(run, mayStop: { _ in stops })
      else { return nil }
      return (first, second)
    }
    guard
      let first = asItWas.run(run, mayStop: { run.stopsEarly ?? ($0 >= run.event.vmSteps) }),
      let second = changed.run(run, mayStop: { _ in first.isStopped })
    else { return nil }
    return (first, second)
  }

  private func plans(of run: RecordedRun) -> (before: [String], after: [String])? {
    guard let first = asItWas.plan(run), let second = changed.plan(run), first != second else {
      return nil
    }
    return (first, second)
  }

  private mutating func add(_ divergence: Divergence, _ message: String, _ form: SQLFingerprint) {
    let reason = Reason(divergence: divergence, form: form)
    reasons[
      reason, default: DivergentRuns(divergence: divergence, form: form, runs: 0, message: message)
    ].runs += 1
  }

  private mutating func fingerprint(of run: RecordedRun) -> SQLFingerprint {
    if let known = fingerprints[run.statement] { return known }
    if fingerprints.count >= Self.maxTexts { fingerprints.removeAll() }
    let new = SQLFingerprint(sql: run.sql)
    fingerprints[run.statement] = new
    return new
  }
}

extension RecordedRun {
  /// Whether the program read no further than the rows that were counted; nil where not all its steps were timed.
  fileprivate var stopsEarly: Bool? {
    switch event.timedSteps {
    case event.rows: true
    case event.rows + 1: false
    default: nil
    }
  }
}

extension FormEffect {
  fileprivate mutating func add(_ first: RunOutcome, _ second: RunOutcome) {
    before.add(first.work)
    after.add(second.work)
    ratios.add(Double(second.work.time) / Double(max(first.work.time, 1)))
    if first.rows != second.rows || first.changes != second.changes || first.error != second.error {
      differences += 1
      if message.isEmpty, second.error != nil { message = second.message }
    }
  }
}
