// SPDX-License-Identifier: Apache-2.0

/// A fetch of the objects of an entity that match a predicate, in an order.
///
///     var request = FetchRequest<Stop>(where: { $0.longitude >= west && $0.longitude <= east })
///     request.fetchLimit = 200
///     // SELECT 0, t0.Z_PK, … FROM ZSTOP t0 WHERE ( t0.ZLONGITUDE >= ? AND  t0.ZLONGITUDE <= ?)  LIMIT 200
public struct FetchRequest<E: Entity>: Sendable {
  var parameters: FetchParameters

  /// The condition on the objects; nil for all objects.
  public var predicate: FetchPredicate? {
    get { parameters.predicate }
    set { parameters.predicate = newValue }
  }
  /// The first counts most; without any, the order is the database's.
  public var sortDescriptors: [SortDescriptor<E>] {
    get { parameters.terms.map { SortDescriptor(term: $0) } }
    set { parameters.terms = newValue.map { $0.term } }
  }
  /// The maximum number of objects; 0 for all.
  public var fetchLimit: Int {
    get { parameters.fetchLimit }
    set { parameters.fetchLimit = newValue }
  }
  /// The number of objects to skip.
  public var fetchOffset: Int {
    get { parameters.fetchOffset }
    set { parameters.fetchOffset = newValue }
  }
  /// The number of objects that ``ManagedObjectContext/fetchInBatches(_:file:line:)`` loads at a
  /// time; 0 for all at once.
  public var fetchBatchSize: Int {
    get { parameters.fetchBatchSize }
    set { parameters.fetchBatchSize = newValue }
  }
  /// Relationships to load with the fetch, by one more statement each: `["stopTimes"]`, or
  /// `["stopTimes.stop"]` for both on the way.
  public var relationshipKeyPathsForPrefetching: [String] {
    get { parameters.relationshipKeyPathsForPrefetching }
    set { parameters.relationshipKeyPathsForPrefetching = newValue }
  }
  /// Adds a to-one relationship to ``relationshipKeyPathsForPrefetching``.
  ///
  ///     request.prefetch(\.stop)
  ///     // SELECT 0, t0.Z_PK, … FROM ZSTOP t0 WHERE  t0.Z_PK IN (SELECT value FROM json_each(?))
  public mutating func prefetch<D: Entity>(_ relationship: KeyPath<E, ToOne<D>>) {
    relationshipKeyPathsForPrefetching.append(E()[keyPath: relationship].name)
  }
  /// Adds a to-many relationship to ``relationshipKeyPathsForPrefetching``.
  public mutating func prefetch<D: Entity>(_ relationship: KeyPath<E, ToMany<D>>) {
    relationshipKeyPathsForPrefetching.append(E()[keyPath: relationship].name)
  }
  /// The values to read; none for all.
  ///
  /// Objects come as partial faults: these values can be read without firing them. Dictionaries
  /// hold these values, in this order.
  ///
  ///     request.propertiesToFetch = ["name"]
  ///     // SELECT 1, t0.Z_PK, t0.ZNAME FROM ZSTOP t0       objects
  ///     // SELECT t0.ZNAME FROM ZSTOP t0                   dictionaries
  public var propertiesToFetch: [FetchedProperty<E>] {
    get { parameters.columns.map { FetchedProperty(column: $0) } }
    set { parameters.columns = newValue.map { $0.column } }
  }
  /// The properties that the objects of one group share.
  public var propertiesToGroupBy: [FetchedProperty<E>] {
    get { parameters.groups.map { FetchedProperty(column: $0) } }
    set { parameters.groups = newValue.map { $0.column } }
  }
  /// A predicate that filters groups; it refers to computed values by name: `$count > 3`.
  public var havingPredicate: FetchPredicate? {
    get { parameters.havingPredicate }
    set { parameters.havingPredicate = newValue }
  }
  /// Whether equal dictionaries come once; objects and ids always do.
  public var returnsDistinctResults: Bool {
    get { parameters.returnsDistinctResults }
    set { parameters.returnsDistinctResults = newValue }
  }
  /// Whether rows are read.
  ///
  /// Otherwise only keys are read, objects are faults and the row cache is unchanged:
  /// `SELECT 0, t0.Z_PK FROM ZSTOP t0`.
  public var includesPropertyValues: Bool {
    get { parameters.includesPropertyValues }
    set { parameters.includesPropertyValues = newValue }
  }
  /// Whether registered objects adopt the fetched values; unsaved changes stay.
  public var shouldRefreshRefetchedObjects: Bool {
    get { parameters.shouldRefreshRefetchedObjects }
    set { parameters.shouldRefreshRefetchedObjects = newValue }
  }
  /// Whether objects come as faults, their rows in the row cache; otherwise they come filled.
  public var returnsObjectsAsFaults: Bool {
    get { parameters.returnsObjectsAsFaults }
    set { parameters.returnsObjectsAsFaults = newValue }
  }
  /// Whether objects of entities that inherit from this one are fetched too.
  public var includesSubentities: Bool {
    get { parameters.includesSubentities }
    set { parameters.includesSubentities = newValue }
  }
  /// Whether the unsaved changes of the context are taken into account.
  public var includesPendingChanges: Bool {
    get { parameters.includesPendingChanges }
    set { parameters.includesPendingChanges = newValue }
  }
  /// Whether cheap terms are tried first: numbers and dates before strings, plain strings before
  /// `[cd]`, functions and MATCHES after them, subqueries last; the debug log reports it.
  ///
  /// Terms that an index serves come first in any case; the order of the others is SQLite's order of
  /// trying them.
  public var reordersPredicates: Bool {
    get { parameters.reordersPredicates }
    set { parameters.reordersPredicates = newValue }
  }

  /// Fetches the objects that fulfil a predicate.
  public init(predicate: FetchPredicate? = nil) {
    parameters = FetchParameters(predicate: predicate)
  }

  /// Fetches the objects that fulfil a predicate.
  ///
  ///     FetchRequest<Stop>(try FetchPredicate("longitude >= %@", west))
  public init(_ predicate: FetchPredicate) { self.init(predicate: predicate) }

  /// Fetches the objects that fulfil a predicate written in Swift.
  public init(where predicate: (E) -> FetchPredicate) { self.init(predicate: predicate(E())) }
}

/// The contents of a request, without the type of its entity: to copy a generic value, the runtime
/// looks up its type.
struct FetchParameters: Sendable {
  var terms: [SortTerm] = []
  var columns: [ResultColumn] = []
  var groups: [ResultColumn] = []
  var predicate: FetchPredicate?
  var fetchLimit = 0
  var fetchOffset = 0
  var fetchBatchSize = 0
  var relationshipKeyPathsForPrefetching: [String] = []
  var havingPredicate: FetchPredicate?
  var returnsDistinctResults = false
  var includesPropertyValues = true
  var shouldRefreshRefetchedObjects = false
  var returnsObjectsAsFaults = true
  var includesSubentities = true
  var includesPendingChanges = true
  var reordersPredicates = false
}
