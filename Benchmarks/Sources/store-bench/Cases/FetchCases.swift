// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import CSQLite
import Foundation
import GRDB
import ObjectStore

enum FetchCases {
  private static let columns =
    "0, t0.Z_PK, t0.Z_OPT, t0.ZIDENTIFIER, t0.ZLATITUDE, t0.ZLONGITUDE, t0.ZNAME"

  /// All objects of a table, every value read.
  static func filled(_ fixture: StopFixture, rows: Int) throws -> Comparison {
    let statement = try fixture.database.prepare("SELECT \(columns) FROM ZSTOP t0")
    let queue = try DatabaseQueue(path: fixture.url.path)
    let container = fixture.container
    return Comparison(
      title: "Fetch \(Cell.count(Double(rows))) objects, every value read", units: (rows, "object"),
      contenders: [
        Contender(name: "C API loop") {
          var stops: [CStop] = []
          while sqlite3_step(statement) == SQLITE_ROW { stops.append(CStop(statement)) }
          sqlite3_reset(statement)
          return checksum(stops, \.identifier, \.latitude, \.longitude, \.name)
        },
        Contender(
          name: "ObjectStore",
          goal: .both(.atMost(1.15), .fasterThan("GRDB records", times: 2.2))
        ) {
          let context = container.newBackgroundContext()
          var request = FetchRequest<Stop>()
          request.returnsObjectsAsFaults = false
          let stops = try context.fetch(request)
          return stops.reduce(0) {
            $0 &+ Int($1.identifier) &+ Int($1.latitude) &+ Int($1.longitude) &+ $1.name.utf8.count
          }
        },
        Contender(name: "GRDB records") {
          let stops = try queue.read { try GRDBStop.fetchAll($0) }
          return checksum(stops, \.identifier, \.latitude, \.longitude, \.name)
        },
        Contender(name: "GRDB Codable") {
          let stops = try queue.read { try GRDBCodableStop.fetchAll($0) }
          return checksum(stops, \.ZIDENTIFIER, \.ZLATITUDE, \.ZLONGITUDE, \.ZNAME)
        },
      ])
  }

  /// The same as faults; the C loop still reads every value.
  static func faults(_ fixture: StopFixture, rows: Int) throws -> Comparison {
    let statement = try fixture.database.prepare("SELECT \(columns) FROM ZSTOP t0")
    let container = fixture.container
    return Comparison(
      title: "Fetch \(Cell.count(Double(rows))) objects as faults", units: (rows, "object"),
      contenders: [
        Contender(name: "C API loop") {
          var stops: [CStop] = []
          while sqlite3_step(statement) == SQLITE_ROW { stops.append(CStop(statement)) }
          sqlite3_reset(statement)
          return stops.count
        },
        Contender(name: "ObjectStore", goal: .atMost(0.8)) {
          try container.newBackgroundContext().fetch(FetchRequest<Stop>()).count
        },
      ])
  }

  /// A bounding box of some tens of metres, many times over.
  static func geo(_ fixture: StopFixture, repeats: Int) throws -> Comparison {
    let statement = try fixture.database.prepare(
      """
      SELECT \(columns) FROM ZSTOP t0 WHERE (? <=  t0.ZLONGITUDE AND  t0.ZLONGITUDE <= ? AND \
      ? <=  t0.ZLATITUDE AND  t0.ZLATITUDE <= ?)  LIMIT 200
      """)
    let (west, east, south, north) = (13.41, 13.43, 52.49, 52.51)
    let container = fixture.container
    let box = try FetchPredicate(
      "%@ <= longitude AND longitude <= %@ AND %@ <= latitude AND latitude <= %@", west, east,
      south, north)
    return Comparison(
      title: "Geo fetch by a bounding box", units: (repeats, "fetch"),
      contenders: [
        Contender(name: "C API loop") {
          var sum = 0
          for _ in 0..<repeats {
            for (index, bound) in [west, east, south, north].enumerated() {
              sqlite3_bind_double(statement, Int32(index + 1), bound)
            }
            var stops: [CStop] = []
            while sqlite3_step(statement) == SQLITE_ROW { stops.append(CStop(statement)) }
            sqlite3_reset(statement)
            sum &+= stops.count
          }
          return sum
        },
        Contender(name: "ObjectStore", goal: .atMost(1.15)) {
          let context = container.newBackgroundContext()
          var sum = 0
          for _ in 0..<repeats {
            var request = FetchRequest<Stop>(predicate: box)
            request.fetchLimit = 200
            request.returnsObjectsAsFaults = false
            sum &+= try context.fetch(request).count
          }
          return sum
        },
      ])
  }

  @inline(__always)
  private static func checksum<Element>(
    _ stops: [Element], _ identifier: KeyPath<Element, Int64>,
    _ latitude: KeyPath<Element, Double>, _ longitude: KeyPath<Element, Double>,
    _ name: KeyPath<Element, String>
  ) -> Int {
    stops.reduce(0) {
      $0 &+ Int($1[keyPath: identifier]) &+ Int($1[keyPath: latitude])
        &+ Int($1[keyPath: longitude]) &+ $1[keyPath: name].utf8.count
    }
  }
}
