// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import CMeasuring
import Foundation
import ObjectStore
import StoreEvents
import StoreInstruments

/// A path whose instructions and allocations are counted.
enum HotPath: String, CaseIterable {
  case fetchFilled, fetchFaults, cachedFault, cacheMiss, insertAndSave, geoFetch, tracingOff
  case emptyFetch, textSearch, updateAndSave, saveOne, openStore
  case prefetchMembers, faultMembers, batches, longFetch

  /// Runs the path so many times, and returns the allocations that took.
  ///
  /// All that comes before is done once beforehand: statements are prepared, caches are warm.
  func measure(_ count: Int) throws -> UInt64 {
    let work = try work(count)
    try work.run()
    guard Tracepoints().interests.isEmpty else { throw Recorded() }
    let again = try self.work(count, work.fixture)
    return try Self.measure(again.run)
  }

  private struct Recorded: Error, CustomStringConvertible {
    let description =
      "an LTTng session records this process, which would be counted; end it (lttng list)"
  }

  struct Work {
    /// A ``StopFixture`` or a ``TimetableFixture``.
    let fixture: AnyObject
    /// Objects do not keep their context, nor a context its container.
    var keeping: [AnyObject] = []
    let run: () throws -> Void
  }

  private func work(_ count: Int, _ known: AnyObject? = nil) throws -> Work {
    if let work = try timetableWork(count, known as? TimetableFixture) { return work }
    let fixture = try known as? StopFixture ?? StopFixture(count: rows(count))
    let container = fixture.container
    let context = container.newBackgroundContext()
    switch self {
    case .fetchFilled:
      return Work(fixture: fixture) { Self.read(try Self.fetch(context, asFaults: false)) }
    case .fetchFaults, .longFetch:
      return Work(fixture: fixture) { _ = try Self.fetch(context, asFaults: true) }
    case .cachedFault:
      let stops = try Self.fetch(context, asFaults: true)
      return Work(fixture: fixture, keeping: [context]) { Self.read(stops) }
    case .cacheMiss:
      var options = StoreOptions()
      options.rowCacheSize = 0
      let container = try PersistentContainer(
        at: fixture.url, entities: Stop.self, options: options)
      let context = container.newBackgroundContext()
      let stops = Self.mixed(try Self.fetch(context, asFaults: true))
      return Work(fixture: fixture, keeping: [container, context]) { Self.read(stops) }
    case .insertAndSave:
      return Work(fixture: fixture) { try Self.insert(0..<count, context) }
    case .geoFetch:
      let search = try GeoSearch()
      return Work(fixture: fixture) { _ = try search.run(count, in: context) }
    case .emptyFetch:
      let nowhere = try FetchPredicate("longitude == %@", 99.0)
      return Work(fixture: fixture) {
        for _ in 0..<count {
          var request = FetchRequest<Stop>(predicate: nowhere)
          request.fetchLimit = 1
          let stops = try context.fetch(request)
          precondition(stops.isEmpty, "a stop was found")
        }
      }
    case .updateAndSave:
      let stops = try Self.fetch(context, asFaults: false)
      return Work(fixture: fixture) {
        for stop in stops { stop.name = stop.name == "Anhalter" ? "Potsdamer" : "Anhalter" }
        try context.save()
      }
    case .saveOne:
      return Work(fixture: fixture) {
        for index in 0..<count { try Self.insert(index..<index + 1, context) }
      }
    case .openStore:
      return Work(fixture: fixture) {
        for _ in 0..<count {
          let container = try PersistentContainer(at: fixture.url, entities: Stop.self)
          defer { container.close() }
          _ = try container.newBackgroundContext().count(FetchRequest<Stop>())
        }
      }
    case .textSearch, .prefetchMembers, .faultMembers, .batches:
      preconditionFailure("\(rawValue) has a fixture of its own")
    case .tracingOff:
      let instruments = Instruments(observers: [Tracepoints()])
      return Work(fixture: fixture) { Self.emit(count, instruments) }
    }
  }

  /// Of the table, to begin with.
  private func rows(_ count: Int) -> Int {
    switch self {
    case .fetchFilled, .fetchFaults, .longFetch, .cachedFault, .cacheMiss, .updateAndSave: count
    case .geoFetch, .emptyFetch, .openStore: GeoSearch.stops
    default: 0
    }
  }

  private static func fetch(
    _ context: ManagedObjectContext, asFaults: Bool
  ) throws -> [ManagedObject<Stop>] {
    var request = FetchRequest<Stop>()
    request.returnsObjectsAsFaults = asFaults
    return try context.fetch(request)
  }

  /// In an order in which no row lies beside the one before.
  private static func mixed(_ stops: [ManagedObject<Stop>]) -> [ManagedObject<Stop>] {
    stops.indices.map { stops[$0 * 7_919 % stops.count] }
  }

  private static func insert(
    _ indices: Range<Int>, _ context: ManagedObjectContext
  ) throws {
    for index in indices {
      let stop = context.insert(Stop.self)
      stop.identifier = Int64(index * 7)
      stop.latitude = 52.3 + Double(index * 7_919 % 100_000) / 250_000
      stop.longitude = 13.1 + Double(index * 104_729 % 100_000) / 166_666
      stop.name = "U Görlitzer Bahnhof (Berlin)"
    }
    try context.save()
  }

  private static func emit(_ count: Int, _ instruments: Instruments) {
    for id in 0..<count {
      instruments.emit(
        .fetchBegin(
          FetchBegin(
            fetchID: UInt64(id), parentID: 0, entity: "Stop",
            location: SourceLocation(file: "bench-worker/HotPath.swift", line: 1))), contextID: 1)
    }
  }

  private static func read(_ stops: [ManagedObject<Stop>]) {
    let sum = stops.reduce(0) {
      $0 &+ Int($1.identifier) &+ Int($1.latitude) &+ Int($1.longitude) &+ $1.name.utf8.count
    }
    precondition(stops.isEmpty || sum != 0, "no values were read")
  }

  // MARK: - Counting

  private final class Body {
    let run: () throws -> Void
    var failure: (any Error)?

    init(_ run: @escaping () throws -> Void) { self.run = run }
  }

  private static func measure(_ run: @escaping () throws -> Void) throws -> UInt64 {
    let body = Body(run)
    let before = CMeasuring_allocations()
    CMeasuring_run(
      { context in
        guard let context else { return }
        let body = Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
        do { try body.run() } catch { body.failure = error }
      }, Unmanaged.passUnretained(body).toOpaque())
    let allocations = CMeasuring_allocations() - before
    if let failure = body.failure { throw failure }
    return allocations
  }
}
