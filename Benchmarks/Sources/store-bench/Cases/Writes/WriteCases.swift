// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import CSQLite
import Foundation
import GRDB
import ObjectStore

/// Updates, deletes, and saves of one object; every peer has a file of its own.
enum WriteCases {
  static func all(_ workspace: Workspace) throws -> [Comparison] {
    let count = workspace.scale.rows / 10
    return [
      try insert(count: workspace.scale.rows / 2, workspace), try update(count, workspace),
      try delete(count, workspace), try saveOne(50, workspace),
    ]
  }

  /// Peers open as the store does: write-ahead log, synchronous NORMAL.
  static func peer(_ count: Int, _ workspace: Workspace) throws -> StopFixture {
    let fixture = try workspace.stops(count)
    try fixture.database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    return fixture
  }

  static func queue(_ fixture: StopFixture) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase {
      try $0.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    }
    return try DatabaseQueue(path: fixture.url.path, configuration: configuration)
  }

  static let insertion = """
    INSERT INTO ZSTOP(Z_PK, Z_ENT, Z_OPT, ZIDENTIFIER, ZLATITUDE, ZLONGITUDE, ZNAME) \
    VALUES(?, 1, 1, ?, ?, ?, ?)
    """

  static func insert(_ index: Int, _ name: String, _ statement: OpaquePointer) -> Int32 {
    sqlite3_bind_int64(statement, 1, Int64(index + 1))
    sqlite3_bind_int64(statement, 2, Int64(index * 7))
    sqlite3_bind_double(statement, 3, latitude(index))
    sqlite3_bind_double(statement, 4, longitude(index))
    return name.withCString { name in
      sqlite3_bind_text(statement, 5, name, -1, nil)
      defer { sqlite3_reset(statement) }
      return sqlite3_step(statement)
    }
  }

  static func latitude(_ index: Int) -> Double {
    52.3 + Double(index * 7_919 % 100_000) / 250_000
  }
  static func longitude(_ index: Int) -> Double {
    13.1 + Double(index * 104_729 % 100_000) / 166_666
  }

  static func check(_ code: Int32) throws {
    guard code == SQLITE_DONE else { throw BenchmarkError.sqlite("a statement returned \(code)") }
  }
}

/// A value that outlives the closure that made it.
final class Kept<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// All stops of a store, filled, in a context of their own.
final class FetchedObjects {
  private(set) var stops: [ManagedObject<Stop>] = []
  private(set) var context: ManagedObjectContext?
  private let container: PersistentContainer

  init(_ container: PersistentContainer) { self.container = container }

  func fetch() throws {
    stops = []
    let context = container.newBackgroundContext()
    var request = FetchRequest<Stop>()
    request.returnsObjectsAsFaults = false
    stops = try context.fetch(request)
    self.context = context
  }
}
