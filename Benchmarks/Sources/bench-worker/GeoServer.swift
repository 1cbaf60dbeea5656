// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import Foundation
import ObjectStore

/// Runs geo fetches on demand, so that processes that are traced in different ways take turns.
enum GeoServer {
  /// Answers `COUNT` with `NANOSECONDS ROWS`, until there are no more questions.
  static func run(_ path: String, readsCounters: Bool) throws {
    let container = try PersistentContainer(at: URL(fileURLWithPath: path), entities: Stop.self)
    let search = try GeoSearch()
    while let line = readLine(), let count = Int(line) {
      let context = container.newBackgroundContext()
      var rows = 0
      let time = try ContinuousClock().measure {
        guard readsCounters else { return rows = try search.run(count, in: context) }
        for _ in 0..<count {
          rows &+= try search.fetch(in: context)
          // Read, and used, or it might be left out.
          if container.statistics.fetches == 0 { rows = 0 }
        }
      }
      print(Int(time / .nanoseconds(1)), rows)
      fflush(nil)
    }
  }
}
