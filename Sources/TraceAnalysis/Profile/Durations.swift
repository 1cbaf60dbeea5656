// SPDX-License-Identifier: Apache-2.0

import Histogram
import StoreEvents

/// How long the runs of something took, while they are being counted.
///
/// A histogram takes 10 KB or more, and most statements of a program that builds its SQL from
/// values run once. Therefore the first few durations are stored individually.
struct Durations {
  private var few: [UInt64] = []
  private var many: Histogram<UInt64>?
  // Each duration is checked; to compare the optional copies the histogram.
  private var isMany = false

  // 256 is arbitrary: they take 2 KB.
  private static let maxFew = 256
  // A year: a longer time is not a measurement, and the number of buckets up to it is small.
  static let longest: Nanoseconds = 31_536_000_000_000_000

  /// Records a duration; one below zero, from a clock that jumped, counts as zero.
  mutating func record(_ duration: Nanoseconds) {
    let duration = UInt64(clamping: min(duration, Self.longest))
    if isMany {
      many?.record(duration)
    } else if few.count < Self.maxFew {
      few.append(duration)
    } else {
      many = histogram
      many?.record(duration)
      isMany = true
      few = []
    }
  }

  var histogram: Histogram<UInt64> {
    if let many { return many }
    // The longest of the first few is mostly within the eighth of the longest of all.
    var histogram = Histogram<UInt64>.durations(upTo: (few.max() ?? 0) * 8)
    for duration in few { histogram.record(duration) }
    return histogram
  }
}
