// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The number of runs per duration, in four steps per power of two.
///
///     step  0  1  2  3  …  100            101            …
///     ns    1  1  1  1  …  33,554,432 to  41,943,040 to  …
public struct LatencySteps: Hashable, Sendable {
  /// The steps that anything took, ascending: there are few of them, a dozen or so.
  public private(set) var counts: [(step: Int, count: UInt64)] = []

  /// The two bits after the first one select the quarter of a power of two.
  static func step(of duration: Nanoseconds) -> Int {
    let value = UInt64(clamping: max(duration, 1))
    let doublings = 63 - value.leadingZeroBitCount
    let quarters = doublings >= 2 ? value >> (doublings - 2) : value << (2 - doublings)
    return doublings * 4 + Int(quarters & 3)
  }

  mutating func add(_ count: UInt64, of duration: Nanoseconds) {
    add(count, to: Self.step(of: duration))
  }

  mutating func add(_ other: Self) {
    for entry in other.counts { add(entry.count, to: entry.step) }
  }

  private mutating func add(_ count: UInt64, to step: Int) {
    for index in counts.indices where counts[index].step >= step {
      if counts[index].step == step { return counts[index].count.add(count) }
      return counts.insert((step, count), at: index)
    }
    counts.append((step, count))
  }

  public static func == (a: Self, b: Self) -> Bool {
    a.counts.elementsEqual(b.counts) { $0 == $1 }
  }

  public func hash(into hasher: inout Hasher) {
    for (step, count) in counts {
      hasher.combine(step)
      hasher.combine(count)
    }
  }
}
