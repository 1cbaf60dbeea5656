// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How an amount grows with a size: the slope of a straight line through their logarithms.
///
/// A slope of 0 is the same work at every size, 1 is twice the work for twice the size, 2 is four
/// times. Least squares; see N. R. Draper and H. Smith, "Applied Regression Analysis", chapter 1.
public struct GrowthFit: Hashable, Sendable {
  /// The slope on logarithmic scales: 1 grows like the size.
  public var slope: Double
  /// The part of the variance that the line explains, from 0 to 1.
  public var quality: Double

  /// - Returns: nil unless there are two sizes that differ.
  public init?(_ points: [(size: Double, amount: Double)]) {
    // One more than the amount: nothing at all has a logarithm then, and it is 0.
    let xs = points.map { log($0.size) }
    let ys = points.map { log($0.amount + 1) }
    let count = Double(points.count)
    guard points.count > 1, points.allSatisfy({ $0.size > 0 && $0.amount >= 0 }) else { return nil }
    let (meanX, meanY) = (xs.reduce(0, +) / count, ys.reduce(0, +) / count)
    let sumXX = xs.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }
    let sumYY = ys.reduce(0) { $0 + ($1 - meanY) * ($1 - meanY) }
    let sumXY = zip(xs, ys).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
    guard sumXX > 0 else { return nil }
    slope = sumXY / sumXX
    let rest = sumYY - slope * sumXY
    // Work that hardly varies has no variance to explain: the line is flat, and fits.
    quality = sumYY < 0.01 * count ? 1 : max(0, 1 - rest / sumYY)
  }
}
