// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Both replays, statement by statement.
struct ReplayRace {
  private struct Reason: Hashable {
    var divergence: Divergence
    var form: SQLFingerprint
  }

  private struct Waiting {
    var step: RecordedStep
    /// How often it was tried.
    var trials = 0
  }

  private let asItWas: ReplayWorld
  private let changed: ReplayWorld
  private struct Text {
    var form: SQLFingerprint
    var variation: Variation
  }

  private var texts: [StatementID: Text] = [:]
  /// What the rows of the copies depend on, other than those of the recorded database.
  private var rowsVary: Variation
  private var reasons: [Reason: DivergentRuns] = [:]
  private(set) var forms: [SQLFingerprint: FormEffect] = [:]
  private(set) var before = ReplayWork()
  private(set) var after = ReplayWork()
  private(set) var recordedRuns: UInt64 = 0
  private(set) var recordedSteps: UInt64 = 0
  private var waiting: [Waiting] = []
  /// When the last run ended that may have written.
  private var lastWrite: Nanoseconds = 0
  // Arbitrary: events of two processes are written down some microseconds apart.
  private static let maxWaiting = 1000
  private static let maxTrials = 32
  // Arbitrary: a program that writes values into its SQL has a text for each run, but few forms.
  private static let maxTexts = 10_000

  init(_ change: ReplayChange, starts: [String: String?]) throws(ReplayError) {
    asItWas = try ReplayWorld(ReplayChange(), starts: starts)
    changed = try ReplayWorld(change, starts: starts)
    rowsVary = asItWas.variation
  }

  var divergences: [DivergentRuns] { Array(reasons.values) }
  var failedPreparations: [(sql: String, message: String)] { changed.pending }

  /// Replays a step, or lets it wait for the end of a transaction.
  ///
  /// A commit is visible, and its lock is gone, some microseconds before its end is written down: another process may
  /// write first what it read or wrote afterwards.
  mutating func replay(_ step: RecordedStep) throws(ReplayError) {
    try replay(Waiting(step: step))
  }

  private mutating func replay(_ next: Waiting) throws(ReplayError) {
    guard !waiting.contains(where: { $0.step.connection == next.step.connection }) else {
      waiting.append(next)
      if waiting.count > Self.maxWaiting { try finish() }
      return
    }
    guard try perform(next.step, afterTrials: next.trials) else {
      return waiting.append(Waiting(step: next.step, trials: next.trials + 1))
    }
    guard next.step.endsWrites else { return }
    if case .run(let run) = next.step { lastWrite = max(lastWrite, run.end) }
    guard !waiting.isEmpty else { return }
    let steps = waiting
    waiting.removeAll()
    for step in steps { try replay(step) }
  }

  /// Replays what still waits, in the recorded order.
  mutating func finish() throws(ReplayError) {
    let steps = waiting
    waiting.removeAll()
    for next in steps { _ = try perform(next.step, afterTrials: nil) }
  }

  /// - Parameter trials: how often it waited; nil if it must not wait again.
  /// - Returns: false if it has to wait, and changed nothing.
  private mutating func perform(
    _ step: RecordedStep, afterTrials trials: Int?
  ) throws(ReplayError) -> Bool {
    switch step {
    case .open(let connection, let file):
      try asItWas.open(connection, file)
      try changed.open(connection, file)
    case .close(let connection):
      asItWas.close(connection)
      changed.close(connection)
    case .run(let run): return try replay(run, afterTrials: trials)
    }
    return true
  }

  private mutating func replay(
    _ run: RecordedRun, afterTrials trials: Int?
  ) throws(ReplayError) -> Bool {
    let text = text(of: run)
    let form = text.form
    recordedRuns += 1
    recordedSteps &+= run.event.counters.vmSteps
    let isKnown = asItWas.has(run.connection)
    if let divergence = Divergence(before: run, hasConnection: isKnown) {
      add(divergence, "", form, run)
      return true
    }
    if run.event.isReadOnly == 0 {
      rowsVary.formUnion(text.variation.intersection([.random, .clock]))
    }
    let variation = rowsVary.union(text.variation)
    if changed.replaces(run) {
      if let outcome = asItWas.run(run, mayStop: { _ in false }),
        let divergence = Divergence(outcome, of: run, comparesContents: false)
      {
        add(divergence, outcome.message, form, run)
      }
      return true
    }
    var effect = forms[form] ?? FormEffect(form: form, index: UInt64(forms.count))
    if effect.before.runs == 0, let plans = plans(of: run) { effect.plans = plans }
    guard let (first, second) = outcomes(of: run) else { return true }
    let divergence = Divergence(first, of: run, comparesContents: variation.isEmpty)
    for outcome in [first, second] where ResultCode.isOfFullDisk(outcome.error, of: run) {
      throw .noRoom(reason: outcome.message)
    }
    if let trials, mayWait(run, first, second, divergence, trials) {
      recordedRuns -= 1
      recordedSteps &-= run.event.counters.vmSteps
      return false
    }
    if let divergence { add(divergence, first.message, form, run) }
    effect.recordedTime &+= UInt64(max(run.event.stepTime, 0))
    effect.add(first, second, variation)
    forms[form] = effect
    before.add(first.work)
    after.add(second.work)
    return true
  }

  /// Whether the run found a lock that the recorded one did not find, or read other rows outside of a transaction: it
  /// may have seen what was written until it ended.
  private func mayWait(
    _ run: RecordedRun, _ first: RunOutcome, _ second: RunOutcome, _ divergence: Divergence?,
    _ trials: Int
  ) -> Bool {
    if first.error == "SQLITE_BUSY", second.error == "SQLITE_BUSY" { return divergence != nil }
    return (divergence == .otherRows || divergence == .otherContents) && run.event.isReadOnly != 0
      && run.event.transactionID == 0
      && lastWrite < run.end && trials < Self.maxTrials
  }

  /// Runs it on both in turns, so that what the machine does meanwhile meets both.
  ///
  /// Where the recording lacks how far the program read, it is known when the copy as it was has run: the changed one
  /// waits for that, if it is the first, behind as many rows.
  private func outcomes(of run: RecordedRun) -> (RunOutcome, RunOutcome)? {
    // One must not pay for what the other left to the file system.
    let endsWrites = RecordedStep.run(run).endsWrites
    var first: RunOutcome?
    func runFirst() {
      if first == nil {
        first = asItWas.run(run, mayStop: { run.stopsEarly ?? ($0 >= run.event.counters.vmSteps) })
        if endsWrites { asItWas.flush() }
      }
    }
    if !isChangedFirst { runFirst() }
    let second = changed.run(run) { _ in
      if run.stopsEarly == nil { runFirst() }
      return first?.isStopped ?? run.stopsEarly ?? false
    }
    if endsWrites { changed.flush() }
    runFirst()
    guard let first, let second else { return nil }
    return (first, second)
  }

  private var isChangedFirst: Bool { Self.isChangedFirst(recordedRuns) }

  /// Half of the runs, in no period: what comes first pays more often for the disk and the processor's caches, and
  /// a program may read and write in turns.
  static func isChangedFirst(_ run: UInt64) -> Bool { (run &* 0x9e37_79b9_7f4a_7c15) >> 63 == 1 }

  private func plans(of run: RecordedRun) -> (before: [String], after: [String])? {
    guard let first = asItWas.plan(run), let second = changed.plan(run),
      PlanWords.common(first) != PlanWords.common(second)
    else {
      return nil
    }
    return (first, second)
  }

  private mutating func add(
    _ divergence: Divergence, _ message: String, _ form: SQLFingerprint, _ run: RecordedRun
  ) {
    let reason = Reason(divergence: divergence, form: form)
    var runs =
      reasons[reason]
      ?? DivergentRuns(divergence: divergence, form: form, runs: 0, message: message)
    runs.runs += 1
    runs.vmSteps &+= run.event.counters.vmSteps
    reasons[reason] = runs
  }

  private mutating func text(of run: RecordedRun) -> Text {
    if let known = texts[run.statement] { return known }
    if texts.count >= Self.maxTexts { texts.removeAll() }
    let new = Text(form: SQLFingerprint(sql: run.sql), variation: Variation(sql: run.sql))
    texts[run.statement] = new
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
  fileprivate mutating func add(
    _ first: RunOutcome, _ second: RunOutcome, _ variation: Variation
  ) {
    // Forms with a single run each are not all in one group.
    times.add(
      before: first.work.timeNs, after: second.work.timeNs, run: before.runs &+ index)
    before.add(first.work)
    after.add(second.work)
    // With the change it may end before the program interrupted it.
    if first.error == "SQLITE_INTERRUPT", second.error == nil { return }
    // A look-up of the schema sees the change itself.
    let isCompared = !variation.contains(.surroundings)
    let contents = isCompared && !variation.contains(.random) && first.contents != second.contents
    let counts = first.rows != second.rows || first.changes != second.changes
    if first.error != second.error || isCompared && counts || contents {
      differences += 1
      if message.isEmpty, second.error != nil { message = second.message }
    }
  }
}
