// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import ObjectStore

/// The paths that need a relationship.
extension HotPath {
  /// Nil for a path of stops.
  func timetableWork(_ count: Int, _ known: TimetableFixture?) throws -> Work? {
    switch self {
    case .prefetchMembers:
      let fixture = try known ?? Self.fixture(calls: count)
      return Work(fixture: fixture) { try Self.readCalls(fixture, prefetching: ["calls"]) }
    case .faultMembers:
      let fixture = try known ?? Self.fixture(calls: count)
      return Work(fixture: fixture) { try Self.readCalls(fixture, prefetching: []) }
    case .batches:
      let fixture = try known ?? Self.fixture(calls: count)
      return Work(fixture: fixture) { try Self.readBatches(fixture) }
    case .textSearch:
      let fixture = try known ?? TimetableFixture(platforms: 1_000)
      return Work(fixture: fixture) {
        for _ in 0..<count { try Self.search(fixture) }
      }
    default: return nil
    }
  }

  private static func fixture(calls: Int) throws -> TimetableFixture {
    try TimetableFixture(platforms: calls / TimetableFixture.callsPerPlatform)
  }

  /// The departures of all platforms, each platform's calls followed.
  private static func readCalls(_ fixture: TimetableFixture, prefetching: [String]) throws {
    let context = fixture.container.newBackgroundContext()
    var request = FetchRequest<Platform>()
    request.relationshipKeyPathsForPrefetching = prefetching
    var sum = 0
    for platform in try context.fetch(request) {
      for call in platform.calls { sum &+= Int(call.departureTime ?? 0) }
    }
    precondition(sum != 0, "no values were read")
  }

  private static func readBatches(_ fixture: TimetableFixture) throws {
    let context = fixture.container.newBackgroundContext()
    var request = FetchRequest<Call>()
    request.returnsObjectsAsFaults = false
    request.fetchBatchSize = 50
    var sum = 0
    for call in try context.fetchInBatches(request) { sum &+= Int(call.departureTime ?? 0) }
    precondition(sum != 0, "no values were read")
  }

  /// Some 30 platforms by the beginning of their name, as a program that shows them reads them.
  private static func search(_ fixture: TimetableFixture) throws {
    let context = fixture.container.newBackgroundContext()
    var request = FetchRequest<Platform>(
      predicate: try FetchPredicate("name BEGINSWITH %@", "u gorlitzer bahnhof 1"))
    request.fetchLimit = 30
    request.returnsObjectsAsFaults = false
    let platforms = try context.fetch(request)
    precondition(platforms.count == 30, "\(platforms.count) platforms were found")
  }
}
