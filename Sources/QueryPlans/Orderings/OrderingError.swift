// SPDX-License-Identifier: Apache-2.0

/// Why the orders of a statement's terms cannot be compared.
public enum OrderingError: Error, Hashable, Sendable {
  case notASelect
  case compound
  case noWhere
  case oneTerm(String)
  case wrongValueCount(given: Int, wanted: Int)
  case noSample(parameter: Int, term: String)
  case malformedValue(String)
  case needsProgram(String)
  case rowsDiffer(order: [Int])
}

extension OrderingError: CustomStringConvertible {
  /// One sentence: what is wrong, and what to do.
  public var description: String {
    switch self {
    case .notASelect: "not a SELECT; only a statement that reads can be run to be measured"
    case .compound: "a compound SELECT has several WHERE clauses; give one of its SELECTs"
    case .noWhere: "the outer SELECT has no WHERE clause whose terms could be ordered"
    case .oneTerm(let term): "WHERE has one term, '\(term)'; there is nothing to order"
    case .wrongValueCount(let given, let wanted):
      "the statement has \(wanted == 1 ? "1 parameter" : "\(wanted) parameters") and --bind gives "
        + "\(given == 1 ? "1 value" : "\(given) values"); give one for each, in their order"
    case .noSample(let parameter, let term):
      "no column tells a plausible value for parameter \(parameter) in '\(term)'; give all values "
        + "with --bind"
    case .malformedValue(let text):
      "'\(text)' is no value for --bind; write a number, 'a text' in single quotes, or NULL"
    case .needsProgram(let name):
      "the statement needs '\(name)', which only its own program has, so it cannot be measured here"
    case .rowsDiffer(let order):
      "order \(order.map { "\($0 + 1)" }.joined(separator: ",")) gives other rows than the order as "
        + "written; the terms are not free to move"
    }
  }
}
