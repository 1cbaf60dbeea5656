// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver

/// Finds the smallest set of indexes that makes a workload cheaper, by trying them on a copy.
///
///     candidates ── sets of them made on the copy ── steps counted ── the smallest good set
///         └── its statements timed beside a copy without it, in interleaved rounds
public struct IndexAdvisor {
  public struct Options: Sendable {
    /// The minimum part of the workload's steps that a set of indexes must save.
    public var minimumEffect = 0.05
    /// The writes of the workload, for which each index has to be updated.
    public var writes: [WorkloadWrite] = []
    /// The reasons why the workload may be incomplete; in that case no index to drop is reported.
    public var incompleteness: String?
    /// The version of SQLite that ran the workload, where it is another one than this.
    public var otherVersion: String?
    /// Tables of the program that are in no copy of this database, in lower case, with what they are.
    public var otherTables: [String: String] = [:]
    /// The time for all timing together; after it, statements are advised by their counts.
    public var timeBudget = Duration.seconds(20)
    /// Called often: once it returns true, nothing more is tried.
    public var isCancelled: @Sendable () -> Bool = { false }
    public init() {}
  }

  public enum Step: Hashable, Sendable {
    case copied(pages: Int, of: Int)
    /// Progress within the candidates of this round; a useful index starts another round.
    case tried(indexes: Int, of: Int)
  }

  private let bench: AdviceBench
  private let statistics: [StatisticsTrial]
  private let options: Options
  private let progress: (Step) -> Void

  /// Copies the database and counts the steps of every statement with the current indexes.
  ///
  /// - Throws: ``AdviceError``, or ``SQLiteError``, such as ``SQLiteError/interruption``.
  public init(
    _ statements: [WorkloadStatement], on database: Connection, options: Options = Options(),
    progress: @escaping (Step) -> Void = { _ in }
  ) throws {
    let copy = try DatabaseCopy(of: database, isCancelled: options.isCancelled) {
      progress(.copied(pages: $0, of: $1))
    }
    (bench, statistics) = try copy.connection.interrupting(
      when: options.isCancelled, every: Self.pause
    ) {
      try copy.reorder()
      let bench = try AdviceBench(
        statements, writes: options.writes, on: copy.connection, otherVersion: options.otherVersion,
        otherTables: options.otherTables)
      return (bench, try bench.statisticsTrials())
    }
    self.options = options
    self.progress = progress
  }

  // Instructions, some milliseconds: too seldom to be seen in a time.
  private static let pause: Int32 = 100_000

  /// Tries the candidates, and the removal of existing indexes.
  ///
  /// - Throws: ``SQLiteError`` if the copy cannot be written.
  public func advice() throws -> IndexAdvice {
    var advice = IndexAdvice()
    advice.unmeasured = bench.unmeasured
    advice.storeNames = bench.storeNames
    advice.statistics = statistics
    var outcome = try bench.connection.interrupting(
      when: options.isCancelled, every: Self.pause
    ) { try search() }
    advice.tried = outcome.tried
    advice.wasCancelled = outcome.wasCancelled
    let deadline = ContinuousClock().now + options.timeBudget
    let original = advice.wasCancelled ? nil : try originalCopy()
    var times: [String: TimeEffect] = [:]
    if let original { times = try timed(&outcome, beside: original, until: deadline, &advice) }
    try bench.apply(outcome.chosen.indexes)
    advice.creations = try creations(outcome.chosen)
    advice.rejections += rejections(outcome)
    advice.removals = try removals(&advice)
    if let original { try measureWrites(&advice, beside: original, until: deadline) }
    let after = advice.wasCancelled ? outcome.chosen.steps : try bench.currentSteps()
    advice.effects = bench.statements.enumerated().map { index, statement in
      IndexAdvice.Effect(
        statement: statement.statement.id, runs: statement.statement.runs,
        before: bench.steps[index], after: after[index], time: times[statement.statement.id],
        values: statement.source)
    }
    advice.rowSearches = bench.statements.count { $0.statement.isRowSearch }
    return advice
  }

  private func search() throws -> IndexSearch.Outcome {
    try IndexSearch(
      bench: bench, minimumEffect: options.minimumEffect, isCancelled: options.isCancelled
    ) { progress(.tried(indexes: $0, of: $1)) }.run()
  }

  /// A copy without new indexes, to time beside the one with them.
  private func originalCopy() throws -> DatabaseCopy? {
    try bench.apply([])
    do {
      return try DatabaseCopy(of: bench.connection, isCancelled: options.isCancelled) { _, _ in }
    } catch let error as SQLiteError where error.isInterruption {
      return nil
    }
  }

  // MARK: - Times

  /// Times the statements with changed steps; an index is rejected if all its statements are
  /// significantly slower.
  private func timed(
    _ outcome: inout IndexSearch.Outcome, beside original: DatabaseCopy,
    until deadline: ContinuousClock.Instant, _ advice: inout IndexAdvice
  ) throws -> [String: TimeEffect] {
    try bench.apply(outcome.chosen.indexes)
    var times: [String: TimeEffect] = [:]
    let changed = bench.statements.indices.filter {
      // The time of a write that is undone is not that of the program's.
      outcome.chosen.steps[$0] != bench.steps[$0] && !bench.statements[$0].isWrite
    }
    .sorted { saving(outcome, $0) > saving(outcome, $1) }
    var users: [String: [String]] = [:]
    for index in changed where !options.isCancelled() {
      let statement = bench.statements[index]
      for name in try statement.usedIndexes() {
        users[name, default: []].append(statement.statement.id)
      }
      times[statement.statement.id] = try statement.race(original.connection).time(until: deadline)
    }
    let slow = outcome.chosen.indexes.filter { candidate in
      let own = users[candidate.name, default: []].compactMap { times[$0] }
      return !own.isEmpty && own.allSatisfy { $0.ratio.low > 1 + options.minimumEffect }
    }
    guard !slow.isEmpty else { return times }
    for candidate in slow.sorted(by: { $0.name < $1.name }) {
      guard let ratio = users[candidate.name]?.compactMap({ times[$0]?.ratio }).first else {
        continue
      }
      advice.rejections.append(.init(candidate: candidate, reason: .slower(ratio)))
    }
    outcome.chosen = try bench.trial(outcome.chosen.indexes.subtracting(slow))
    outcome.alone = outcome.alone.filter { !slow.contains($0.key) }
    return times.filter { id, _ in
      !slow.contains { users[$0.name, default: []].contains(id) }
    }
  }

  private func saving(_ outcome: IndexSearch.Outcome, _ index: Int) -> Double {
    (bench.steps[index] - outcome.chosen.steps[index])
      * Double(bench.statements[index].statement.runs)
  }

  // MARK: - Indexes to make

  private func creations(_ chosen: AdviceBench.Trial) throws -> [IndexAdvice.Creation] {
    var creations: [IndexAdvice.Creation] = []
    let today = try bench.trial([])
    for candidate in chosen.indexes {
      let others = options.isCancelled() ? [] : chosen.indexes.subtracting([candidate])
      let without = try bench.trial(others)
      try bench.apply(chosen.indexes)
      creations.append(
        IndexAdvice.Creation(
          candidate: candidate, entity: try bench.entity(of: candidate.table),
          // Without it the others alone may be more expensive than no index.
          saving: min(without.reading, today.reading) - chosen.reading,
          bytes: options.isCancelled()
            ? nil
            : try DatabaseIndex.all(of: candidate.table, bench.connection)
              .first { $0.name == candidate.name }?.bytes,
          entriesWritten: candidate.entriesWritten(by: options.writes),
          otherOrder: try otherOrder(candidate, chosen, without)))
      try bench.apply(chosen.indexes)
    }
    return creations.sorted {
      ($0.saving, $1.candidate.name) > ($1.saving, $0.candidate.name)
    }
  }

  /// The best other order of an index's columns, where sampled values have decided between them.
  private func otherOrder(
    _ candidate: IndexCandidate, _ chosen: AdviceBench.Trial, _ without: AdviceBench.Trial
  ) throws -> IndexAdvice.OtherOrder? {
    let isSampled = bench.statements.indices.contains {
      bench.statements[$0].source.isSampled && without.steps[$0] != chosen.steps[$0]
    }
    guard isSampled, !options.isCancelled() else { return nil }
    let others = try bench.candidates().filter {
      $0.table == candidate.table && $0.columns != candidate.columns
        && $0.columns.sorted() == candidate.columns.sorted() && !chosen.indexes.contains($0)
    }
    let trials = try others.map {
      ($0, try bench.trial(chosen.indexes.subtracting([candidate]).union([$0])))
    }
    return trials.min { ($0.1.reading, $0.0.name) < ($1.1.reading, $1.0.name) }.map {
      IndexAdvice.OtherOrder(columns: $0.0.columns, difference: $0.1.reading - chosen.reading)
    }
  }

  /// Every other candidate, with the reason.
  private func rejections(_ outcome: IndexSearch.Outcome) -> [IndexAdvice.Rejection] {
    guard !outcome.wasCancelled, let none = try? bench.trial([]) else { return [] }
    let failed = outcome.failures.map {
      IndexAdvice.Rejection(candidate: $0.key, reason: .failed($0.value))
    }
    let others = outcome.alone.filter { !outcome.chosen.indexes.contains($0.key) }.map {
      IndexAdvice.Rejection(
        candidate: $0.key, reason: reason($0.key, $0.value, none, outcome.chosen))
    }
    return (failed + others).sorted { $0.candidate.name < $1.candidate.name }
  }

  private func reason(
    _ candidate: IndexCandidate, _ alone: AdviceBench.Trial, _ none: AdviceBench.Trial,
    _ chosen: AdviceBench.Trial
  ) -> IndexAdvice.Rejection.Reason {
    let saved = none.reading - alone.reading
    if alone.steps == none.steps { return .unused }
    if saved > 0, alone.writing >= saved {
      let isCertain = options.writes.allSatisfy { $0.table != nil }
      return .writes(
        entries: candidate.entriesWritten(by: options.writes), steps: saved, isCertain: isCertain)
    }
    if saved < options.minimumEffect * none.cost || chosen.indexes.isEmpty {
      return .smallSaving(steps: max(saved, 0), of: bench.stepsToday)
    }
    let beside = bench.trials.first { $0.indexes == chosen.indexes.union([candidate]) }
    return .littleBeside(
      steps: max(chosen.reading - (beside?.reading ?? chosen.reading), 0), of: bench.stepsToday)
  }

  // MARK: - Indexes to drop

  /// Tries to remove existing indexes.
  ///
  /// A run may take 2% and 20 steps more, as with another index that is as deep. All of them
  /// together may take as much more as an index has to save, and half of what the new ones save.
  private func removals(_ advice: inout IndexAdvice) throws -> [IndexAdvice.Removal] {
    advice.removalsSkipped = options.incompleteness
    guard options.incompleteness == nil, !options.isCancelled() else { return [] }
    var removals: [IndexAdvice.Removal] = []
    let before = try bench.currentSteps()
    let reading = bench.reading(before)
    let saved = bench.reading(bench.steps) - reading
    let most = min(options.minimumEffect * reading, saved > 0 ? saved / 2 : .infinity)
    for index in try bench.removable() where !options.isCancelled() {
      guard let reason = try bench.reasonToDrop(index), let sql = index.sql else { continue }
      try bench.drop(index.name)
      let now = try bench.currentSteps()
      guard zip(now, before).allSatisfy({ $0 <= 1.02 * $1 + 20 }),
        bench.reading(now) - reading <= most
      else {
        try bench.connection.execute(sql)
        continue
      }
      removals.append(.init(index: index, reason: reason))
    }
    if options.isCancelled() { advice.wasCancelled = true }
    return removals
  }

  // MARK: - Writes

  /// The cost of each table that the advice affects, without and with all of it.
  private func measureWrites(
    _ advice: inout IndexAdvice, beside original: DatabaseCopy,
    until deadline: ContinuousClock.Instant
  ) throws {
    var columns: [String: Set<String>] = [:]
    for creation in advice.creations {
      columns[creation.candidate.table, default: []].formUnion(creation.candidate.columns)
    }
    for removal in advice.removals {
      columns[removal.index.table, default: []].formUnion(removal.index.terms.compactMap(\.column))
    }
    for table in columns.keys.sorted() where !options.isCancelled() {
      // The writes have a second each, whatever the statements took.
      let cost = WriteCost.measured(
        of: table, updating: columns[table, default: []].sorted(), without: original.connection,
        with: bench.connection, until: max(deadline, ContinuousClock().now + .seconds(2)))
      for index in advice.creations.indices where advice.creations[index].candidate.table == table {
        advice.creations[index].writes = cost
      }
      for index in advice.removals.indices where advice.removals[index].index.table == table {
        advice.removals[index].writes = cost
      }
    }
  }
}
