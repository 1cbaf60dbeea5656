// SPDX-License-Identifier: Apache-2.0

/// The rows to update, in one statement, and their new values.
///
///     var update = BatchUpdateRequest<Stop>(where: { $0.longitude > 13 })
///     update.set(\.note, to: "east")
///     try context.execute(update)
///     // UPDATE ZSTOP SET ZNOTE = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK IN (SELECT t0.Z_PK FROM ZSTOP t0 WHERE  t0.ZLONGITUDE > ?)
public struct BatchUpdateRequest<E: Entity> {
  /// The condition on the rows; nil for all rows.
  public var predicate: FetchPredicate?
  /// The contents of the result.
  public var resultType = BatchResult.Kind.count
  private(set) var assignments: [(name: String, value: StoreValue)] = []

  /// Updates the rows that fulfil a predicate.
  public init(predicate: FetchPredicate? = nil) { self.predicate = predicate }

  /// Updates the rows that fulfil a predicate written in Swift.
  public init(where predicate: (E) -> FetchPredicate) { self.predicate = predicate(E()) }

  /// Sets an attribute; attributes derived from it follow.
  public mutating func set<Value>(_ path: KeyPath<E, Attribute<Value>>, to value: Value) {
    set(E()[keyPath: path].name, to: value.storeValue)
  }

  /// Makes a to-one relationship refer to a saved object, or to none.
  public mutating func set<D: Entity>(_ path: KeyPath<E, ToOne<D>>, to id: ManagedObjectID?) {
    set(E()[keyPath: path].name, to: id.map(StoreValue.object) ?? .null)
  }

  /// Sets a named attribute or to-one relationship; the last value set counts.
  public mutating func set(_ name: String, to value: StoreValue) {
    assignments.removeAll { $0.name == name }
    assignments.append((name, value))
  }
}

/// The rows to delete, bypassing the context.
///
///     try context.execute(BatchDeleteRequest<StopTime>(where: { $0.departureTime < 0 }))
///     // DELETE FROM ZSTOPTIME WHERE Z_PK IN (SELECT t0.Z_PK FROM ZSTOPTIME t0 WHERE  t0.ZDEPARTURETIME < ?)
public struct BatchDeleteRequest<E: Entity> {
  /// The contents of the result.
  public var resultType = BatchResult.Kind.count
  let source: Source

  enum Source {
    case request(FetchRequest<E>)
    case ids([ManagedObjectID])
  }

  /// Deletes the objects that match a fetch request, within its limit and offset.
  public init(_ request: FetchRequest<E>) { source = .request(request) }

  /// Deletes the rows that fulfil a predicate written in Swift.
  public init(where predicate: (E) -> FetchPredicate) { self.init(FetchRequest(where: predicate)) }

  /// Deletes saved objects by their ids.
  public init(objectIDs: [ManagedObjectID]) { source = .ids(objectIDs) }
}

/// The result of a batch update, delete or insert.
public struct BatchResult: Sendable {
  /// The number of rows that were written or deleted, including rows deleted by a cascade.
  public let count: Int
  /// The ids of the rows; empty unless the request returns them.
  public let objectIDs: [ManagedObjectID]
  /// For ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``, including rows with a
  /// reference that a deletion has set to nil; empty unless the request returns ids.
  public let changes: ContextChanges

  /// The contents of a result.
  public enum Kind: Sendable {
    /// The number of rows.
    case count
    /// The ids of the rows, to merge into the contexts that have them.
    case objectIDs
  }
}
