// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver

/// Finds the smallest set of indexes that makes a workload faster, by trying them on a copy.
///
///     candidates ── each made on the copy ── statements whose plan changes are timed
///         └── the best stays ── again, until none saves enough ── each left out once more
public struct IndexAdvisor {
  public struct Options: Sendable {
    /// A set of indexes that saves less than this part of the workload's time is not worth it.
    public var minimumEffect = 0.05
    /// Asked often: once it answers true, nothing more is tried.
    public var isCancelled: @Sendable () -> Bool = { false }
    public init() {}
  }

  public enum Step: Hashable, Sendable {
    case copied(pages: Int, of: Int)
    /// Of those that are left to try in this round; one that is worth having begins another.
    case tried(indexes: Int, of: Int)
  }

  private let bench: AdviceBench
  private let options: Options
  private let progress: (Step) -> Void

  /// Copies the database and times every statement as it is.
  ///
  /// - Throws: ``AdviceError``, or ``SQLiteError``, such as ``SQLiteError/interruption``.
  public init(
    _ statements: [WorkloadStatement], on database: Connection, options: Options = Options(),
    progress: @escaping (Step) -> Void = { _ in }
  ) throws {
    let copy = try DatabaseCopy(of: database, isCancelled: options.isCancelled) {
      progress(.copied(pages: $0, of: $1))
    }
    bench = try copy.connection.interrupting(when: options.isCancelled, every: Self.pause) {
      try AdviceBench(statements, copy: copy)
    }
    self.options = options
    self.progress = progress
  }

  /// Tries the candidates, and what the database has.
  ///
  /// Cancelled, it tells which indexes it had found until then.
  ///
  /// - Throws: ``SQLiteError`` if the copy cannot be written.
  public func advice() throws -> IndexAdvice {
    var advice = IndexAdvice()
    advice.unmeasured = bench.unmeasured
    advice.storeNames = bench.storeNames
    let before = bench.times
    let chosen = try choose(&advice)
    for candidate in chosen { advice.creations.append(try creation(candidate)) }
    advice.removals = try removals(&advice)
    advice.effects = zip(bench.statements, before).enumerated().map { index, pair in
      IndexAdvice.Effect(
        statement: pair.0.statement.id, runs: pair.0.statement.runs, before: pair.1,
        after: bench.times[index])
    }
    return advice
  }

  // Instructions, some milliseconds: too seldom to be seen in a time.
  private static let pause: Int32 = 100_000

  /// Runs statements that read; nil once the search is cancelled.
  private func unlessCancelled<R>(
    _ advice: inout IndexAdvice, _ body: () throws -> R
  ) throws -> R? {
    do {
      if options.isCancelled() { throw SQLiteError.interruption }
      return try bench.connection.interrupting(
        when: options.isCancelled, every: Self.pause, body)
    } catch let error as SQLiteError where error.isInterruption {
      advice.wasCancelled = true
      return nil
    }
  }

  // A wider index is written and kept in memory too.
  private static let leastOfWidening = 0.25
  // Of the saving itself: beside a long statement all indexes for a short one would seem alike.
  private static let sameSaving = 0.02

  private struct Choice {
    var candidate: IndexCandidate
    var saving: Double
  }

  // MARK: - Indexes to make

  /// Greedily, then each once more without it; the copy has those that are left.
  private func choose(_ advice: inout IndexAdvice) throws -> [Choice] {
    let least = options.minimumEffect * bench.total
    var candidates = try bench.candidates()
    var chosen: [Choice] = []
    while !candidates.isEmpty {
      var trials: [Choice] = []
      let all = advice.tried + candidates.count
      for candidate in candidates {
        guard let saving = try unlessCancelled(&advice, { try bench.saving(of: candidate) })
        else { return chosen }
        advice.tried += 1
        progress(.tried(indexes: advice.tried, of: all))
        if saving > 0 { trials.append(Choice(candidate: candidate, saving: saving)) }
      }
      guard let best = best(trials, least: least) else { break }
      try bench.keep(best.candidate)
      chosen.append(best)
      // One that saved nothing beside fewer indexes saves nothing beside more.
      candidates = trials.map(\.candidate).filter { $0 != best.candidate }
    }
    // A single one too: the time without it may have been taken while the machine was busy.
    return try chosen.compactMap { choice in
      let loss = try unlessCancelled(&advice) {
        try bench.confirm(choice.candidate, least: least)
      }
      guard let loss else { return choice }
      // In place of what it saved beside an index that it has replaced since.
      return loss < least ? nil : Choice(candidate: choice.candidate, saving: loss)
    }
  }

  /// Of those that save about the same, the one with the fewest columns; one that was widened only
  /// to cover must save a quarter of all more than those that were not.
  private func best(_ trials: [Choice], least: Double) -> Choice? {
    let plain = trials.filter { !$0.candidate.isWidened }.map(\.saving).max() ?? 0
    let worthIt = max(plain + Self.leastOfWidening * bench.total, least)
    let trials = trials.filter { !$0.candidate.isWidened || $0.saving >= worthIt }
    guard let most = trials.map(\.saving).max(), most >= least else { return nil }
    return trials.filter { $0.saving >= (1 - Self.sameSaving) * most }.min {
      ($0.candidate.columns.count, -$0.saving) < ($1.candidate.columns.count, -$1.saving)
    }
  }

  /// Without its costs once the search is cancelled.
  private func creation(_ choice: Choice) throws -> IndexAdvice.Creation {
    let candidate = choice.candidate
    let connection = bench.connection
    guard !options.isCancelled() else {
      return IndexAdvice.Creation(
        candidate: candidate, entity: try bench.entity(of: candidate.table), saving: choice.saving)
    }
    let after = try WriteCost.measured(
      of: candidate.table, updating: candidate.columns, on: connection)
    let bytes = try DatabaseIndex.all(of: candidate.table, connection)
      .first { $0.name == candidate.name }?.bytes
    try bench.drop(candidate.name)
    let before = try WriteCost.measured(
      of: candidate.table, updating: candidate.columns, on: connection)
    try bench.create(candidate)
    return IndexAdvice.Creation(
      candidate: candidate, entity: try bench.entity(of: candidate.table), saving: choice.saving,
      bytes: bytes, writeBefore: before, writeAfter: after)
  }

  // MARK: - Indexes to drop

  private func removals(_ advice: inout IndexAdvice) throws -> [IndexAdvice.Removal] {
    var removals: [IndexAdvice.Removal] = []
    for index in try bench.removable() where !options.isCancelled() {
      guard let reason = try bench.reasonToDrop(index), let sql = index.sql else { continue }
      let columns = index.terms.compactMap(\.column)
      let before = try WriteCost.measured(
        of: index.table, updating: columns, on: bench.connection)
      try bench.drop(index.name)
      let loss = try unlessCancelled(&advice) { try bench.lossAfterDrop(of: index.table) }
      guard let loss else { break }
      guard loss < options.minimumEffect * bench.total else {
        try bench.connection.execute(sql)
        continue
      }
      try bench.settle(index.table)
      let after = try WriteCost.measured(
        of: index.table, updating: columns, on: bench.connection)
      removals.append(
        .init(index: index, reason: reason, writeBefore: before, writeAfter: after))
    }
    if options.isCancelled() { advice.wasCancelled = true }
    return removals
  }
}
