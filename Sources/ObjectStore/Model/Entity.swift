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
/// An entity that inherits names its parent. Objects of both share one table:
///
///     struct NightBus: Entity {
///       typealias Parent = Vehicle
///       let line = Attribute<String>("line")
///     }
///     // SELECT t0.Z_ENT, t0.Z_PK, … FROM ZVEHICLE t0 WHERE  t0.Z_ENT = ?
///
/// For two relationships that are each other's inverse, one must state its type as `stopTimes`
/// does. Otherwise Swift reports a circular reference, or
/// `no dynamic member 'stopTimes' using key path from root type 'NoParent'`.
@dynamicMemberLookup
public protocol Entity: EntityParent {
  /// The entity that this one inherits from.
  associatedtype Parent: EntityParent = NoParent
  /// The name in the model and in object URIs; the type's name if not given.
  static var entityName: String { get }
  /// The indexes that the store keeps; to-one relationships have theirs by default.
  static var indexes: [Index<Self>] { get }
  /// Properties, or groups of them, of which no two rows may have the same values.
  static var uniquenessConstraints: [UniquenessConstraint<Self>] { get }
  /// The text that is found by its words; none by default.
  static var searchIndex: SearchIndex<Self> { get }
  /// Whether there are objects of its subentities only.
  static var isAbstract: Bool { get }
  /// The name of the entity in an earlier model; by default its name.
  static var renamingIdentifier: String? { get }
  /// An inherited property, as predicates, sort descriptors and objects name it.
  subscript<Property>(dynamicMember path: KeyPath<Parent, Property>) -> Property { get }
}

extension Entity {
  /// The type's name.
  public static var entityName: String { String(describing: Self.self) }
  /// No indexes.
  public static var indexes: [Index<Self>] { [] }
  /// No uniqueness constraints.
  public static var uniquenessConstraints: [UniquenessConstraint<Self>] { [] }
  /// No search index.
  public static var searchIndex: SearchIndex<Self> { SearchIndex() }
  /// False: the entity has objects of its own.
  public static var isAbstract: Bool { false }
  /// No earlier name.
  public static var renamingIdentifier: String? { nil }
  /// The parent's.
  public subscript<Property>(dynamicMember path: KeyPath<Parent, Property>) -> Property {
    Parent()[keyPath: path]
  }
}

// Not Entity itself: names would be looked up along a chain of parents without an end.

/// The parent of an entity: another entity, or ``NoParent``.
public protocol EntityParent {
  /// Makes the schema; the store keeps one per model.
  init()
}

/// Stands for the parent of an entity that inherits from none.
public struct NoParent: EntityParent {
  /// Makes nothing.
  public init() {}
}

/// Attributes and to-one relationships of which no two rows may have the same values.
///
///     UniquenessConstraint(\.feed, \.identifier)
///     // CREATE UNIQUE INDEX Z_Stop_UNIQUE_feed_identifier ON ZSTOP
///     //   (ZFEED COLLATE BINARY ASC, ZIDENTIFIER COLLATE BINARY ASC)
///
/// Rows in which one of the values is NULL are not compared, as in all of SQL.
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
