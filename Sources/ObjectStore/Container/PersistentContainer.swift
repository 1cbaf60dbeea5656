// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import StoreInstruments

/// A store and its contexts; safe to share between threads.
///
///     let container = try PersistentContainer(at: url, entities: Stop.self, StopTime.self)
///     let stops = try container.viewContext.fetch(FetchRequest<Stop>())
public final class PersistentContainer: @unchecked Sendable {
  /// The entities and how they refer to each other.
  public let model: ManagedObjectModel
  /// The context of the main queue, for the user interface.
  ///
  /// On the main actor, so that the compiler refuses to use it elsewhere. Objects cannot leave it; work
  /// of other tasks has ``newBackgroundContext(name:)`` and ``performBackgroundTask(_:)``.
  @MainActor public var viewContext: ManagedObjectContext { mainContext }
  /// The same, for code that has exclusive use of its container, such as tests.
  package let mainContext: ManagedObjectContext
  let store: PersistentStore
  let contexts: ContextGroup

  /// Opens a store, or creates it if the file does not exist.
  ///
  /// - Parameters:
  ///   - url: where the file is.
  ///   - entities: the model; other contents of the file are kept.
  ///   - options: how to open it.
  ///   - instruments: the log and the trace to write; if nil, the environment configures them.
  /// - Throws: ``ModelError`` if the entities do not make a model, ``StoreError`` if the file cannot
  ///   be opened or does not fit the model.
  public init(
    at url: URL, entities: [any Entity.Type], options: StoreOptions = StoreOptions(),
    instruments: Instruments? = nil
  ) throws {
    model = try ManagedObjectModel(entities: entities)
    store = try PersistentStore(
      path: try Self.path(of: url), model: model, options: options,
      instruments: instruments ?? .fromEnvironment())
    contexts = ContextGroup(store)
    mainContext = contexts.makeContext(.mainQueue)
  }

  /// Creates a store in memory, for tests and previews; it is released with the container.
  ///
  ///     let container = try PersistentContainer(inMemory: Stop.self, StopTime.self)
  ///
  /// The SQL is that of a store in a file, but a reader and a writer wait for each other, because
  /// there is no write-ahead log. Large data is stored in rows. SQLite limits it to 1 GiB.
  ///
  /// - Throws: ``ModelError`` if the entities do not make a model.
  public convenience init(
    inMemory entities: any Entity.Type..., options: StoreOptions = StoreOptions(),
    instruments: Instruments? = nil
  ) throws {
    try self.init(
      inMemory: ManagedObjectModel(entities: entities), options: options, instruments: instruments)
  }

  /// Makes a store in memory with a model that was made at run time.
  ///
  /// - Throws: ``ModelError``.
  public init(
    inMemory model: ManagedObjectModel, options: StoreOptions = StoreOptions(),
    instruments: Instruments? = nil
  ) throws {
    self.model = try model.copy()
    var options = options
    options.vfs = StoreOptions.memoryVFS
    options.externalDataThreshold = .max
    store = try PersistentStore(
      path: "/memory-\(UUID().uuidString)", model: self.model, options: options,
      instruments: instruments ?? .fromEnvironment())
    contexts = ContextGroup(store)
    mainContext = contexts.makeContext(.mainQueue)
  }

  /// Opens a store with a model that was made at run time, such as one of a model file.
  ///
  ///     let model = try ManagedObjectModel(contentsOf: folder.appending(path: "Transit.xcdatamodeld"))
  ///     let container = try PersistentContainer(at: url, model: model)
  ///     let stop = try container.viewContext.insert(entityNamed: "Stop")
  ///     try stop.setValue(.string("Am Treptower Park"), forKey: "name")
  ///
  /// - Throws: ``StoreError`` if the file cannot be opened or does not fit the model.
  public init(
    at url: URL, model: ManagedObjectModel, options: StoreOptions = StoreOptions(),
    instruments: Instruments? = nil
  ) throws {
    self.model = try model.copy()
    store = try PersistentStore(
      path: try Self.path(of: url), model: self.model, options: options,
      instruments: instruments ?? .fromEnvironment())
    contexts = ContextGroup(store)
    mainContext = contexts.makeContext(.mainQueue)
  }

  /// Opens a store, or creates it if the file does not exist.
  ///
  /// - Throws: ``ModelError`` if the entities do not make a model, ``StoreError`` if the file cannot
  ///   be opened or does not fit the model.
  public convenience init(
    at url: URL, entities: any Entity.Type..., options: StoreOptions = StoreOptions(),
    instruments: Instruments? = nil
  ) throws {
    try self.init(at: url, entities: entities, options: options, instruments: instruments)
  }

  /// - Throws: ``StoreError/cannotOpen(path:reason:)`` for a URL that names no file.
  static func path(of url: URL) throws -> String {
    let host = url.host() ?? ""
    guard url.isFileURL, !url.path.isEmpty, host.isEmpty || host == "localhost",
      url.lastPathComponent != ":memory:"
    else {
      throw StoreError.cannotOpen(
        path: url.absoluteString,
        reason: "it is not the URL of a file; make one with URL(filePath:)")
    }
    return url.path
  }

  deinit { close() }

  /// A context with its own queue; the name is shown in reports.
  public func newBackgroundContext(name: String = "") -> ManagedObjectContext {
    contexts.makeContext(.privateQueue, name: name)
  }

  /// Runs work on a new context, on that context's queue, and returns its result.
  public func performBackgroundTask<Result: Sendable, Failure: Error>(
    _ work: @escaping @Sendable (ManagedObjectContext) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let context = newBackgroundContext()
    return try await context.perform { () throws(Failure) in try work(context) }
  }

  /// The changes that each context's save writes, from now on.
  public var didSave: AsyncStream<ContextChanges> { contexts.saveObservers.notices.stream() }

  /// The work of the store since it was opened, and the contents of its row cache.
  public var statistics: Statistics {
    var statistics = store.instruments.counters.statistics
    store.cache.fill(&statistics)
    return statistics
  }
  /// The changes that opening made to a file of another model, in sentences such as
  /// `added ZSTOP.ZNOTE`; empty if it fitted.
  public var migrationSteps: [String] { store.migrationSteps }
  /// For StoreExpectations, which watches for a while.
  package var instruments: Instruments { store.instruments }
  /// The URL of the file.
  public var path: String { store.path }
  /// The store's UUID, as in its objects' URIs.
  public var storeUUID: String { store.uuid }

  /// Closes the file; contexts can no longer fetch or save.
  public func close() { store.close() }
}
