// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Finds the smallest set of indexes that is nearly as good as the best one found, by counts.
///
///     greedily: what saves most ── again, until nothing saves enough
///     then:     each left out, each exchanged, all subsets of few
///     answer:   of all sets within 5% of the cheapest, the one with the fewest indexes and columns
struct IndexSearch {
  let bench: AdviceBench
  var minimumEffect = 0.05
  var isCancelled: () -> Bool = { false }
  /// Called after each set, with the sets tried so far and the maximum of this round.
  var progress: (Int, Int) -> Void = { _, _ in }

  struct Outcome {
    var chosen: AdviceBench.Trial
    /// Each candidate that could be made, alone.
    var alone: [IndexCandidate: AdviceBench.Trial] = [:]
    var failures: [IndexCandidate: String] = [:]
    var tried = 0
    var wasCancelled = false
  }

  // A set this close to the cheapest one is as good: within the precision of a cost in steps.
  private static let tolerance = 0.05
  // An index that saves a smaller part of the total is not worth its space.
  private static let minPart = 0.005
  // 2⁶ sets: as many as the greedy search tries of a dozen candidates.
  private static let exhaustiveCount = 6

  func run() throws -> Outcome {
    let candidates = try bench.candidates()
    var outcome = Outcome(chosen: try bench.trial([]))
    do {
      try searchGreedily(candidates, &outcome)
      try improve(&outcome)
    } catch let error as SQLiteError where error.isInterruption {
      outcome.wasCancelled = true
      return outcome
    }
    outcome.chosen = try smallest()
    return outcome
  }

  /// The gain of the chosen set for a single statement.
  func gain(of outcome: Outcome) throws -> IndexGain {
    func steps(_ trial: AdviceBench.Trial) -> UInt64 { UInt64(trial.counts[0].vmSteps.rounded()) }
    return IndexGain(
      indexes: outcome.chosen.indexes.sorted { $0.name < $1.name },
      before: steps(try bench.trial([])), after: steps(outcome.chosen))
  }

  /// - Throws: ``SQLiteError/interruption`` once the search is cancelled.
  private func trial(_ indexes: Set<IndexCandidate>) throws -> AdviceBench.Trial {
    if isCancelled() { throw SQLiteError.interruption }
    return try bench.trial(indexes)
  }

  // MARK: - Greedily

  /// Candidates that may help only together, such as the indexes of the two sides of an OR.
  private func moves(_ candidates: [IndexCandidate]) -> [Set<IndexCandidate>] {
    var moves = candidates.map { Set([$0]) }
    for statement in bench.statements {
      for columns in ComparedColumns.all(in: statement.qualifiedSQL) where columns.hasAlternatives {
        let sides = Set(
          candidates.filter { candidate in
            candidate.table == columns.table && candidate.columns.count == 1
              && candidate.expression == nil
              && columns.filtered.contains(candidate.columns[0])
          })
        if (2...4).contains(sides.count), !moves.contains(sides) { moves.append(sides) }
      }
    }
    return moves
  }

  /// A move with the most that it can save beside the indexes chosen so far.
  private struct Move {
    var indexes: Set<IndexCandidate>
    var bound = Double.infinity
  }

  private func searchGreedily(_ candidates: [IndexCandidate], _ outcome: inout Outcome) throws {
    var moves = moves(candidates).map { Move(indexes: $0) }
    let isLarge = try bench.isLarge(candidates)
    while !moves.isEmpty {
      let current = outcome.chosen
      let useful = try promising(&moves, &outcome)
      guard let best = useful.min(by: { isBetter($0.trial, $1.trial) }),
        current.cost - best.trial.cost >= Self.minPart * current.cost
      else {
        // The saving of each other candidate beside the chosen ones is reported.
        for move in moves where move.bound > 0 && !bench.isOfReport {
          _ = try tried(move.indexes, beside: current, &outcome)
        }
        return
      }
      outcome.chosen = best.trial
      if bench.isOfReport, bench.statements.allSatisfy(\.hasOneTable) { return }
      // An index may help a join only beside one for its other table; on large tables that is not
      // tried, since each index takes seconds.
      if isLarge { moves.removeAll { $0.bound <= 0 } }
      moves.removeAll { move in
        move.indexes == best.move || move.indexes.contains { outcome.failures[$0] != nil }
      }
      for index in moves.indices where isJoined(moves[index].indexes, with: best.move) {
        moves[index].bound = .infinity
      }
    }
  }

  /// Tries the moves that can be the best one, the highest bounds first.
  private func promising(
    _ moves: inout [Move], _ outcome: inout Outcome
  ) throws -> [(move: Set<IndexCandidate>, trial: AdviceBench.Trial)] {
    let current = outcome.chosen
    let order = moves.indices.filter { moves[$0].bound > 0 }
      .sorted { (moves[$1].bound, $0) < (moves[$0].bound, $1) }
    let all = outcome.tried + order.count
    var most = 0.0
    var useful: [(move: Set<IndexCandidate>, trial: AdviceBench.Trial)] = []
    for index in order where !moves[index].indexes.isSubset(of: current.indexes) {
      // Beside more indexes, one for statements on a single table saves no more than before.
      if moves[index].bound < most { break }
      let trial = try tried(moves[index].indexes, beside: current, &outcome)
      progress(outcome.tried, all)
      guard let trial else { continue }
      moves[index].bound = current.cost - trial.cost
      most = max(most, moves[index].bound)
      if trial.cost < current.cost { useful.append((moves[index].indexes, trial)) }
    }
    return useful
  }

  /// Whether a statement reads a table of each, and several tables.
  private func isJoined(_ move: Set<IndexCandidate>, with other: Set<IndexCandidate>) -> Bool {
    let tables = Set(move.map { $0.table.lowercased() })
    let others = Set(other.map { $0.table.lowercased() })
    return bench.statements.contains { statement in
      statement.tables.count > 1 && !tables.isDisjoint(with: statement.tables)
        && !others.isDisjoint(with: statement.tables)
    }
  }

  /// - Returns: nil if an index cannot be made.
  private func tried(
    _ move: Set<IndexCandidate>, beside current: AdviceBench.Trial, _ outcome: inout Outcome
  ) throws -> AdviceBench.Trial? {
    do {
      let trial = try trial(current.indexes.union(move))
      outcome.tried += 1
      if current.indexes.isEmpty, move.count == 1, let only = move.first {
        outcome.alone[only] = trial
      }
      return trial
    } catch let error as SQLiteError where !error.isInterruption && !error.isFull {
      // A term that is not a column, such as an alias, makes no index.
      outcome.tried += 1
      for candidate in move { outcome.failures[candidate] = error.message }
      return nil
    }
  }

  /// By cost, then by size, then by name, so the result is always the same.
  private func isBetter(_ a: AdviceBench.Trial, _ b: AdviceBench.Trial) -> Bool {
    a.cost != b.cost ? a.cost < b.cost : a.isSmaller(than: b)
  }

  // MARK: - Around the best set

  private func improve(_ outcome: inout Outcome) throws {
    let useful = outcome.alone.values.sorted(by: isBetter).compactMap(\.indexes.first)
    let chosen = outcome.chosen.indexes.sorted { $0.name < $1.name }
    let others = useful.filter { !chosen.contains($0) }
    // Without the last columns of one, a set may be as good.
    let shorter = others.filter { other in chosen.contains { $0.begins(with: other) } }
    let few = Array(
      (chosen + shorter + others.filter { !shorter.contains($0) }).prefix(Self.exhaustiveCount))
    if try !bench.isLarge(few) {
      for set in Self.subsets(of: few) { _ = try trial(set) }
    } else {
      for set in Self.subsets(of: outcome.chosen.indexes.sorted { $0.name < $1.name }) {
        _ = try trial(set)
      }
    }
    try exchange(&outcome, useful)
  }

  /// Exchanges one index of the best set for another candidate, while that helps.
  private func exchange(_ outcome: inout Outcome, _ useful: [IndexCandidate]) throws {
    var best = try cheapest()
    // Each pass but the last finds a cheaper set.
    for _ in 0..<4 {
      let before = best.cost
      for out in best.indexes.sorted(by: { $0.name < $1.name }) {
        for other in useful
        where !best.indexes.contains(other) && other.table == out.table
          && canReplace(out, other, outcome)
        {
          let trial = try trial(best.indexes.subtracting([out]).union([other]))
          if trial.cost < best.cost { best = trial }
        }
      }
      if best.cost >= 0.995 * before { return }
    }
  }

  /// Whether both serve some statement, or may do so beside other indexes.
  private func canReplace(
    _ candidate: IndexCandidate, _ other: IndexCandidate, _ outcome: Outcome
  ) -> Bool {
    guard !isJoined([candidate], with: [other]), let one = outcome.alone[candidate]?.steps,
      let two = outcome.alone[other]?.steps
    else { return true }
    return bench.steps.indices.contains { one[$0] != bench.steps[$0] && two[$0] != bench.steps[$0] }
  }

  /// In the order of a Gray code, so that each differs from the one before by one index.
  private static func subsets(of candidates: [IndexCandidate]) -> [Set<IndexCandidate>] {
    guard candidates.count <= exhaustiveCount + 4 else { return [] }
    return (0..<(1 << candidates.count)).map { number in
      let code = number ^ number >> 1
      return Set(candidates.indices.filter { code >> $0 & 1 == 1 }.map { candidates[$0] })
    }
  }

  // MARK: - The answer

  private func cheapest() throws -> AdviceBench.Trial {
    try bench.trials.min(by: isBetter) ?? bench.trial([])
  }

  private func smallest() throws -> AdviceBench.Trial {
    let none = try bench.trial([])
    let trials = bench.trials.filter { halves($0, none) }
    let best = trials.min(by: isBetter) ?? none
    // Compared with a long statement that no index helps, all indexes for a short one would seem
    // equal.
    let constant = bench.unchangedCost
    func isClose(_ trial: AdviceBench.Trial, to best: AdviceBench.Trial, _ slack: Double) -> Bool {
      trial.cost - best.cost <= max(Self.tolerance * (best.cost - constant), slack)
    }
    let enough = trials.filter { isClose($0, to: best, Self.minPart * none.cost) }
    let count = enough.map(\.indexes.count).min() ?? 0
    let all = enough.filter { $0.indexes.count == count }
    // An index with further columns, to cover a statement, is larger, and one of some rows serves fewer statements:
    // plain ones are as good where they save as much.
    let plain = all.filter { !$0.indexes.contains { $0.isWidened || $0.condition != nil } }
    let few = plain.isEmpty ? all : plain
    guard let bestOfFew = few.min(by: isBetter),
      let smallest = few.filter({ isClose($0, to: bestOfFew, 0) }).min(by: {
        let (a, b) = (beginningWithRange($0), beginningWithRange($1))
        return a != b ? a < b : $0.isSmaller(than: $1)
      }),
      none.cost - smallest.cost >= minimumEffect * none.cost
    else { return none }
    return smallest
  }

  /// Whether a statement on the table of each index takes half of its steps or fewer, as in a report's findings.
  private func halves(_ trial: AdviceBench.Trial, _ none: AdviceBench.Trial) -> Bool {
    trial.indexes.allSatisfy { index in
      bench.statements.indices.contains { position in
        bench.statements[position].tables.contains(index.table.lowercased())
          && halves(trial.counts[position], none.counts[position], bench.statements[position])
      }
    }
  }

  /// The number of indexes whose first column no statement compares for equality: a sampled range is as narrow as its
  /// counts allow, and the program's may be wide.
  private func beginningWithRange(_ trial: AdviceBench.Trial) -> Int {
    let sampled = bench.statements.filter(\.source.isSampled)
    return trial.indexes.count { index in
      let columns = sampled.flatMap { ComparedColumns.all(in: $0.qualifiedSQL) }
        .filter { $0.table.lowercased() == index.table.lowercased() }
      return !columns.isEmpty
        && !columns.contains { ($0.equal + $0.joined).containsName(index.columns.first ?? "") }
    }
  }

  // The program's values may differ from those that reproduce its counts: of these an index saves more than half.
  private static let minPartOfSample = 2.0 / 3
  // A run that takes fewer steps than 100 rows needs no index.
  private static let minSteps = 3 * Double(PlanJudge.smallTableRows)

  private func halves(
    _ count: StepCount, _ first: StepCount, _ measured: MeasuredStatement
  ) -> Bool {
    guard first.cost >= Self.minSteps, count.cost * 2 <= first.cost else { return false }
    // One step of count(*) counts all pages.
    if first.vmSteps < Self.minSteps { return true }
    // A sample may take more steps than any run of the program.
    let counted = measured.statement.counted.vmSteps
    if let counted, counted < Self.minSteps { return false }
    // Its rows are written as before.
    let whole = max(measured.statement.stepsOfWrite ?? 0, first.vmSteps)
    let isSampled = measured.source.isSampled
    let part = isSampled && counted != nil ? Self.minPartOfSample : 0.5
    guard first.vmSteps - count.vmSteps >= part * whole else { return false }
    // The program's values may find more rows, and each of them would read a whole table.
    let isRisky = count.scansInLoop && !first.scansInLoop
    return !isSampled || !isRisky && count.largestPart <= 1 - part
  }
}

extension AdviceBench.Trial {
  /// By the number of indexes, then of columns, then by cost, then by name.
  func isSmaller(than other: Self) -> Bool {
    if indexes.count != other.indexes.count { return indexes.count < other.indexes.count }
    let (columns, others) = (indexes.columnCount, other.indexes.columnCount)
    if columns != others { return columns < others }
    if cost != other.cost { return cost < other.cost }
    return indexes.map(\.name).sorted().lexicographicallyPrecedes(
      other.indexes.map(\.name).sorted())
  }
}
