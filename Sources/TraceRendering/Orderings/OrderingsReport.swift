// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
import StoreEvents

/// A comparison of orders, ready to be drawn.
public struct OrderingsReport {
  public var database: String
  public var sqliteVersion: String
  public var sql: String
  public var minimumEffect: Double
  public var comparison: OrderingComparison
  /// Whether the format string of the better order is wanted.
  public var suggests = false

  public init(
    database: String, sqliteVersion: String, sql: String, minimumEffect: Double,
    comparison: OrderingComparison
  ) {
    (self.database, self.sqliteVersion, self.sql) = (database, sqliteVersion, sql)
    (self.minimumEffect, self.comparison) = (minimumEffect, comparison)
  }

  /// The verdict, its interval and its reason.
  var sentence: String { "\(verdict): \(reason)" }

  private var verdict: String {
    switch comparison.verdict {
    case .inconclusive: return "inconclusive"
    case .noDifference: return "no difference"
    case .writtenIsFastest:
      return comparison.rivals == 0
        ? "no other order runs" : "the order as written is the fastest"
    case .faster:
      guard let best = comparison.best.map({ comparison.variants[$0] }), let ratio = best.ratio
      else { return "inconclusive" }
      return "order \(best.name) takes \(Cell.factor(ratio.median).text) the time of the order as "
        + "written (95% interval \(ratio.interval))"
    }
  }

  private var reason: String {
    if comparison.rivals == 0 { return "each fails, returns other rows, or takes far more steps" }
    if comparison.verdict == .inconclusive {
      if comparison.wasCancelled {
        return "interrupted after \(comparison.rounds.counted("round")), too few for a verdict"
      }
      return "time was up after \(comparison.rounds.counted("round")); raise it with --budget"
    }
    return switch comparison.explanation {
    case .indexServed:
      "an index serves the terms, or all but one, wherever they are written"
    case .deferred:
      "SQLite evaluates the correlated subquery last, wherever it is written"
    case .residual where comparison.verdict == .noDifference:
      "several terms are evaluated as they are written, but no other order is faster or slower by "
        + "\(Cell.ratio(minimumEffect).text) or more with statistical significance"
    case .residual:
      "no index serves several of the terms, and SQLite evaluates those as they are written; the "
        + "cheap and the selective belong first"
    }
  }

  /// The predicate in the recommended order, or the reason why there is none.
  var suggestion: String? {
    guard suggests else { return nil }
    let variant = comparison.variants[comparison.best ?? 0]
    do {
      return try PredicateFormat.text(of: variant.sql)
    } catch {
      return nil
    }
  }

  var suggestionText: String? {
    guard suggests else { return nil }
    guard let suggestion else {
      return "no format string: the statement has a term that no predicate produces"
    }
    let isBetter = comparison.verdict == .faster
    return
      (isBetter
      ? "write it in this order, in the model's spelling: " : "no other order is better: ")
      + suggestion
  }

  /// The version 1 of the JSON.
  public var json: OrderingsV1 {
    let comparison = comparison
    let orders = comparison.variants.map(OrderingsV1.Order.init)
    return OrderingsV1(
      database: database, sqliteVersion: sqliteVersion, sql: sql,
      terms: zip(comparison.terms, comparison.roles).map { .init(sql: $0, role: $1.rawValue) },
      values: comparison.runs.first?.map(\.description) ?? [],
      valuesAreSampled: comparison.source.isSampled, valuesSource: comparison.source.name,
      runs: comparison.runs.count,
      keys: comparison.keys.map { .init(table: $0.table, keys: $0.keys) },
      storeNames: comparison.storeNames, rows: comparison.rows,
      comparedWithoutLimit: comparison.comparedWithoutLimit, rounds: comparison.rounds,
      wasInterrupted: comparison.wasCancelled, minimumEffect: minimumEffect,
      verdict: comparison.verdict.rawValue, explanation: comparison.explanation.rawValue,
      sentence: sentence, suggestion: suggestion,
      fastest: comparison.best.map { orders[$0] }, orders: orders)
  }
}

extension OrderingsV1.Order {
  fileprivate init(_ variant: OrderingComparison.Variant) {
    self.init(
      terms: variant.order.map { $0 + 1 }, sql: variant.sql, medianNs: variant.medianTime,
      ratio: variant.ratio?.median, ratioLow: variant.ratio?.low, ratioHigh: variant.ratio?.high,
      vmSteps: variant.vmSteps, failure: variant.failure)
  }
}

extension OrderingComparison {
  /// The orders that were timed beside the one as written.
  var rivals: Int { variants.dropFirst().count { $0.medianTime != nil } }

  /// The orders that were not timed and did not fail.
  var untimed: Int { variants.count { $0.medianTime == nil && $0.failure == nil } }
}

extension OrderingComparison.Variant {
  /// Numbers of the terms as written, such as `2,1`.
  var name: String { order.map { "\($0 + 1)" }.joined(separator: ",") }
}

extension PairedRatio {
  var interval: String { "\(Cell.factor(low).text)–\(Cell.factor(high).text)" }
}
