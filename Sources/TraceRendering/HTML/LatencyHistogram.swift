// SPDX-License-Identifier: Apache-2.0

import Dashboards
import StoreEvents
import TraceAnalysis

/// The number of runs per duration, in steps of 1, 2 and 5 times powers of ten.
///
///     up to 200 µs  ▇▇▇▇▇▇▇▇▇▇▇▇  180
///     up to 500 µs  ▇              12
struct LatencyHistogram {
  private(set) var bars: [(upTo: Nanoseconds, count: UInt64)] = []

  init(_ latency: Latency) {
    var counts: [Nanoseconds: UInt64] = [:]
    for bucket in latency.buckets {
      // A bucket's end may be above every measured time.
      counts[Self.bound(of: min(bucket.duration, latency.max)), default: 0] &+= bucket.count
    }
    guard let first = counts.keys.min(), let last = counts.keys.max() else { return }
    bars = Self.bounds.filter { (first...last).contains($0) }.map { ($0, counts[$0] ?? 0) }
  }

  /// The bars, the longest one filling its row.
  var meters: [Dashboards.Meter] {
    let most = Double(bars.map(\.count).max() ?? 1)
    return bars.map { bar in
      Dashboards.Meter(
        Cell.duration(bar.upTo).text, bar.count.grouped,
        width: bar.count == 0 ? 0 : max(Double(bar.count) / most * 100, 0.5).oneDigit)
    }
  }

  /// 100 ns to 5,000 s, and all that is longer.
  private static let bounds: [Nanoseconds] = {
    var bounds: [Nanoseconds] = []
    var decade: Nanoseconds = 100
    while decade <= 1_000_000_000_000 {
      bounds += [decade, decade * 2, decade * 5]
      decade *= 10
    }
    return bounds + [.max]
  }()

  private static func bound(of duration: Nanoseconds) -> Nanoseconds {
    bounds.first { $0 >= duration } ?? .max
  }
}

extension Double {
  /// Rounded to a tenth, as much as a drawing shows.
  var oneDigit: Double { (self * 10).rounded() / 10 }
}
