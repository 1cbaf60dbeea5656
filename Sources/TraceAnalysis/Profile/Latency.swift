// SPDX-License-Identifier: Apache-2.0

import Histogram
public import StoreEvents

/// The durations of runs, each within 1 % of its measurement.
public struct Latency: Hashable, Sendable, Codable {
  /// The median.
  public var p50: Nanoseconds = 0
  /// The 95th percentile.
  public var p95: Nanoseconds = 0
  /// The 99th percentile.
  public var p99: Nanoseconds = 0
  /// The maximum.
  public var max: Nanoseconds = 0
  /// The distribution of the times of runs, shortest first.
  public var buckets: [Bucket] = []

  /// Runs of the same length, within 1 %.
  public struct Bucket: Hashable, Sendable {
    /// The longest duration that falls into it.
    public var duration: Nanoseconds
    /// The number of runs in the bucket.
    public var count: UInt64

    /// Makes a bucket.
    public init(duration: Nanoseconds, count: UInt64) {
      self.duration = duration
      self.count = count
    }
  }

  /// Makes an empty distribution.
  public init() {}

  init(_ histogram: Histogram<UInt64>) {
    self.init()
    guard histogram.totalCount > 0 else { return }
    // Not `recordedValues()`: it adds the durations up, and their sum may overflow.
    var duration = histogram.min
    while duration <= histogram.maxRecorded {
      let count = histogram.countForValue(duration)
      let last = histogram.highestEquivalentForValue(duration)
      if count > 0 { buckets.append(Bucket(duration: Nanoseconds(clamping: last), count: count)) }
      duration = last + 1
    }
    setPercentiles(longest: Nanoseconds(clamping: histogram.maxRecorded))
  }

  private mutating func setPercentiles(longest: Nanoseconds) {
    let total = buckets.reduce(0) { $0 &+ $1.count }
    (p50, p95, p99) = (
      percentile(50, of: total, longest), percentile(95, of: total, longest),
      percentile(99, of: total, longest)
    )
    max = longest
  }

  /// The same result as HdrHistogram's, which visits thousands of empty buckets for each.
  private func percentile(
    _ percent: Double, of total: UInt64, _ longest: Nanoseconds
  ) -> Nanoseconds {
    let rank = Swift.max(1, (percent.nextDown * Double(total) / 100).rounded(.up))
    var sum = 0.0
    // Its upper end may be above every measured time.
    for bucket in buckets {
      sum += Double(bucket.count)
      if sum >= rank { return Swift.min(bucket.duration, longest) }
    }
    return longest
  }

  /// The latency of all runs of several groups of them.
  public static func merged(_ latencies: some Collection<Latency>) -> Latency {
    if latencies.count == 1, let only = latencies.first { return only }
    let longest = latencies.reduce(0) { Swift.max($0, $1.max) }
    // A saved report may hold any number.
    var histogram = Histogram<UInt64>.durations(
      upTo: UInt64(clamping: Swift.min(longest, Durations.longest)))
    for latency in latencies {
      // 2^40 runs are more than any trace holds: a damaged report must not overflow the sum.
      for bucket in latency.buckets {
        histogram.record(UInt64(clamping: bucket.duration), count: Swift.min(bucket.count, 1 << 40))
      }
    }
    guard histogram.totalCount > 0 else { return Latency() }
    var merged = Latency(histogram)
    merged.setPercentiles(longest: longest)
    return merged
  }
}

extension Latency: Additive {
  /// Adds other runs.
  public mutating func add(_ other: Self) { self = .merged([self, other]) }
}

/// Written as `[duration, count]`, since there are many.
extension Latency.Bucket: Codable {
  /// Reads the pair.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    duration = try container.decode(Nanoseconds.self)
    count = try container.decode(UInt64.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(duration)
    try container.encode(count)
  }
}

extension Histogram<UInt64> {
  /// A histogram of durations in a few kilobytes, with two significant digits and only the buckets
  /// needed.
  ///
  /// - Parameter longest: the longest duration, as far as it is known; growing later takes longer.
  static func durations(upTo longest: UInt64 = 0) -> Self {
    var histogram = Self(
      highestTrackableValue: Swift.max(longest, 2), numberOfSignificantValueDigits: .two)
    histogram.autoResize = true
    return histogram
  }
}
