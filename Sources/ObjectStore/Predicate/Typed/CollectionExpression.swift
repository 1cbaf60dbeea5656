// SPDX-License-Identifier: Apache-2.0

/// The objects of a to-many relationship, in a predicate written in Swift.
///
///     { $0.stopTimes.subquery { $0.departureTime >= from && $0.departureTime <= to }.count != 0 }
///     // WHERE (SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND
///     //   (( t1.ZDEPARTURETIME >= ? AND  t1.ZDEPARTURETIME <= ?))) ) <> ?
public protocol CollectionExpression<Destination> {
  /// The entity of the members.
  associatedtype Destination: Entity
  /// The relationship's position in the predicate's tree.
  var predicatePath: FetchPredicate.PropertyPath { get }
}

extension ToMany: CollectionExpression {
  /// The key path.
  public var predicatePath: FetchPredicate.PropertyPath { .init([name]) }
}

/// A to-many relationship after to-one relationships or a variable.
public struct CollectionPath<Destination: Entity>: CollectionExpression {
  /// The key path.
  public let predicatePath: FetchPredicate.PropertyPath
}

/// The objects of a to-many relationship that fulfil a condition.
public struct SubqueryExpression {
  let subquery: FetchPredicate.Subquery

  /// The number of objects: `(SELECT COUNT(t1.Z_PK) FROM … )`.
  public var count: CountExpression {
    CountExpression(predicateExpression: .collection(.count, of: .subquery(subquery), property: []))
  }
}

extension CollectionExpression {
  /// The number of objects: `(SELECT COUNT(t1.Z_PK) FROM … )`.
  public var count: CountExpression {
    CountExpression(
      predicateExpression: .collection(.count, of: .path(predicatePath), property: []))
  }

  /// The objects that fulfil a condition.
  public func subquery(
    _ condition: (VariableObject<Destination>) -> FetchPredicate
  ) -> SubqueryExpression {
    let depth = SubqueryDepth.current
    let variable = depth == 0 ? "x" : "x\(depth)"
    let predicate = SubqueryDepth.$current.withValue(depth + 1) {
      condition(VariableObject(predicatePath: .init(variable: variable)))
    }
    return SubqueryExpression(
      subquery: .init(predicatePath, variable: variable, where: predicate))
  }
}

/// The number of subqueries around the one being written: its variable must not hide theirs.
private enum SubqueryDepth {
  @TaskLocal static var current = 0
}
