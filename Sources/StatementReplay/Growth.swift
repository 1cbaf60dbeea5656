// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The growth of a cost from parts of the rows to all of them.
struct Growth: Hashable, Sendable {
  /// All rows or pages, those of the largest part, and those of the part before it.
  var all: UInt64
  var last: UInt64
  var before: UInt64?

  init(_ all: UInt64, _ last: UInt64, _ before: UInt64?) {
    (self.all, self.last, self.before) = (all, last, before)
  }

  /// A size or a count: on a line through both parts, within half and twice the proportional one.
  func value(_ cost: UInt64, _ costBefore: UInt64?) -> UInt64 {
    guard last > 0 else { return cost }
    let proportional = proportional(cost)
    guard let line = line(cost, costBefore) else { return UInt64(proportional) }
    // The smaller copy may be all within the cache.
    return UInt64(min(max(line, proportional / 2, Double(cost)), proportional * 2))
  }

  /// The time of a processor for all rows.
  ///
  /// It is proportional to the rows, since the cache of a part is as small as the part; not on a power of their number, since the
  /// exponent of two short runs is mostly noise. The share of the rows that are searched from the root of a b-tree takes
  /// n log n.
  ///
  /// - Parameter visits: of pages, on the largest part. A row that follows the one before it visits less than one.
  func time(_ cost: UInt64, visits: UInt64) -> UInt64 {
    guard last > 0 else { return cost }
    let searched = min(1, Double(visits) / Double(last))
    return UInt64(proportional(cost) * (1 + searched * (deepening - 1)))
  }

  /// The shortest and the longest time that the parts allow.
  ///
  /// The shortest has no search, and grows on the line through both parts where that is lower; in the longest, each row
  /// is searched.
  ///
  /// - Parameter costs: the fastest, the median and the slowest run of the largest part.
  func times(
    _ costs: (fastest: UInt64, median: UInt64, slowest: UInt64), _ costBefore: UInt64?
  ) -> ClosedRange<UInt64> {
    guard last > 0 else { return costs.fastest...max(costs.fastest, costs.slowest) }
    let line = max(line(costs.median, costBefore) ?? .infinity, Double(costs.fastest))
    let low = min(proportional(costs.fastest), line)
    return UInt64(low)...UInt64(max(low, proportional(costs.slowest) * deepening))
  }

  /// The ratio of the depths of two trees: log n for all rows, by log n for the part.
  private var deepening: Double {
    // A logarithm of less than two rows is none.
    max(1, log(Double(max(all, 2))) / log(Double(max(last, 2))))
  }

  private func line(_ cost: UInt64, _ costBefore: UInt64?) -> Double? {
    guard let before, let costBefore, before < last else { return nil }
    let slope = (Double(cost) - Double(costBefore)) / Double(last - before)
    return Double(cost) + slope * (Double(all) - Double(last))
  }

  private func proportional(_ cost: UInt64) -> Double { Double(cost) * Double(all) / Double(last) }
}
