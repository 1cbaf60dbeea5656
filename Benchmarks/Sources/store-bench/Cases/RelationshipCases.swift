// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import CSQLite
import GRDB
import ObjectStore
import TransitModel

/// From stops to their stop times.
enum RelationshipCases {
  private static let columns = CStopTime.columns
  private static let faulting = "ObjectStore, a fault a stop"

  static func traversal(_ workspace: Workspace) throws -> [Comparison] {
    let path = try workspace.transitStore()
    let stops = 200
    let store = try StopStore(path: path, version: .after)
    let database = try CDatabase(path: path)
    let queue = try DatabaseQueue(path: path)
    let keys = try database.prepare("SELECT Z_PK FROM ZSTOP ORDER BY Z_PK LIMIT \(stops)")
    let members = try database.prepare(
      "SELECT \(columns) FROM ZSTOPTIME WHERE ZSTOP = ? ORDER BY Z_FOK_STOP")
    return [
      Comparison(
        title: "Follow a to-many relationship from \(stops) stops, every departure read",
        units: (stops, "stop"),
        contenders: [
          Contender(name: "C API, a query a stop") {
            var sum = 0
            while sqlite3_step(keys) == SQLITE_ROW {
              sqlite3_bind_int64(members, 1, sqlite3_column_int64(keys, 0))
              for time in CStopTime.all(members) { sum &+= Int(time.departureTime ?? 0) }
            }
            sqlite3_reset(keys)
            withExtendedLifetime(database) {}
            return sum
          },
          ours(faulting, store, stops, prefetching: []),
          ours(
            "ObjectStore, prefetched", goal: .both(.atMost(1.3), .noSlowerThan(faulting)), store,
            stops, prefetching: ["stopTimes"]),
          Contender(name: "GRDB records, a request a stop") {
            try queue.read { database in
              let keys = try Int64.fetchAll(
                database, sql: "SELECT Z_PK FROM ZSTOP ORDER BY Z_PK LIMIT \(stops)")
              return try keys.reduce(0) { sum, key in
                let times =
                  try GRDBStopTime
                  .filter(Column("ZSTOP") == key).order(Column("Z_FOK_STOP")).fetchAll(database)
                return times.reduce(sum) { $0 &+ Int($1.departureTime ?? 0) }
              }
            }
          },
        ])
    ]
  }

  private static func ours(
    _ name: String, goal: Goal? = nil, _ store: StopStore, _ stops: Int, prefetching: [String]
  ) -> Contender {
    Contender(name: name, goal: goal) {
      let context = store.container.newBackgroundContext()
      var request = FetchRequest<TransitModel.Stop>()
      request.fetchLimit = stops
      request.relationshipKeyPathsForPrefetching = prefetching
      var sum = 0
      for stop in try context.fetch(request) {
        for time in stop.stopTimes { sum &+= Int(time.departureTime ?? 0) }
      }
      return sum
    }
  }
}

/// A stop time as a GRDB record.
private struct GRDBStopTime: FetchableRecord, TableRecord {
  static let databaseTableName = "ZSTOPTIME"
  let primaryKey: Int64
  let arrivalTime: Int64?
  let departureTime: Int64?
  let pickupType: Int16
  let dropOffType: Int16

  init(row: Row) {
    primaryKey = row["Z_PK"]
    arrivalTime = row["ZARRIVALTIME"]
    departureTime = row["ZDEPARTURETIME"]
    pickupType = row["ZPICKUPTYPE"]
    dropOffType = row["ZDROPOFFTYPE"]
  }
}
