// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import BenchHarness
import Foundation
import StoreEvents
import StoreInstruments

/// What it costs that a store can be watched, and what it costs to watch.
enum TracingCases {
  /// In this process, in a tight loop.
  static func tracepoints(_ workspace: Workspace) throws -> [Comparison] {
    guard Tracepoints().interests.isEmpty else {
      throw BenchmarkError.recorded("store-bench", true)
    }
    let count = 1_000_000
    let instruments = Instruments(observers: [Tracepoints()])
    return [
      Comparison(
        title: "A tracepoint that is off, in a tight loop", units: (count, "event"), rounds: 31,
        contenders: [
          Contender(name: "a counter, which always counts") {
            for _ in 0..<count { instruments.counters.countFetch() }
            return 0
          },
          Contender(name: "a tracepoint, off", goal: .atMost(1.4)) {
            for id in 0..<count { emit(UInt64(id), instruments) }
            return 0
          },
        ])
    ]
  }

  private static func emit(_ id: UInt64, _ instruments: Instruments) {
    instruments.emit(
      .fetchBegin(
        FetchBegin(
          fetchID: id, parentID: 0, entity: "Stop",
          location: SourceLocation(file: "store-bench/TracingCases.swift", line: 1))), contextID: 1)
  }
}
