// SPDX-License-Identifier: Apache-2.0

import Histogram
import StoreEvents
import TestSupport
import Testing

@testable import TraceAnalysis

struct LatencyTests {
  /// As HdrHistogram has them, of a few values and of many, all alike and far apart.
  @Test(arguments: [1, 2, 3, 19, 20, 21, 99, 100, 101, 5000])
  func hasThePercentilesOfTheHistogram(_ count: Int) {
    var generator = SeededGenerator(seed: UInt64(count))
    for spread in [1.0, 3, 1e3, 1e9] {
      var histogram = Histogram<UInt64>.durations()
      for _ in 0..<count {
        histogram.record(UInt64(Double.random(in: 1...(1 + spread), using: &generator)))
      }
      let latency = Latency(histogram)
      let percentiles = [50.0, 95, 99].map { Nanoseconds(histogram.valueAtPercentile($0)) }
      #expect([latency.p50, latency.p95, latency.p99] == percentiles)
      #expect(latency.max == Nanoseconds(histogram.maxRecorded))
      #expect(latency.buckets.reduce(0) { $0 + $1.count } == UInt64(count))
    }
  }
}
