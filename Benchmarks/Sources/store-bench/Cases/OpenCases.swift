// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import CSQLite
import Foundation
import GRDB
import ObjectStore

/// Opening a store, and finding a statement prepared.
enum OpenCases {
  static func all(_ workspace: Workspace) throws -> [Comparison] {
    let fixture = try workspace.stops(GeoSearch.stops)
    return [try open(fixture), try statements(fixture)]
  }

  private static func open(_ fixture: StopFixture) throws -> Comparison {
    let url = fixture.url
    let repeats = 20
    return Comparison(
      title: "Open a store, count its stops, close it", units: (repeats, "opening"),
      contenders: [
        Contender(name: "C API") {
          try sum(repeats) {
            let database = try CDatabase(path: url.path)
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            let statement = try database.prepare("SELECT COUNT(*) FROM ZSTOP")
            defer { sqlite3_finalize(statement) }
            sqlite3_step(statement)
            return Int(sqlite3_column_int64(statement, 0))
          }
        },
        Contender(name: "ObjectStore", goal: .times(1.5, of: "GRDB, DatabaseQueue")) {
          try sum(repeats) {
            let container = try PersistentContainer(at: url, entities: Stop.self)
            defer { container.close() }
            return try container.newBackgroundContext().count(FetchRequest<Stop>())
          }
        },
        Contender(name: "GRDB, DatabaseQueue") {
          try sum(repeats) {
            let queue = try DatabaseQueue(path: url.path)
            return try queue.read { try GRDBStop.fetchCount($0) }
          }
        },
      ])
  }

  private static func sum(_ repeats: Int, _ body: () throws -> Int) rethrows -> Int {
    var sum = 0
    for _ in 0..<repeats { sum &+= try body() }
    return sum
  }

  /// Each limit makes another text; there are more of them than a connection keeps statements.
  private static func statements(_ fixture: StopFixture) throws -> Comparison {
    let repeats = 500
    let sql = { (limit: Int) in
      """
      SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZIDENTIFIER, t0.ZLATITUDE, t0.ZLONGITUDE, t0.ZNAME \
      FROM ZSTOP t0 WHERE  t0.ZLONGITUDE = ?  LIMIT \(limit)
      """
    }
    let database = fixture.database
    let prepared = try database.prepare(sql(1))
    let nowhere = try FetchPredicate("longitude == %@", 99.0)
    let container = fixture.container
    let fetch = { (context: ManagedObjectContext, limit: Int) in
      var request = FetchRequest<Stop>(predicate: nowhere)
      request.fetchLimit = limit
      return try context.fetch(request).count
    }
    return Comparison(
      title: "Fetch no rows: the statement is prepared already, or is not",
      units: (repeats, "fetch"),
      contenders: [
        Contender(name: "C API, prepared") {
          sum(repeats) { rows(prepared) }
        },
        Contender(name: "C API, prepared each time") {
          try (1...repeats).reduce(0) { sum, limit in
            let statement = try database.prepare(sql(limit))
            defer { sqlite3_finalize(statement) }
            return sum + rows(statement)
          }
        },
        Contender(name: "ObjectStore, statement cache hit", goal: .atMost(1.5)) {
          let context = container.newBackgroundContext()
          return try sum(repeats) { try fetch(context, 1) }
        },
        Contender(
          name: "ObjectStore, statement cache miss", reference: "C API, prepared each time"
        ) {
          let context = container.newBackgroundContext()
          return try (1...repeats).reduce(0) { try $0 + fetch(context, $1) }
        },
      ])
  }

  private static func rows(_ statement: OpaquePointer) -> Int {
    sqlite3_bind_double(statement, 1, 99)
    defer { sqlite3_reset(statement) }
    return sqlite3_step(statement) == SQLITE_ROW ? 1 : 0
  }
}
