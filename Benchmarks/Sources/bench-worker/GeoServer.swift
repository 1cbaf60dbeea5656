// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import Foundation
import ObjectStore
import StoreInstruments

/// Runs geo fetches on demand, for processes that are traced in different ways.
enum GeoServer {
  /// Answers `COUNT` with `NANOSECONDS ROWS RECORDED`, until there are no more questions; the last
  /// is 1 while an LTTng session records this process, be it whose it may.
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
      print(Int(time / .nanoseconds(1)), rows, Tracepoints().interests.isEmpty ? 0 : 1)
      fflush(nil)
    }
  }
}
