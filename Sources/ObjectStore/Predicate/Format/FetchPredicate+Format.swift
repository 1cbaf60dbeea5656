// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension FetchPredicate {
  /// A format string, without arguments, that reads back as this predicate.
  public var predicateFormat: String {
    switch self {
    case .always(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): return comparison.predicateFormat
    case .and(let terms): return Self.joined(terms, " AND ", empty: "TRUEPREDICATE")
    case .or(let terms): return Self.joined(terms, " OR ", empty: "FALSEPREDICATE")
    case .not(let term):
      if case .comparison = term { return "NOT " + term.predicateFormat }
      return "NOT (" + term.predicateFormat + ")"
    }
  }

  private static func joined(_ terms: [FetchPredicate], _ word: String, empty: String) -> String {
    guard terms.count > 1 else { return terms.first?.predicateFormat ?? empty }
    return terms.map { term in
      switch term {
      case .and(let terms) where terms.count > 1: "(" + term.predicateFormat + ")"
      case .or(let terms) where terms.count > 1: "(" + term.predicateFormat + ")"
      default: term.predicateFormat
      }
    }.joined(separator: word)
  }
}

extension FetchPredicate.Comparison {
  /// A format string, without arguments, that reads back as this comparison.
  public var predicateFormat: String {
    let qualifier = quantifier == .direct ? "" : quantifier.rawValue + " "
    return qualifier + left.operandFormat + " " + comparator.rawValue + options.format + " "
      + right.operandFormat
  }
}

extension FetchPredicate.StringOptions {
  fileprivate var format: String {
    guard !isEmpty else { return "" }
    let letters = [
      (Self.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"),
      (.localeSensitive, "l"),
    ]
    return "[" + letters.map { contains($0.0) ? $0.1 : "" }.joined() + "]"
  }
}

extension FetchPredicate.PropertyPath {
  /// The path as a format string spells it: `stop.name`, `$x.name`, `SELF`.
  public var predicateFormat: String {
    let names = names.map { PredicateWord(rawValue: $0.uppercased()) == nil ? $0 : "#" + $0 }
    guard let variable else { return names.isEmpty ? "SELF" : names.joined(separator: ".") }
    return (["$" + variable] + names).joined(separator: ".")
  }
}

extension FetchPredicate.Expression {
  /// A format string, without arguments, that reads back as this expression.
  public var predicateFormat: String {
    switch self {
    case .constant(let value): return value.predicateFormat
    case .list(let elements):
      return "{" + elements.map(\.predicateFormat).joined(separator: ", ") + "}"
    case .path(let path): return path.predicateFormat
    case .collection(let operation, let base, let property):
      return ([base.operandFormat, "@" + operation.rawValue] + property).joined(separator: ".")
    case .subquery(let query):
      return "SUBQUERY(\(query.collection.predicateFormat), $\(query.variable), "
        + query.predicate.predicateFormat + ")"
    case .arithmetic(let operation, let left, let right):
      return "\(left.operandFormat) \(operation.rawValue) \(right.operandFormat)"
    case .function(let name, let arguments):
      return name + "(" + arguments.map(\.predicateFormat).joined(separator: ", ") + ")"
    }
  }

  /// The format with the parentheses that it needs beside an operator.
  fileprivate var operandFormat: String {
    if case .arithmetic = self { return "(" + predicateFormat + ")" }
    return predicateFormat
  }
}

extension StoreValue {
  /// The value as a literal of the format; a value without a literal is a CAST of one.
  var predicateFormat: String {
    switch self {
    case .null: "nil"
    case .bool(let flag): flag ? "TRUE" : "FALSE"
    case .integer(let number): String(number)
    case .double(let number):
      number.isFinite ? "\(number)" : "CAST(\"\(number)\", \"NSNumber\")"
    case .string(let string): Self.quoted(string)
    case .date(let date): "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")"
    case .data(let data):
      "CAST(\"" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        + "\", \"NSData\")"
    case .uuid(let uuid): "CAST(\"\(uuid.uuidString)\", \"NSUUID\")"
    case .decimal(let decimal): "\(decimal)"
    case .url(let url): "CAST(" + Self.quoted(url.absoluteString) + ", \"NSURL\")"
    // No constant of a predicate has this value.
    case .external: "nil"
    case .object(let id): "CAST(" + Self.quoted(id.uri) + ", \"NSManagedObjectID\")"
    }
  }

  private static func quoted(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        text += "\\"
        text.unicodeScalars.append(scalar)
      case "\0"..."\u{1f}", "\u{7f}":
        text += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
