// SPDX-License-Identifier: Apache-2.0

import Histogram
public import StoreEvents

/// How long the runs took, each within 1 % of what was measured.
public struct Latency: Hashable, Sendable {
  public var p50: Nanoseconds = 0
  public var p95: Nanoseconds = 0
  public var p99: Nanoseconds = 0
  public var max: Nanoseconds = 0

  public init() {}

  init(_ histogram: Histogram<UInt64>) {
    guard histogram.totalCount > 0 else { return }
    let longest = histogram.maxRecorded
    // A percentile is the upper end of its bucket, which may lie above anything measured.
    func percentile(_ percent: Double) -> Nanoseconds {
      Nanoseconds(clamping: min(histogram.valueAtPercentile(percent), longest))
    }
    p50 = percentile(50)
    p95 = percentile(95)
    p99 = percentile(99)
    max = Nanoseconds(clamping: longest)
  }
}

extension Histogram<UInt64> {
  /// A histogram of durations in a few kilobytes: two digits, and no more buckets than needed.
  static func durations() -> Self {
    var histogram = Self(numberOfSignificantValueDigits: .two)
    histogram.autoResize = true
    return histogram
  }

  /// Records a duration; one below zero, from a clock that jumped, counts as zero.
  mutating func record(duration: Nanoseconds) {
    // A year: longer is no measurement, and the buckets up to it stay few.
    record(UInt64(clamping: Swift.min(duration, 31_536_000_000_000_000)))
  }
}
