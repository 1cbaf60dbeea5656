// SPDX-License-Identifier: Apache-2.0

/// A schema in Swift: one property per attribute and relationship.
///
///     struct Stop: Entity {
///       let name = Attribute<String>("name")
///       let longitude = Attribute<Double>("longitude")
///       let stopTimes: ToMany<StopTime> = ToMany("stopTimes", inverse: \.stop, ordered: true)
///       static let indexes: [Index<Stop>] = [Index(\.longitude)]
///     }
///     // CREATE TABLE ZSTOP ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
///     //   ZLONGITUDE FLOAT, ZNAME VARCHAR )
///
/// Of two relationships that are each other's inverse, one must state its type as `stopTimes`
/// does, or Swift sees a circular reference.
public protocol Entity {
  /// Makes the schema; the store keeps one per model.
  init()
  /// The name in the model and in object URIs; the type's name if not given.
  static var entityName: String { get }
  /// The indexes that the store keeps; to-one relationships have theirs without asking.
  static var indexes: [Index<Self>] { get }
  /// Properties, or groups of them, of which no two rows may have the same values.
  static var uniquenessConstraints: [UniquenessConstraint<Self>] { get }
}

extension Entity {
  /// The type's name.
  public static var entityName: String { String(describing: Self.self) }
  /// None.
  public static var indexes: [Index<Self>] { [] }
  /// None.
  public static var uniquenessConstraints: [UniquenessConstraint<Self>] { [] }
}

/// Attributes and to-one relationships of which no two rows may have the same values.
///
///     UniquenessConstraint(\.feed, \.identifier)
///     // CREATE TABLE ZSTOP ( …, CONSTRAINT ZFEED_ZIDENTIFIER UNIQUE (ZFEED, ZIDENTIFIER) )
///
/// Rows that lack one of the values are not compared, as everywhere in SQL.
public struct UniquenessConstraint<E: Entity>: Sendable {
  let paths: [any PartialKeyPath<E> & Sendable]

  /// Makes the values of one property, or the combinations of several, unique.
  public init(_ paths: (any PartialKeyPath<E> & Sendable)...) { self.paths = paths }
}

/// An index over one or several properties of an entity, in order.
///
///     Index(\.longitude, \.latitude)
///     // CREATE INDEX ZSTOP_ZLONGITUDE_ZLATITUDE ON ZSTOP (ZLONGITUDE, ZLATITUDE)
public struct Index<E: Entity>: Sendable {
  let paths: [any PartialKeyPath<E> & Sendable]

  /// Indexes attributes and to-one relationships.
  public init(_ paths: (any PartialKeyPath<E> & Sendable)...) { self.paths = paths }
}
