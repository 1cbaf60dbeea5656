// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import CSQLite
import Foundation
import GRDB
import ObjectStore

/// The same number of geo fetches by one reader, or shared out among several at once.
enum ReaderCases {
  private static let sql = """
    SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZIDENTIFIER, t0.ZLATITUDE, t0.ZLONGITUDE, t0.ZNAME \
    FROM ZSTOP t0 WHERE 13.41 <= t0.ZLONGITUDE AND t0.ZLONGITUDE <= 13.43 \
    AND 52.49 <= t0.ZLATITUDE AND t0.ZLATITUDE <= 52.504  LIMIT 200
    """

  static func all(_ workspace: Workspace) throws -> [Comparison] {
    let fixture = try workspace.stops(GeoSearch.stops)
    let pool = try DatabasePool(path: fixture.url.path)
    let search = try GeoSearch()
    let total = 1_200
    let contenders = try [1, 2, 4].flatMap { readers -> [Contender] in
      let connections = try (0..<readers).map { _ in
        let database = try CDatabase(path: fixture.url.path)
        return Connection(database: database, statement: try database.prepare(sql))
      }
      let share = total / readers
      let words = readers == 1 ? "1 reader" : "\(readers) readers"
      let reference = "C API, \(words), a connection each"
      return [
        Contender(name: reference) {
          try inParallel(readers) { reader in connections[reader].rows(share) }
        },
        Contender(name: "ObjectStore, \(words)", reference: reference) {
          try inParallel(readers) { _ in
            try search.run(share, in: fixture.container.newBackgroundContext())
          }
        },
        Contender(name: "GRDB records, \(words) of a DatabasePool", reference: reference) {
          try inParallel(readers) { _ in
            try (0..<share).reduce(0) { sum, _ in
              try sum + pool.read { try GRDBStop.fetchAll($0, sql: sql).count }
            }
          }
        },
      ]
    }
    return [
      Comparison(
        title: "\(Cell.count(Double(total))) geo fetches, shared out among readers",
        units: (total, "fetch"), contenders: contenders)
    ]
  }

  private struct Connection: @unchecked Sendable {
    let database: CDatabase
    let statement: OpaquePointer

    func rows(_ repeats: Int) -> Int {
      (0..<repeats).reduce(0) { sum, _ in
        var stops: [CStop] = []
        while sqlite3_step(statement) == SQLITE_ROW { stops.append(CStop(statement)) }
        sqlite3_reset(statement)
        return sum &+ stops.count
      }
    }
  }

  /// Runs a body on so many threads at once, and adds up their results.
  private static func inParallel(
    _ count: Int, _ body: (Int) throws -> Int
  ) throws -> Int {
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var results = [Result<Int, any Error>?](repeating: nil, count: count)
    let lock = NSLock()
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let result = Result { try body(index) }
      lock.withLock { results[index] = result }
    }
    return try results.reduce(0) { try $0 + ($1?.get() ?? 0) }
  }
}
