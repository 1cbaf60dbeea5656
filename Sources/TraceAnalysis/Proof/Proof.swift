// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Whether a change made a program do less for the same rows.
public struct Proof: Hashable, Sendable {
  /// The outcome.
  public enum Verdict: String, Hashable, Sendable {
    /// As many rows, and less work.
    case proven
    /// Fewer rows, more work for some of them, or no less work.
    case notProven
    /// The two runs cannot be compared.
    case inconclusive
  }

  /// The evidence for the equality of a statement's rows.
  public enum Basis: String, Hashable, Sendable {
    /// As many rows before and after.
    case rows
    /// As many look-ups with different values; repeated ones are gone.
    case lookups
    /// As many rows as a join of the statements keeps.
    case join
  }

  /// Statements, and the statements that have their rows now.
  public struct Pair: Hashable, Sendable {
    /// The name of the test; "" where tests have no names.
    public var test = ""
    /// The forms.
    public var before: [Side]
    /// The forms that replaced them.
    public var after: [Side]
    /// Why the rows are the same.
    public var basis: Basis
    /// VM steps of the second run for the columns that its statements read with more rows.
    var stepsOfColumns: UInt64 = 0
    /// The work of both sides.
    var works: [StatementCounts] = []
  }

  /// A form with its counts.
  public struct Side: Codable, Hashable, Sendable {
    /// The text with `?` for each value.
    public var sql: String
    /// Runs.
    public var runs: UInt64
    /// Rows returned or, by a statement that writes, changed.
    public var rows: UInt64
  }

  /// Why it is not proven, with the form that it is about.
  public struct Reason: Hashable, Sendable {
    /// Without a full stop.
    public var sentence: String
    /// Nil where it is about the runs.
    public var sql: String?

    /// Makes a reason.
    public init(_ sentence: String, _ sql: String? = nil) {
      (self.sentence, self.sql) = (sentence, sql)
    }
  }

  /// Statements of both runs; statements with changed work first.
  public private(set) var pairs: [Pair] = []
  /// Runs, rows, and the counts that differ.
  public private(set) var counts: [GateResult.Change] = []
  /// The reasons why a run is not complete; one sentence each.
  public private(set) var doubts: [String] = []
  /// Rows that are missing after the change; one sentence each.
  public private(set) var lost: [Reason] = []
  /// The reasons why the runs may have done different work; one sentence each.
  public private(set) var unknown: [Reason] = []
  /// The statements that do more; one sentence each.
  public private(set) var worse: [Reason] = []
  /// The comparison of the counts; its regressions are the statements that do more.
  public private(set) var gate: GateResult
  /// The number of tests that were compared; 0 where tests have no names.
  public private(set) var tests = 0

  /// The counts that fell.
  public var improvements: [GateResult.Change] {
    counts.filter { $0.after < $0.before && ![.rows, .changes].contains($0.metric) }
  }

  /// Incomplete recordings first, then statements that do more and rows that are missing.
  public var verdict: Verdict {
    if !doubts.isEmpty || !gate.doubts.isEmpty { return .inconclusive }
    if !gate.regressions.isEmpty || !worse.isEmpty || !lost.isEmpty { return .notProven }
    if !unknown.isEmpty || !gate.reservations.isEmpty || improvements.isEmpty {
      return .inconclusive
    }
    return .proven
  }

  /// Compares two runs of the same work.
  ///
  /// - Parameters:
  ///   - before: the run before the change.
  ///   - after: the run after it.
  ///   - comparison: its assumptions about inputs that cannot show that they are complete.
  public init(before: Profile, after: Profile, gate comparison: Gate = Gate()) {
    var comparison = comparison
    comparison.comparesRows = true
    gate = comparison.compare(after, with: BaselineV1(before))
    doubts = before.isEmpty ? ["the first input holds no events of a store"] : []
    doubts += before.comparisonDoubts
    doubts += before.reservations(
      assumingComplete: comparison.assumesComplete, allowingMissing: comparison.allowsMissing)
    doubts = doubts.map { "before: \($0)" }
    for (name, profile) in [("before", before), ("after", after)]
    where !profile.isEmpty && !profile.measures.contains(.rows) {
      doubts.append("\(name): the rows are not counted")
    }
    let (old, new) = (before.provenForms, after.provenForms)
    compareTests(Set(old.keys), Set(new.keys))
    for name in Set(old.keys).intersection(new.keys).sorted() {
      let rows = RowComparison(old[name] ?? [:], new[name] ?? [:], test: name)
      pairs += rows.pairs
      worse += rows.pairs.flatMap { $0.worse(tolerance: comparison.tolerance) }
      lost += rows.lost
      unknown += rows.unknown
      tests += name.isEmpty ? 0 : 1
    }
    removeReplaced(tolerance: comparison.tolerance)
    compareSaves(before, after)
    pairs = pairs.filter { $0.isChanged } + pairs.filter { !$0.isChanged }
    let names = Set(old.keys).intersection(new.keys)
    counts = Self.counts(
      of: names.flatMap { old[$0]?.values.map(\.work) ?? [] },
      names.flatMap { new[$0]?.values.map(\.work) ?? [] }, tolerance: comparison.tolerance)
    if tests == 0 { counts += Self.counts(of: before, after) }
  }

  private mutating func compareTests(_ before: Set<String>, _ after: Set<String>) {
    func words(_ names: Set<String>) -> String {
      names.contains("") ? "a run without tests" : names.count.counted("test")
    }
    let (gone, new) = (before.subtracting(after), after.subtracting(before))
    if !gone.isEmpty {
      unknown.append(.init("only the first run has \(words(gone)): \(Self.first(gone))"))
    }
    if !new.isEmpty {
      unknown.append(.init("only the second run has \(words(new)): \(Self.first(new))"))
    }
  }

  private static func first(_ names: Set<String>) -> String {
    names.sorted().prefix(3).joined(separator: ", ") + (names.count > 3 ? ", …" : "")
  }

  /// Removes the regressions of statements that are compared with the statements that they replace,
  /// and of the columns that joins read with each row.
  private mutating func removeReplaced(tolerance: Double) {
    let replaced = pairs.filter(\.isRewritten)
    let texts = Set(replaced.flatMap(\.after).map(\.sql))
    let steps = replaced.map(\.stepsOfColumns).sum(from: 0)
    gate.regressions.removeAll { difference in
      guard difference.finding == nil else { return false }
      if let sql = difference.sql { return texts.contains(sql) }
      return difference.changes.allSatisfy { change in
        change.metric == .vmSteps
          && Double(change.after) <= Double(change.before) * (1 + tolerance) + Double(steps)
      }
    }
  }

  /// The rows that an object store writes are counted by its saves.
  private mutating func compareSaves(_ before: Profile, _ after: Profile) {
    for (name, path) in [
      ("inserted", \SaveProfile.inserted), ("updated", \.updated), ("deleted", \.deleted),
    ] {
      let sums = [before, after].map { $0.saves.map { $0[keyPath: path] }.sum(from: 0) }
      if sums[0] != sums[1] {
        unknown.append(
          .init("saves \(name) \(sums[0].counted("row")) before and \(sums[1].grouped) after"))
      }
    }
  }
}
