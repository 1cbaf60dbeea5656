// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents

/// Keeps the objects of a fetch in sections, and reports how its context's changes affect them.
///
///     let controller = try FetchedResultsController(
///       request, context: context, sectionNameKeyPath: "initial", cacheName: "records")
///     try controller.performFetch()
///     // SELECT 0, t0.Z_PK, t0.ZINITIAL FROM ZRECORD t0 ORDER BY t0.ZINITIAL, t0.ZVALUE
///     controller.onChange = { changes in list.apply(changes) }
///
/// It keeps ids, and loads `fetchBatchSize` objects when they are accessed. It reacts only to its
/// context, after each user event and save; saves of other contexts have to be merged into it. The
/// order and the sections follow the values that were fetched, changed here or merged. It
/// fetches again at the first change after a fetch, after a reset or a refresh of all objects, and
/// at each change if there is a limit or an offset. Belongs to its context's thread.
public final class FetchedResultsController<E: Entity> {
  /// The request.
  public let request: FetchRequest<E>
  /// The context that the controller follows.
  public let context: ManagedObjectContext
  /// The attribute that names an object's section, such as `initial`; nil for one section.
  public let sectionNameKeyPath: String?
  /// The name of the file that caches the sections; nil for no cache.
  public let cacheName: String?
  /// The objects there are now; empty until ``performFetch(file:line:)``.
  public var snapshot: FetchedResultsSnapshot { results?.snapshot ?? FetchedResultsSnapshot() }
  /// Called with each change, after ``snapshot`` has changed.
  public var onChange: ((FetchedResultsChanges) -> Void)?
  /// The title of a section in an index; by default the upper-case first letter of its name.
  public var sectionIndexTitle: (String) -> String? = { $0.first.map { $0.uppercased() } }
  /// The reason why the last change could not be followed; the snapshot is then the one before it.
  public private(set) var changeError: (any Error)?

  private let entity: EntityDescription
  private let keyPath: [String]?
  private let terms: [SortTerm]
  private var results: Results?
  private var observation: ContextObservation?
  private var location = SourceLocation.unknown

  /// Makes a controller, which fetches nothing yet.
  ///
  /// - Throws: ``FetchedResultsError`` if the request has no sort descriptor;
  ///   ``FetchPredicateError`` if the section key path does not lead to an attribute.
  public init(
    _ request: FetchRequest<E>, context: ManagedObjectContext, sectionNameKeyPath: String? = nil,
    cacheName: String? = nil
  ) throws {
    guard !request.parameters.terms.isEmpty else { throw FetchedResultsError.notSorted }
    self.request = request
    self.context = context
    self.sectionNameKeyPath = sectionNameKeyPath
    self.cacheName = cacheName
    entity = context.description(of: E.self)
    terms = request.parameters.terms
    keyPath = sectionNameKeyPath?.split(separator: ".", omittingEmptySubsequences: false)
      .map(String.init)
    if let keyPath { _ = try entity.section(keyPath) }
  }

  // MARK: - Fetching

  /// Fetches the ids of the objects and the names of their sections, and follows the context from
  /// now on.
  ///
  /// - Throws: ``FetchPredicateError``, ``StoreError``; ``FetchedResultsError/sectionsOutOfOrder(_:)``
  ///   if the objects of a section do not come one after the other.
  public func performFetch(file: String = #fileID, line: UInt = #line) throws {
    location = SourceLocation(file: file, line: UInt64(line))
    let results = try fetch()
    var names: Set<String> = []
    for section in results.snapshot.sections where !names.insert(section.name).inserted {
      throw FetchedResultsError.sectionsOutOfOrder(section.name)
    }
    self.results = results
    changeError = nil
    if observation == nil {
      observation = context.observeChanges { [weak self] event in self?.follow(event) }
    }
  }

  private func fetch() throws -> Results {
    try context.checkDepth()
    context.followKeys()
    try context.followDiscards()
    if try operation.pendingOverlay() != nil { return try fetchList() }
    let cache = sectionCache
    if let cache, let saved = cache.sections(context) {
      let (loader, snapshot) = try fetchSnapshot(nil)
      if let snapshot = saved.applied(to: snapshot) { return Results(loader, snapshot) }
    }
    let data = try cache?.dataVersion(context)
    let (loader, snapshot) = try fetchSnapshot(keyPath)
    // If another connection wrote meanwhile, the cache would mix two states.
    if let cache, let data, try cache.dataVersion(context) == data {
      cache.save(snapshot, data: data)
    }
    return Results(loader, snapshot)
  }

  private func fetchSnapshot(
    _ keyPath: [String]?
  ) throws -> (BatchLoader, FetchedResultsSnapshot) {
    var operation = operation
    let batches = try batches
    return try operation.measure { try $0.fetchSnapshot(for: batches, sectionKeyPath: keyPath) }
  }

  /// Fetches the sort keys of the objects as well, so that changes can be put in their positions.
  private func fetchList() throws -> Results {
    let batches = try batches
    var operation = operation
    return try operation.measure { operation in
      let pending = try operation.pendingOverlay()
      let list = try operation.fetchList(
        batchSize: batches.batchSize, sectionKeyPath: keyPath, isWindowed: pending == nil)
      guard let pending else {
        return Results(list, batches, context, [:], fetchID: operation.fetchID)
      }
      return try put(pending, over: list, batches, fetchID: operation.fetchID)
    }
  }

  private func put(
    _ pending: PendingChanges, over list: FetchedResultsList, _ batches: BatchRequest,
    fetchID: UInt64
  ) throws -> Results {
    let wanted = try pending.wanted()
    let list = list.replacing(
      Set(pending.changed.map(\.primaryKey)), with: wanted, section: section
    ).window(limit: max(request.fetchLimit, 0), offset: max(request.fetchOffset, 0))
    let keys = Set(list.entries.map(\.id.primaryKey))
    var unsaved: [Int64: AnyManagedObject] = [:]
    for object in wanted where object.isUnsaved && keys.contains(object.primaryKey) {
      unsaved[object.primaryKey] = object
    }
    return Results(list, batches, context, unsaved, fetchID: fetchID)
  }

  private var operation: FetchOperation {
    context.operation(request, .objects, location.file, UInt(location.line))
  }

  private var batches: BatchRequest {
    get throws {
      BatchRequest(
        entity: entity, batchSize: max(request.fetchBatchSize, 0),
        returnsObjectsAsFaults: request.returnsObjectsAsFaults,
        prefetched: try PrefetchTree(request.relationshipKeyPathsForPrefetching, of: entity),
        location: location)
    }
  }

  private var sectionCache: SectionCache? {
    guard let cacheName, let keyPath else { return nil }
    var tables = [entity.table]
    var next = entity
    for name in keyPath.dropLast() {
      guard let relationship = next.relationship(named: name) else { break }
      next = relationship.destination
      tables.append(next.table)
    }
    let order = terms.map {
      "\($0.keyPath.joined(separator: ".")) \($0.ascending) \($0.comparator)"
    }
    return SectionCache(
      cacheName, of: context.store,
      request: "\(entity.name) \(request.predicate?.predicateFormat ?? "-") \(order) "
        + "\(request.fetchLimit) \(request.fetchOffset) \(request.includesSubentities) "
        + keyPath.joined(separator: "."), tables: tables)
  }

  // MARK: - Following the context

  private func follow(_ event: ContextObservation.Event) {
    guard let loader = results?.loader else { return }
    let saved = savedKeys(loader)
    switch event {
    case .changed(let objects):
      let changed = objects.filter {
        request.includesSubentities ? $0.entity.isKind(of: entity) : $0.entity === entity
      }
      guard !changed.isEmpty || !saved.isEmpty else { return }
      let touched = Set(changed.map(\.primaryKey)).union(saved.values)
      follow(touched, saved) { try result(after: changed, saved) }
    case .refetch(let keys):
      follow(Set(keys), saved) { try fetchList() }
    }
  }

  private func follow(
    _ touched: Set<Int64>, _ saved: [Int64: Int64], _ makeResults: () throws -> Results
  ) {
    do {
      let new = try makeResults()
      // After the fetch, which may have reported permanent ids.
      let old = snapshot
      let difference = FetchedResultsDifference(
        old: old, new: new.snapshot, touched: touched, saved: saved
      ).changes()
      if let loader = results?.loader { new.loader.keep(objectsOf: loader) }
      results = new
      changeError = nil
      if !difference.isEmpty { onChange?(difference) }
    } catch {
      // The next change fetches again: the list may be out of date by then.
      results?.list = nil
      changeError = error
    }
  }

  /// The keys that a save has assigned to objects of the result, by their temporary keys.
  private func savedKeys(_ loader: BatchLoader) -> [Int64: Int64] {
    var keys: [Int64: Int64] = [:]
    for (key, object) in loader.unsaved where object.primaryKey > 0 && object.primaryKey != key {
      keys[key] = object.primaryKey
    }
    return keys
  }

  private func result(
    after changed: [AnyManagedObject], _ saved: [Int64: Int64]
  ) throws -> Results {
    // The objects beyond a limit are only in the database.
    guard let results, let list = results.list, request.fetchLimit <= 0, request.fetchOffset <= 0,
      request.includesPendingChanges
    else { return try fetchList() }
    let objects = changed + saved.keys.compactMap { results.loader.unsaved[$0] }
    let pending = try PendingChanges(
      of: objects, in: context, entity: entity, predicate: request.predicate, terms: terms)
    let wanted = try pending.wanted()
    let keys = Set(objects.map(\.primaryKey)).union(saved.keys)
    var unsaved = results.loader.unsaved.filter { !keys.contains($0.key) }
    for object in wanted where object.isUnsaved { unsaved[object.primaryKey] = object }
    return Results(
      list.replacing(keys, with: wanted, section: section), results.loader.request, context,
      unsaved, fetchID: results.loader.fetchID)
  }

  private func section(_ object: AnyManagedObject) -> String {
    keyPath.map(object.sectionName) ?? ""
  }
}

/// The results of a controller's fetch.
private struct Results {
  let loader: BatchLoader
  let snapshot: FetchedResultsSnapshot
  /// Nil until the first change: most lists are only shown.
  var list: FetchedResultsList?

  init(_ loader: BatchLoader, _ snapshot: FetchedResultsSnapshot) {
    self.loader = loader
    self.snapshot = snapshot
  }

  init(
    _ list: FetchedResultsList, _ batches: BatchRequest, _ context: ManagedObjectContext,
    _ unsaved: [Int64: AnyManagedObject], fetchID: UInt64
  ) {
    self.list = list
    snapshot = list.snapshot
    loader = BatchLoader(
      batches, context: context, keys: KeyList(list.entries.lazy.map(\.id.primaryKey)),
      unsaved: unsaved, fetchID: fetchID)
  }
}

extension FetchedResultsController {
  // MARK: - Looking

  /// The object at a position, loaded with its batch; nil if it was deleted since.
  ///
  /// - Throws: ``StoreError`` if its batch cannot be loaded.
  public func object(at position: FetchedResultsSnapshot.Position) throws -> ManagedObject<E>? {
    try object(at: snapshot.index(of: position))
  }

  /// The object at an index of the snapshot; nil if it was deleted since.
  ///
  /// - Throws: ``StoreError`` if its batch cannot be loaded.
  public func object(at index: Int) throws -> ManagedObject<E>? {
    require(snapshot.indices.contains(index), "place \(index) of \(snapshot.count) results")
    return try results?.loader.object(at: index)?.assumed(E.self)
  }

  /// All objects as a collection that loads an object when it is read; nil until the fetch.
  public var fetchedObjects: BatchedObjects<E>? {
    guard let loader = results?.loader else { return nil }
    return BatchedObjects(loader)
  }

  /// The position of an object; nil if it is not among the results.
  public func position(of object: ManagedObject<E>) -> FetchedResultsSnapshot.Position? {
    snapshot.firstIndex { $0.primaryKey == object.primaryKey }.map(snapshot.position(of:))
  }

  /// The sections, in order.
  public var sections: [FetchedResultsSnapshot.Section] { snapshot.sections }

  /// The titles of an index of the sections, each once.
  public var sectionIndexTitles: [String] {
    var seen: Set<String> = []
    return sections.compactMap { sectionIndexTitle($0.name) }.filter { seen.insert($0).inserted }
  }

  /// The first section that an index lists by a title.
  public func section(forSectionIndexTitle title: String) -> Int? {
    sections.firstIndex { sectionIndexTitle($0.name) == title }
  }
}

/// The reason why a fetched results controller cannot return its results.
public enum FetchedResultsError: Error, Hashable, CustomStringConvertible {
  /// The request has no order.
  case notSorted
  /// The objects of a section are not together.
  case sectionsOutOfOrder(String)

  /// One sentence: the fact, then the advice.
  public var description: String {
    switch self {
    case .notSorted:
      "the request of a fetched results controller has no sort descriptor; its order must be known"
    case .sectionsOutOfOrder(let name):
      "the objects of section '\(name)' do not come one after the other; sort first by the "
        + "attribute that names the sections"
    }
  }
}
