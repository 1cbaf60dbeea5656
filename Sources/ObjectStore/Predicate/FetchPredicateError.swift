// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The reason why a predicate or a sort term does not fit an entity, or is not supported by the
/// store.
public enum FetchPredicateError: Error, Hashable, Sendable {
  /// The entity has no such property; `nearest` is the name that differs least, if any is close.
  case unknownProperty(String, entity: String, nearest: String?)
  /// The path continues after an attribute.
  case pathThroughAttribute(String, path: String)
  /// A to-many relationship where one value is wanted.
  case toMany(String, path: String)
  /// A collection function or quantifier on a property that is not to-many.
  case notToMany(String, path: String)
  /// A variable that no SUBQUERY declares.
  case unknownVariable(String)
  /// The two sides cannot be compared.
  case typeMismatch(comparison: String, expected: String)
  /// Valid, but not supported by this store; `instead` is the replacement to write.
  case unsupported(String, instead: String)
  /// A function that does not exist, with the nearest name.
  case unknownFunction(String, nearest: String?)
  /// A function called with the wrong arguments.
  case wrongArguments(function: String, expected: String)
  /// A pattern of MATCHES that cannot be read, or a match that was stopped.
  case regularExpression(String)
  /// A search for words in an entity without a search index.
  case noSearchIndex(entity: String)
  /// A query of a search that cannot be read; FTS5's own words.
  case searchQuery(String)
  /// A predicate that nests deeper than the limit.
  case tooDeep(limit: Int)
  /// SQLite has a limit that the predicate's SQL does not meet; its own words.
  case tooLarge(String)
}

extension FetchPredicateError: CustomStringConvertible {
  /// One sentence: the problem, and the advice.
  public var description: String {
    switch self {
    case .unknownProperty(let name, let entity, let nearest):
      "\(entity) has no property \"\(name)\"" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
    case .pathThroughAttribute(let name, let path):
      "\"\(path)\" continues after \"\(name)\", which is an attribute; end the key path there"
    case .toMany(let name, let path):
      "\"\(path)\" has many values, as \"\(name)\" is to-many; "
        + "write ANY \(path), SUBQUERY(…).@count or \(name).@count"
    case .notToMany(let name, let path):
      "\"\(name)\" in \"\(path)\" is not a to-many relationship; compare its value itself"
    case .unknownVariable(let name):
      "$\(name) has no value here; name it in SUBQUERY(…, $\(name), …) or set its value by "
        + "withSubstitutionVariables, or by %@ in its place"
    case .typeMismatch(let comparison, let expected):
      "cannot compare \(comparison): \(expected)"
    case .unsupported(let what, let instead):
      "\(what) cannot be answered by the store; \(instead)"
    case .unknownFunction(let name, let nearest):
      "there is no function \(name)" + (nearest.map { "; did you mean \($0)?" } ?? "")
    case .wrongArguments(let function, let expected):
      "\(function) takes \(expected)"
    case .regularExpression(let reason): reason
    case .noSearchIndex(let entity):
      "\(entity) has no search index; declare `static let searchIndex` in its schema, or compare one "
        + "property with MATCHES, which takes a regular expression"
    case .searchQuery(let reason):
      "the query of the search cannot be read: \(reason); put plain text in double quotes, or pass it "
        + "to matchesSearch(words:)"
    case .tooLarge(let reason):
      "the predicate is more than this SQLite compiles (\(reason)); write nested terms as one flat "
        + "list, and many equal comparisons as one IN with a list"
    case .tooDeep(let limit):
      "the predicate is nested more than \(limit) levels deep; write its terms as one flat list"
    }
  }
}

extension FetchPredicateError {
  /// Nil for an error that has nothing to do with the size of a predicate.
  init?(_ error: any Error) {
    guard let error = error as? SQLiteError else { return nil }
    let limits = [
      "parser stack overflow", "Expression tree is too large", "too many SQL variables",
    ]
    guard limits.contains(where: error.message.hasPrefix) else { return nil }
    self = .tooLarge(error.message)
  }
}

extension EntityDescription {
  /// The property name with the smallest edit distance from `name`, if that is a third of its
  /// length or less.
  func nearestPropertyName(to name: String) -> String? {
    nearestName(to: name, among: propertyNames, minEdits: 1)
  }
}

/// The name that takes the fewest edits, if they are at most a third of it, or so few.
func nearestName(to name: String, among names: some Sequence<String>, minEdits: Int) -> String? {
  let name = Array(name.lowercased().utf8.prefix(64))
  return names.map { (name: $0, edits: editDistance(name, Array($0.lowercased().utf8))) }
    .min { $0.edits < $1.edits }
    .flatMap { $0.edits <= max(minEdits, name.count / 3) ? $0.name : nil }
}

/// The number of bytes to insert, remove, change or swap with their neighbour.
func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var best = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        best = min(best, beforeLast[j - 1] + 1)
      }
      row.append(best)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}
