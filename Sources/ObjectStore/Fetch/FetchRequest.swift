// SPDX-License-Identifier: Apache-2.0

/// A fetch of the objects of an entity that match a predicate, in an order.
///
///     var request = FetchRequest<Stop>(where: { $0.longitude >= west && $0.longitude <= east })
///     request.fetchLimit = 200
///     // SELECT 0, t0.Z_PK, … FROM ZSTOP t0 WHERE ( t0.ZLONGITUDE >= ? AND  t0.ZLONGITUDE <= ?)  LIMIT 200
public struct FetchRequest<E: Entity>: Sendable {
  // Not of the entity's type: each use of a generic array looks its type up.
  private(set) var terms: [SortTerm] = []
  private(set) var columns: [ResultColumn] = []
  private(set) var groups: [ResultColumn] = []

  /// Nil for all objects.
  public var predicate: FetchPredicate?
  /// The first counts most; without any, the order is the database's.
  public var sortDescriptors: [SortDescriptor<E>] {
    get { terms.map { SortDescriptor(term: $0) } }
    set { terms = newValue.map { $0.term } }
  }
  /// The maximum number of objects; 0 for all.
  public var fetchLimit = 0
  /// The number of objects to skip.
  public var fetchOffset = 0
  /// The number of objects that ``ManagedObjectContext/fetchInBatches(_:file:line:)`` loads at a
  /// time; 0 for all at once.
  public var fetchBatchSize = 0
  /// Relationships whose objects the fetch loads too, by one more statement each: `["stopTimes"]`,
  /// or `["stopTimes.stop"]` for both on the way.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// The values to read; none for all.
  ///
  /// Objects come as partial faults: these values can be read without firing them. Dictionaries
  /// hold these values, in this order.
  ///
  ///     request.propertiesToFetch = ["name"]
  ///     // SELECT 1, t0.Z_PK, t0.ZNAME FROM ZSTOP t0       objects
  ///     // SELECT t0.ZNAME FROM ZSTOP t0                   dictionaries
  public var propertiesToFetch: [FetchedProperty<E>] {
    get { columns.map { FetchedProperty(column: $0) } }
    set { columns = newValue.map { $0.column } }
  }
  /// The properties that the objects of one group share.
  public var propertiesToGroupBy: [FetchedProperty<E>] {
    get { groups.map { FetchedProperty(column: $0) } }
    set { groups = newValue.map { $0.column } }
  }
  /// The groups that return a dictionary; computed values are referred to by name: `$count > 3`.
  public var havingPredicate: FetchPredicate?
  /// Whether equal dictionaries come once; objects and ids always do.
  public var returnsDistinctResults = false
  /// Whether rows are read.
  ///
  /// Otherwise only keys are read, objects are faults and the row cache is unchanged:
  /// `SELECT 0, t0.Z_PK FROM ZSTOP t0`.
  public var includesPropertyValues = true
  /// Whether registered objects adopt the fetched values; unsaved changes stay.
  public var shouldRefreshRefetchedObjects = false
  /// Whether objects come as faults, their rows in the row cache; otherwise they come filled.
  public var returnsObjectsAsFaults = true
  /// Whether objects of entities that inherit from this one are fetched too.
  public var includesSubentities = true
  /// Whether the unsaved changes of the context are taken into account.
  public var includesPendingChanges = true
  /// Whether cheap terms are tried first: numbers and dates before strings, plain strings before
  /// `[cd]`, functions and MATCHES after them, subqueries last; the debug log reports it.
  ///
  /// Terms that an index serves come first in any case; the order of the others is SQLite's order of
  /// trying them.
  public var reordersPredicates = false

  /// Fetches the objects that fulfil a predicate.
  public init(predicate: FetchPredicate? = nil) { self.predicate = predicate }

  /// Fetches the objects that fulfil a predicate written in Swift.
  public init(where predicate: (E) -> FetchPredicate) { self.predicate = predicate(E()) }
}
