// SPDX-License-Identifier: Apache-2.0

extension DictionarySelectWriter {
  /// Rejects a term with more than one value for a row of the result: SQLite would take it from any
  /// row.
  func check(_ terms: [SortTerm]) throws(FetchPredicateError) {
    var names: Set<String> = []
    for column in query.columns where !names.insert(column.name).inserted {
      throw .unsupported(
        "the name \(column.name) for two columns", instead: "name each column differently")
    }
    guard isGrouped else {
      guard query.having == nil else {
        throw .unsupported(
          "havingPredicate without propertiesToGroupBy",
          instead: "use the predicate, or set propertiesToGroupBy")
      }
      return
    }
    let groups = Set(query.groups.map(\.expression))
    for column in query.columns
    where column.aggregate == nil && !groups.contains(column.expression) {
      throw notGrouped(column.name)
    }
    let computed = Set(query.columns.filter { $0.aggregate != nil }.map(\.name))
    let paths = Set(query.groups.compactMap(\.propertyPath))
    for term in terms
    where !paths.contains(term.keyPath) && !computed.contains(term.keyPath.joined(separator: ".")) {
      throw notGrouped(term.keyPath.joined(separator: "."))
    }
    for path in query.having?.paths ?? []
    where !paths.contains(path) && !computed.contains(path.withoutVariable) {
      throw notGrouped(path.withoutVariable)
    }
  }

  private var isGrouped: Bool {
    !query.groups.isEmpty || query.columns.contains { $0.aggregate != nil }
  }

  private func notGrouped(_ name: String) -> FetchPredicateError {
    .unsupported(
      "\(name) beside values that are computed of many objects",
      instead: "add it to propertiesToGroupBy, or take its min or max")
  }
}

extension [String] {
  /// `count` of `$count`: HAVING accepts both names of a computed column.
  fileprivate var withoutVariable: String {
    let name = joined(separator: ".")
    return name.hasPrefix("$") ? String(name.dropFirst()) : name
  }
}
