// SPDX-License-Identifier: Apache-2.0

/// One object, or nil, in a predicate written in Swift: a to-one relationship, or the object of a
/// subquery.
///
///     { $0.stop == nil || $0.stop.name == "Zoo" }
///     // … LEFT OUTER JOIN ZSTOP t1 ON t0.ZSTOP = t1.Z_PK WHERE ( t0.ZSTOP IS NULL OR  t1.ZNAME = ?)
public protocol ObjectExpression<Destination> {
  /// The entity of the other end.
  associatedtype Destination: Entity
  /// The object's position in the predicate's tree.
  var predicatePath: FetchPredicate.PropertyPath { get }
}

extension ToOne: ObjectExpression {
  /// The key path.
  public var predicatePath: FetchPredicate.PropertyPath { .init(keyPath: keyPath) }

  /// A to-many relationship of the destination, for its count or a subquery.
  public subscript<Further>(
    dynamicMember path: KeyPath<Destination, ToMany<Further>>
  ) -> CollectionPath<Further> {
    let relationship = Destination()[keyPath: path]
    return CollectionPath(predicatePath: .init(predicatePath.names + [relationship.name]))
  }
}

/// The object that a subquery tests, or the destination of to-one relationships from there.
@dynamicMemberLookup
public struct VariableObject<Destination: Entity>: ObjectExpression {
  /// `$x`, or `$x.stop`.
  public let predicatePath: FetchPredicate.PropertyPath
  private let schema = Destination()

  init(predicatePath: FetchPredicate.PropertyPath) { self.predicatePath = predicatePath }

  private func path(_ name: String) -> FetchPredicate.PropertyPath {
    .init(predicatePath.names + [name], variable: predicatePath.variable)
  }

  /// An attribute of the object.
  public subscript<Value>(
    dynamicMember path: KeyPath<Destination, Attribute<Value>>
  ) -> VariableAttribute<Value> {
    VariableAttribute(predicateExpression: .path(self.path(schema[keyPath: path].name)))
  }

  /// A to-one relationship of the object.
  public subscript<Further>(
    dynamicMember path: KeyPath<Destination, ToOne<Further>>
  ) -> VariableObject<Further> {
    VariableObject<Further>(predicatePath: self.path(schema[keyPath: path].name))
  }

  /// A to-many relationship of the object.
  public subscript<Further>(
    dynamicMember path: KeyPath<Destination, ToMany<Further>>
  ) -> CollectionPath<Further> {
    CollectionPath(predicatePath: self.path(schema[keyPath: path].name))
  }
}

extension ObjectExpression {
  func compare(
    _ comparator: FetchPredicate.Comparator, _ right: FetchPredicate.Expression
  ) -> FetchPredicate {
    .comparison(.init(.path(predicatePath), comparator, right))
  }

  /// ` t0.ZSTOP = ?`.
  public static func == (left: Self, right: ManagedObjectID) -> FetchPredicate {
    left.compare(.equal, right.predicateExpression)
  }
  /// ` t0.ZSTOP <> ?`.
  public static func != (left: Self, right: ManagedObjectID) -> FetchPredicate {
    left.compare(.notEqual, right.predicateExpression)
  }
  /// ` t0.ZSTOP IS NULL`.
  public static func == (left: Self, right: _OptionalNilComparisonType) -> FetchPredicate {
    left.compare(.equal, .constant(.null))
  }
  /// ` t0.ZSTOP IS NOT NULL`.
  public static func != (left: Self, right: _OptionalNilComparisonType) -> FetchPredicate {
    left.compare(.notEqual, .constant(.null))
  }
}
