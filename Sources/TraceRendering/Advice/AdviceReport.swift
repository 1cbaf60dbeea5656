// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
import StoreEvents
import TraceAnalysis

/// Index advice, ready to be drawn.
public struct AdviceReport {
  public var database: String
  public var sqliteVersion: String
  public var advice: IndexAdvice
  /// The limitations of the report, one sentence each.
  public var doubts: [String]
  /// By the id of a statement, the verdict of `plans`.
  public var verdicts: [String: PlanVerdict] = [:]
  /// By the id of a statement, how to write it such that an index of the database serves it, as `plans` has it.
  public var rewrites: [String: [String]] = [:]
  /// The names of the program's data model, if it was passed.
  public var names: ModelNames?

  public init(
    database: String, sqliteVersion: String, advice: IndexAdvice, doubts: [String] = []
  ) {
    (self.database, self.sqliteVersion) = (database, sqliteVersion)
    (self.advice, self.doubts) = (advice, doubts)
  }

  /// Whether the input was complete.
  public var isConclusive: Bool { doubts.isEmpty }

  public var json: AdviceV1 {
    AdviceV1(
      database: database, sqliteVersion: sqliteVersion, isConclusive: isConclusive,
      indexesTried: advice.tried, beforeSteps: advice.before, afterSteps: advice.after,
      beforeNs: time(\.before), afterNs: time(\.after),
      create: advice.creations.map { .init($0, fetchIndex: names?.fetchIndexes([$0.candidate])) },
      drop: advice.removals.map(AdviceV1.Removal.init), dropSkipped: advice.removalsSkipped,
      rejected: advice.rejections.map {
        .init(sql: $0.candidate.sql, reason: $0.reason.name, sentence: $0.sentence)
      },
      statistics: advice.statistics.map {
        .init(state: $0.state.rawValue, steps: $0.steps, changed: $0.changed)
      }, statisticsSentence: statisticsSentence,
      statements: advice.effects.map {
        .init(
          id: $0.statement, runs: $0.runs, verdict: verdicts[$0.statement]?.rawValue,
          beforeSteps: $0.before, afterSteps: $0.after,
          time: $0.time.map(AdviceV1.Times.init), values: $0.values.name)
      },
      storeNames: advice.storeNames,
      unmeasured: advice.unmeasured.map { .init(id: $0.statement, reason: $0.reason) },
      doubts: doubts + cancellation)
  }

  private func time(_ part: KeyPath<TimeEffect, Double>) -> Double {
    advice.effects.reduce(0) { sum, effect in
      sum + (effect.time.map { $0[keyPath: part] } ?? 0) * Double(effect.runs)
    }
  }

  /// The candidates that remain if a search ended early.
  var cancellation: [String] {
    advice.wasCancelled
      ? ["interrupted: not every index was tried, neither to make nor to drop"] : []
  }
}

extension IndexAdvice.Creation {
  /// `Index(\.longitude, \.latitude)`, or nil where a column belongs to no property of an object store.
  var declaration: String? {
    guard undeclarable == nil, candidate.isPlain, isFromStore else { return nil }
    let paths = candidate.columns.map { column in
      "\\."
        + LogText.escaped(
          (column.hasPrefix("Z") ? String(column.dropFirst()) : column).lowercased())
    }
    return "Index(\(paths.joined(separator: ", ")))"
  }

  private var isFromStore: Bool {
    ([candidate.table] + candidate.columns).allSatisfy {
      $0.hasPrefix("Z") && $0 == $0.uppercased()
    }
  }

  /// The first of its columns that an object store keeps for itself: `Z_OPT`, `Z_ENT`.
  private var undeclarable: String? { candidate.columns.first { $0.hasPrefix("Z_") } }

  /// The change to make if there is no declaration.
  var undeclarableSentence: String? {
    if let undeclarable {
      return
        "\(undeclarable) belongs to no property, so no declaration creates it; run the SQL for each new store"
    }
    return isFromStore && !candidate.isPlain
      ? "a declaration has properties alone; run the SQL for each new store" : nil
  }
}

extension ValueSource {
  var name: String {
    switch self {
    case .none: "none"
    case .given: "given"
    case .recorded: "recorded"
    case .fitted: "fitted"
    case .fittedSteps: "fittedSteps"
    case .sampled: "sampled"
    }
  }
}

extension IndexAdvice.Rejection.Reason {
  fileprivate var name: String {
    switch self {
    case .unused: "unused"
    case .smallSaving: "smallSaving"
    case .littleBeside: "littleBeside"
    case .writes: "writes"
    case .slower: "slower"
    case .failed: "failed"
    case .noRows: "noRows"
    }
  }
}

extension AdviceV1.Creation {
  fileprivate init(_ creation: IndexAdvice.Creation, fetchIndex: String?) {
    self.init(
      table: creation.candidate.table,
      columns: creation.candidate.expression.map { [$0] } ?? creation.candidate.columns,
      entity: creation.entity, sql: creation.candidate.sql, declaration: creation.declaration,
      fetchIndex: fetchIndex, savingSteps: creation.saving, bytes: creation.bytes,
      entriesWritten: creation.entriesWritten, writes: creation.writes.map(AdviceV1.Writes.init),
      otherOrder: creation.otherOrder.map {
        .init(columns: $0.columns, differenceSteps: $0.difference)
      })
  }
}

extension AdviceV1.Removal {
  fileprivate init(_ removal: IndexAdvice.Removal) {
    var servedBy: String?
    if case .redundant(let other) = removal.reason { servedBy = other }
    self.init(
      index: removal.index.name, table: removal.index.table,
      sql: removal.sql, reason: servedBy == nil ? "unused" : "redundant", servedBy: servedBy,
      bytes: removal.index.bytes, writes: removal.writes.map(AdviceV1.Writes.init))
  }
}

extension AdviceV1.Writes {
  fileprivate init(_ cost: WriteCost) {
    self.init(
      insert: cost.insert.map(AdviceV1.Times.init), update: cost.update.map(AdviceV1.Times.init),
      failure: cost.failure)
  }
}

extension AdviceV1.Times {
  fileprivate init(_ effect: TimeEffect) {
    self.init(
      beforeNs: effect.before, afterNs: effect.after, ratio: effect.ratio.median,
      ratioLow: effect.ratio.low, ratioHigh: effect.ratio.high)
  }
}
