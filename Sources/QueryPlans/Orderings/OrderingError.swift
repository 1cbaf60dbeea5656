// SPDX-License-Identifier: Apache-2.0

/// The reason why the orders of a statement's terms cannot be compared.
public enum OrderingError: Error, Hashable, Sendable {
  case notASelect
  case compound
  case noWhere
  case oneTerm(String)
  case wrongValueCount(given: Int, wanted: Int)
  /// Without a term, the parameter is not within a WHERE clause.
  case noSample(parameter: Int, term: String?)
  case noFit(counted: Double, best: Double?)
  case noValues
  case malformedValue(String)
  case noKeys(table: String)
  case needsProgram(String)
  case otherArguments(String)
  case failsHere(reason: String)
  /// The statement calls random(), or depends on the time.
  case otherRows
  /// It takes more VM steps than a program waits for, or does not end.
  case tooManySteps
  /// The budget ended before another order had run once.
  case outOfTime
}

extension OrderingError: CustomStringConvertible {
  /// One sentence: the problem, and the advice.
  public var description: String {
    switch self {
    case .notASelect: "not a SELECT; only a statement that reads can be run to be measured"
    case .compound: "a compound SELECT has several WHERE clauses; pass one of its SELECTs"
    case .noWhere: "the outer SELECT has no WHERE clause whose terms could be ordered"
    case .oneTerm(let term): "WHERE has one term, '\(term)'; there is nothing to order"
    case .wrongValueCount(let given, let wanted):
      "the statement has \(wanted == 1 ? "1 parameter" : "\(wanted) parameters") and --bind has "
        + "\(given == 1 ? "1 value" : "\(given) values"); pass one for each, in their order"
    case .noSample(let parameter, let term):
      "no column has a plausible value for parameter \(parameter)"
        + (term.map { " in '\($0)'" } ?? " of the statement") + "; record the values with "
        + "'trace-report record --values', or pass them to 'orderings' with --bind"
    case .noFit(let counted, let best):
      "no sampled values do what the trace counted (\(Self.number(counted)) a run; the closest do "
        + "\(best.map(Self.number) ?? "nothing")), so this is inconclusive; record the values with "
        + "'trace-report record --values', or a log of level 2"
    case .noValues:
      "the values of the parameters are not known; record them with 'trace-report record --values' "
        + "or a log of level 2 and pass that with --statement, or pass them with --bind"
    case .malformedValue(let text):
      "'\(text)' is not a value for --bind; write a number, 'a text' in single quotes, x'00ff', or NULL"
    case .needsProgram(let name):
      "the statement needs '\(name)', which only its own program has, so it cannot be measured here; "
        + Self.measureThere
    case .otherArguments(let name):
      "the statement calls '\(name)' with arguments whose meaning is not known, so it cannot be "
        + "measured here; " + Self.measureThere
    case .failsHere(let reason):
      "the statement cannot be measured here (\(reason)); " + Self.measureThere
    case .otherRows:
      "the statement returns other rows at each run, so its orders cannot be compared; write a value "
        + "in place of random() or of the time"
    case .tooManySteps:
      "a run takes too many steps to be measured, or does not end; name values with which it ends"
    case .noKeys(let table):
      "no column has plausible keys for '\(table)'; pass the statement with its keys in their place"
    case .outOfTime:
      "the budget ended before another order of the terms had run once; raise --budget, or narrow the "
        + "statement with values that match fewer rows"
    }
  }

  private static func number(_ amount: Double) -> String {
    let tenths = (amount * 10).rounded() / 10
    return tenths == tenths.rounded() ? "\(Int(exactly: tenths) ?? 0)" : "\(tenths)"
  }

  private static let measureThere =
    "let its own program run it, and read the times in its log"
}
