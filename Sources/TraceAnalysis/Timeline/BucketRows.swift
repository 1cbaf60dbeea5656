// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The width of a timeline's buckets, and the time span of the last one, which most events are in.
struct BucketTime {
  var width: Nanoseconds { didSet { update() } }
  /// The index of the last bucket; -1 before the first.
  var last = -1 { didSet { update() } }
  private(set) var begin: Nanoseconds = 0
  private(set) var end: Nanoseconds = 0

  init(width: Nanoseconds) { self.width = width }

  private mutating func update() {
    guard last >= 0 else { return }
    begin = saturated(last)
    end = saturated(last + 1)
  }

  /// The begin of a bucket; the last nanosecond of all if it is beyond that.
  func saturated(_ index: Int) -> Nanoseconds {
    let (begin, overflow) = Int64(index).multipliedReportingOverflow(by: width)
    return overflow ? .max : begin
  }
}

/// A number for each bucket, in several rows.
///
/// All are in one array, with room for all buckets: arrays of arrays are checked for other owners
/// twice for each event, and grow with each bucket.
struct BucketRows<Number: FixedWidthInteger & Sendable> {
  private static var width: Int { TimelineBuilder.maxBuckets }
  private var numbers: [Number]

  init(count: Int) { numbers = Array(repeating: 0, count: count * Self.width) }

  var count: Int { numbers.count / Self.width }

  func row(_ row: Int, _ bucketCount: Int) -> [Number] {
    Array(numbers[row * Self.width..<row * Self.width + bucketCount])
  }

  mutating func appendRow() { numbers += Array(repeating: 0, count: Self.width) }

  @inline(__always)
  mutating func add(_ number: Number, to row: Int, at bucket: Int) {
    numbers[row * Self.width + bucket].add(number)
  }

  mutating func raise(row: Int, at bucket: Int, to number: Number) {
    let index = row * Self.width + bucket
    numbers[index] = max(numbers[index], number)
  }

  /// Makes one bucket of two.
  ///
  /// - Parameter maxima: the row of sizes, of which the larger one stays.
  mutating func joinPairs(maximaOf maxima: Int? = nil) {
    for row in 0..<count {
      let first = row * Self.width
      for bucket in 0..<Self.width / 2 {
        var joined = numbers[first + 2 * bucket]
        let next = numbers[first + 2 * bucket + 1]
        if row == maxima { joined = max(joined, next) } else { joined.add(next) }
        numbers[first + bucket] = joined
      }
      for bucket in Self.width / 2..<Self.width { numbers[first + bucket] = 0 }
    }
  }
}

extension BucketRows<Nanoseconds> {
  /// Adds to each bucket the part of a time span that it covers.
  @inline(__always)
  mutating func spread(
    from begin: Nanoseconds, to end: Nanoseconds, over row: Int, _ time: BucketTime
  ) {
    // Most spans are shorter than a bucket, and a division takes as long as all of the rest.
    guard begin >= time.begin else { return spread(begin, end, over: row, time) }
    add(max(end - begin, 0), to: row, at: time.last)
  }

  private mutating func spread(
    _ begin: Nanoseconds, _ end: Nanoseconds, over row: Int, _ time: BucketTime
  ) {
    var begin = begin
    while begin < end {
      let index = Int(begin / time.width)
      let part = min(time.saturated(index + 1), end)
      add(part - begin, to: row, at: index)
      begin = part
    }
  }
}
