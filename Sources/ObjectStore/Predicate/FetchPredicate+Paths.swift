// SPDX-License-Identifier: Apache-2.0

extension FetchPredicate {
  /// Every way that the predicate goes along properties, each from the object itself: `stop.name`,
  /// and `stopTimes.headsign` for `$x.headsign` in a subquery over `stopTimes`.
  var paths: Set<[String]> {
    var collector = PathCollector()
    collector.collect(self)
    return collector.paths
  }
}

private struct PathCollector {
  private(set) var paths: Set<[String]> = []
  /// The path to the objects of a variable.
  private var variables: [String: [String]] = [:]

  mutating func collect(_ predicate: FetchPredicate) {
    switch predicate {
    case .always: break
    case .and(let terms), .or(let terms): for term in terms { collect(term) }
    case .not(let term): collect(term)
    case .comparison(let comparison):
      collect(comparison.left)
      collect(comparison.right)
    }
  }

  private mutating func collect(_ expression: FetchPredicate.Expression) {
    for part in expression.parts { collect(part) }
    switch expression {
    case .path(let path): paths.insert(names(path))
    case .collection(_, of: .path(let path), let property): paths.insert(names(path) + property)
    case .collection(_, of: .subquery(let subquery), let property):
      paths.insert(names(subquery.collection) + property)
    case .subquery(let subquery): collect(subquery)
    default: break
    }
  }

  private mutating func collect(_ subquery: FetchPredicate.Subquery) {
    let members = names(subquery.collection)
    paths.insert(members)
    let outer = variables
    variables[subquery.variable] = members
    collect(subquery.predicate)
    variables = outer
  }

  private func names(_ path: FetchPredicate.PropertyPath) -> [String] {
    guard let variable = path.variable else { return path.names }
    return (variables[variable] ?? ["$" + variable]) + path.names
  }
}
