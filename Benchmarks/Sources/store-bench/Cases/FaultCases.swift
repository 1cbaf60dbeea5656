// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import CSQLite
import ObjectStore

/// What it costs to fire a fault, without the fetch that made it.
enum FaultCases {
  private static let query =
    "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZIDENTIFIER, t0.ZLATITUDE, t0.ZLONGITUDE, t0.ZNAME "
    + "FROM ZSTOP t0 WHERE  t0.Z_PK = ?"

  /// Faults whose rows are in the row cache, in the order of the fetch and in any order.
  static func cached(_ fixture: StopFixture, rows: Int) -> Comparison {
    Comparison(
      title: "Fire \(Cell.count(Double(rows))) faults whose rows are cached",
      units: (rows, "fault"),
      contenders: [
        contender("filled objects", .filled(fixture.container)),
        contender("ObjectStore", .faults(fixture.container), goal: .atMost(2)),
        contender("ObjectStore, shuffled", .faults(fixture.container, isShuffled: true)),
      ])
  }

  /// Faults whose rows are not, beside a point query for each.
  static func missed(_ fixture: StopFixture, rows: Int) throws -> Comparison {
    var options = StoreOptions()
    // Room for a few hundred rows, so that hardly any is there by chance.
    options.rowCacheSize = 1 << 16
    let container = try PersistentContainer(at: fixture.url, entities: Stop.self, options: options)
    let statement = try fixture.database.prepare(query)
    let keys = (1...Int64(rows)).shuffled()
    return Comparison(
      title: "Fire \(Cell.count(Double(rows))) faults whose rows are not cached",
      units: (rows, "fault"),
      contenders: [
        Contender(name: "C API point query") {
          var sum = 0
          for key in keys {
            sqlite3_bind_int64(statement, 1, key)
            if sqlite3_step(statement) == SQLITE_ROW { sum &+= Int(CStop(statement).identifier) }
            sqlite3_reset(statement)
          }
          return sum
        },
        contender("ObjectStore", .faults(container, isShuffled: true), goal: .atMost(1.15)),
      ])
  }

  /// Reads one value of each object, which fires it if it is a fault.
  private static func contender(
    _ name: String, _ objects: PreparedObjects, goal: Goal? = nil
  ) -> Contender {
    Contender(name: name, goal: goal, prepare: objects.prepare) {
      objects.stops.reduce(0) { $0 &+ Int($1.identifier) }
    }
  }
}

/// Objects that were fetched before the clock runs, and end after it has stopped.
private final class PreparedObjects {
  private(set) var stops: [ManagedObject<Stop>] = []
  private let container: PersistentContainer
  private let isFilled: Bool
  private let isShuffled: Bool
  private var context: ManagedObjectContext?

  private init(_ container: PersistentContainer, isFilled: Bool, isShuffled: Bool) {
    self.container = container
    self.isFilled = isFilled
    self.isShuffled = isShuffled
  }

  static func filled(_ container: PersistentContainer) -> PreparedObjects {
    PreparedObjects(container, isFilled: true, isShuffled: false)
  }

  static func faults(
    _ container: PersistentContainer, isShuffled: Bool = false
  ) -> PreparedObjects {
    PreparedObjects(container, isFilled: false, isShuffled: isShuffled)
  }

  func prepare() throws {
    let context = container.newBackgroundContext()
    var request = FetchRequest<Stop>()
    request.returnsObjectsAsFaults = !isFilled
    stops = try context.fetch(request)
    if isShuffled { stops.shuffle() }
    self.context = context
  }
}
