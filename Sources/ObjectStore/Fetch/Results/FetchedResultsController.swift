// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents

/// Keeps the objects of a fetch in sections, and tells how its context's changes change them.
///
///     let controller = try FetchedResultsController(
///       request, context: context, sectionNameKeyPath: "initial", cacheName: "records")
///     try controller.performFetch()
///     // SELECT 0, t0.Z_PK, t0.ZINITIAL FROM ZRECORD t0 ORDER BY t0.ZINITIAL, t0.ZVALUE
///     controller.onChange = { changes in list.apply(changes) }
///
/// Batched underneath: it holds ids, and loads `fetchBatchSize` objects as they are looked at. It
/// reacts to its context only, after each user event and save; what another context saves
/// has to be merged into that. Belongs to its context's thread.
public final class FetchedResultsController<E: Entity> {
  /// What is fetched.
  public let request: FetchRequest<E>
  /// Whose changes are followed.
  public let context: ManagedObjectContext
  /// The attribute that names an object's section, such as `initial`; nil for one section.
  public let sectionNameKeyPath: String?
  /// Names the file that keeps the sections; nil for none.
  public let cacheName: String?
  /// The objects there are now; empty until ``performFetch(file:line:)``.
  public private(set) var snapshot = FetchedResultsSnapshot()
  /// Called with each change, after ``snapshot`` has changed.
  public var onChange: ((FetchedResultsChanges) -> Void)?
  /// What a section is listed by in an index; the upper-case first letter of its name by default.
  public var sectionIndexTitle: (String) -> String? = { $0.first.map { $0.uppercased() } }
  /// Why the last change could not be followed; the snapshot is then as it was before it.
  public private(set) var changeError: (any Error)?

  private let entity: EntityDescription
  private let keyPath: [String]?
  private let terms: [SortTerm]
  private var loader: BatchLoader?
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
    guard !request.sortDescriptors.isEmpty else { throw FetchedResultsError.notSorted }
    self.request = request
    self.context = context
    self.sectionNameKeyPath = sectionNameKeyPath
    self.cacheName = cacheName
    entity = context.description(of: E.self)
    terms = request.sortDescriptors.map(\.term)
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
    let (loader, snapshot) = try fetch()
    var names: Set<String> = []
    for section in snapshot.sections where !names.insert(section.name).inserted {
      throw FetchedResultsError.sectionsOutOfOrder(section.name)
    }
    self.loader = loader
    self.snapshot = snapshot
    if observation == nil {
      observation = context.observeChanges { [weak self] changes in self?.follow(changes) }
    }
  }

  private func fetch() throws -> (BatchLoader, FetchedResultsSnapshot) {
    let pending = try context.operation(
      request, .objects, location.file, UInt(location.line)
    ).pendingOverlay()
    var (loader, snapshot) = try fetchSaved(isWindowed: pending == nil)
    if let pending {
      (loader, snapshot) = try put(
        pending, removing: [], over: loader, snapshot, isWindowed: true)
    }
    return (loader, snapshot)
  }

  private func fetchSaved(isWindowed: Bool) throws -> (BatchLoader, FetchedResultsSnapshot) {
    let cache = isWindowed ? sectionCache : nil
    if let cache, let saved = cache.sections(context) {
      let (loader, snapshot) = try fetchSnapshot(nil, isWindowed: isWindowed)
      if let snapshot = saved.applied(to: snapshot) { return (loader, snapshot) }
    }
    let data = try cache?.dataVersion(context)
    let (loader, snapshot) = try fetchSnapshot(keyPath, isWindowed: isWindowed)
    // If somebody wrote meanwhile, the cache would tell of a moment that never was.
    if let cache, let data, try cache.dataVersion(context) == data {
      cache.save(snapshot, data: data)
    }
    return (loader, snapshot)
  }

  private func fetchSnapshot(
    _ keyPath: [String]?, isWindowed: Bool
  ) throws -> (BatchLoader, FetchedResultsSnapshot) {
    var request = request
    if !isWindowed { (request.fetchLimit, request.fetchOffset) = (0, 0) }
    var operation = context.operation(
      request, .objects, location.file, UInt(location.line))
    return try operation.measure { operation in
      try operation.fetchSnapshot(
        for: BatchRequest(
          entity: entity, batchSize: max(request.fetchBatchSize, 0),
          returnsObjectsAsFaults: request.returnsObjectsAsFaults,
          prefetched: PrefetchTree(request.relationshipKeyPathsForPrefetching, of: entity),
          location: location),
        sectionKeyPath: keyPath)
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

  /// Removes the sections that controllers have kept beside a store, of one name or of all.
  public static func deleteCache(named name: String?, of container: PersistentContainer) {
    SectionCache.delete(name, of: container.store)
  }

  // MARK: - Following the context

  private func follow(_ changed: [AnyManagedObject]) {
    guard let loader else { return }
    let saved = savedKeys(loader)
    let changed = changed.filter {
      request.includesSubentities ? $0.entity.isKind(of: entity) : $0.entity === entity
    }
    let keys = Set(changed.map(\.primaryKey))
    guard !keys.isEmpty || !saved.isEmpty else { return }
    do {
      let old = snapshot
      let (newLoader, new) = try result(after: changed, saved)
      let difference = FetchedResultsDifference(
        from: old, to: new, touched: keys.union(saved.values), saved: saved
      ).changes()
      newLoader.keep(objectsOf: loader)
      self.loader = newLoader
      snapshot = new
      changeError = nil
      if !difference.isEmpty { onChange?(difference) }
    } catch {
      changeError = error
    }
  }

  /// The keys that unsaved objects of the result were given since, by those they had.
  private func savedKeys(_ loader: BatchLoader) -> [Int64: Int64] {
    loader.unsaved.compactMapValues { $0.primaryKey > 0 ? $0.primaryKey : nil }
  }

  private func result(
    after changed: [AnyManagedObject], _ saved: [Int64: Int64]
  ) throws -> (BatchLoader, FetchedResultsSnapshot) {
    // What lies beyond a limit is known to the database only.
    guard let loader, request.fetchLimit <= 0, request.fetchOffset <= 0,
      request.includesPendingChanges
    else { return try fetch() }
    let objects = changed + saved.keys.compactMap { loader.unsaved[$0] }
    let keys = Set(objects.map(\.primaryKey)).union(saved.keys)
    let pending = try PendingChanges(
      of: objects, in: context, entity: entity, predicate: request.predicate, terms: terms)
    return try put(pending, removing: keys, over: loader, snapshot, isWindowed: false)
  }

  /// Puts changed objects in their places, and gives the others the sections they had.
  private func put(
    _ pending: PendingChanges, removing keys: Set<Int64>, over old: BatchLoader,
    _ oldSnapshot: FetchedResultsSnapshot, isWindowed: Bool
  ) throws -> (BatchLoader, FetchedResultsSnapshot) {
    let new = try pending.apply(
      to: old, removing: keys, limit: isWindowed ? max(request.fetchLimit, 0) : 0,
      offset: isWindowed ? max(request.fetchOffset, 0) : 0)
    let changed = Dictionary(
      pending.changed.map { ($0.primaryKey, $0) }, uniquingKeysWith: { a, _ in a })
    var snapshot = FetchedResultsSnapshot()
    var oldIndex = 0
    for index in 0..<new.keys.count {
      let key = new.keys[index]
      if let object = changed[key] {
        snapshot.append(object.objectID, section: keyPath.map(object.sectionName) ?? "")
        continue
      }
      while oldSnapshot[oldIndex].primaryKey != key { oldIndex += 1 }
      snapshot.append(
        oldSnapshot[oldIndex], section: oldSnapshot.sectionName(of: oldIndex))
      oldIndex += 1
    }
    return (new, snapshot)
  }
}

extension FetchedResultsController {
  // MARK: - Looking

  /// The object at a place, loaded with its batch; nil if it was deleted since.
  ///
  /// - Throws: ``StoreError`` if its batch cannot be loaded.
  public func object(at position: FetchedResultsSnapshot.Position) throws -> ManagedObject<E>? {
    try object(at: snapshot.index(of: position))
  }

  /// The object at a place of the snapshot; nil if it was deleted since.
  ///
  /// - Throws: ``StoreError`` if its batch cannot be loaded.
  public func object(at index: Int) throws -> ManagedObject<E>? {
    precondition(snapshot.indices.contains(index), "place \(index) of \(snapshot.count) results")
    return try loader?.object(at: index).map { unsafeDowncast($0, to: ManagedObject<E>.self) }
  }

  /// All objects as a collection that loads those looked at; nil until the fetch.
  public var fetchedObjects: BatchedObjects<E>? { loader.map(BatchedObjects.init) }

  /// Where an object is; nil if it is not among the results.
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

/// Why a fetched results controller cannot give its results.
public enum FetchedResultsError: Error, Hashable, CustomStringConvertible {
  /// The request has no order.
  case notSorted
  /// The objects of a section are not together.
  case sectionsOutOfOrder(String)

  /// One sentence: the fact, then what to do.
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
