// SPDX-License-Identifier: Apache-2.0

/// A column that a fetch reads for each object, or computes over many.
///
///     request.propertiesToFetch = [FetchedProperty(\.name), .count(\.identifier, as: "stops")]
///     request.propertiesToGroupBy = [FetchedProperty(\.name)]
///     // SELECT t0.ZNAME, COUNT( t0.ZIDENTIFIER) FROM ZSTOP t0 GROUP BY  t0.ZNAME
///
/// By name if the entity has no Swift schema: `["name", .count("identifier", as: "stops")]`.
public struct FetchedProperty<E: Entity>: Hashable, Sendable {
  let column: ResultColumn

  init(column: ResultColumn) { self.column = column }

  /// An attribute, under its own name.
  public init<Value>(_ path: KeyPath<E, Attribute<Value>>) {
    column = ResultColumn(E()[keyPath: path].keyPath)
  }

  /// A to-one relationship, under its own name; its value is an object id.
  public init<D: Entity>(_ path: KeyPath<E, ToOne<D>>) {
    column = ResultColumn(E()[keyPath: path].keyPath)
  }

  /// A named property, or a key path over to-one relationships such as `stop.name`.
  public init(_ keyPath: String) { column = ResultColumn(keyPath) }

  /// Any expression of a predicate, such as the count of a subquery, under a name.
  public init(_ expression: FetchPredicate.Expression, as name: String) {
    column = ResultColumn(name, expression)
  }

  private init(_ aggregate: ResultColumn.Aggregate, _ keyPath: String, _ name: String) {
    let path = keyPath.isEmpty ? FetchPredicate.PropertyPath() : .init(keyPath: keyPath)
    column = ResultColumn(name, .path(path), aggregate: aggregate)
  }

  /// The object itself, as its id, under the name `objectID`.
  public static var objectID: Self { Self(.path(.init()), as: "objectID") }
}

extension FetchedProperty {
  /// The number of objects: `COUNT( t0.Z_PK)`.
  public static func count(as name: String) -> Self { Self(.count, "", name) }

  /// The number of objects with a value: `COUNT( t0.ZNAME)`.
  public static func count<Value>(
    _ path: KeyPath<E, Attribute<Value>>, as name: String
  ) -> Self { Self(.count, E()[keyPath: path].keyPath, name) }

  /// The number of objects of a relationship, over all objects of the group.
  ///
  ///     .count(\.stopTimes, as: "departures")
  ///     // COUNT( t1.Z_PK) FROM ZSTOP t0 LEFT OUTER JOIN ZSTOPTIME t1 ON t0.Z_PK = t1.ZSTOP
  public static func count<D: Entity>(_ path: KeyPath<E, ToMany<D>>, as name: String) -> Self {
    Self(.count, E()[keyPath: path].name, name)
  }

  /// The sum, a real: `total( t0.ZLATITUDE)`.
  public static func sum<Value>(_ path: KeyPath<E, Attribute<Value>>, as name: String) -> Self {
    Self(.sum, E()[keyPath: path].keyPath, name)
  }

  /// The smallest value: `min( t0.ZNAME)`.
  public static func min<Value>(_ path: KeyPath<E, Attribute<Value>>, as name: String) -> Self {
    Self(.min, E()[keyPath: path].keyPath, name)
  }

  /// The largest value: `max( t0.ZNAME)`.
  public static func max<Value>(_ path: KeyPath<E, Attribute<Value>>, as name: String) -> Self {
    Self(.max, E()[keyPath: path].keyPath, name)
  }

  /// The average, a real: `avg( t0.ZLATITUDE)`.
  public static func average<Value>(_ path: KeyPath<E, Attribute<Value>>, as name: String) -> Self {
    Self(.average, E()[keyPath: path].keyPath, name)
  }

  /// A count by a key path such as `stop.name` or `stopTimes`.
  public static func count(_ keyPath: String, as name: String) -> Self {
    Self(.count, keyPath, name)
  }

  /// A sum by a key path such as `stopTimes.departureTime`.
  public static func sum(_ keyPath: String, as name: String) -> Self { Self(.sum, keyPath, name) }

  /// The smallest value by a key path.
  public static func min(_ keyPath: String, as name: String) -> Self { Self(.min, keyPath, name) }

  /// The largest value by a key path.
  public static func max(_ keyPath: String, as name: String) -> Self { Self(.max, keyPath, name) }

  /// An average by a key path.
  public static func average(_ keyPath: String, as name: String) -> Self {
    Self(.average, keyPath, name)
  }
}

extension FetchedProperty: ExpressibleByStringLiteral {
  /// A named property, or a key path over to-one relationships such as `stop.name`.
  public init(stringLiteral keyPath: String) { self.init(keyPath) }
}
