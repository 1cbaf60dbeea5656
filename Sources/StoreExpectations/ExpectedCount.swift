// SPDX-License-Identifier: Apache-2.0

/// How often something shall happen.
///
///     expectStore(container, fetches: 1, rows: .atMost(50)) { … }
public struct ExpectedCount: Hashable, Sendable, ExpressibleByIntegerLiteral {
  let range: ClosedRange<Int>

  /// Neither more nor less often.
  public init(integerLiteral value: Int) { range = value...max(value, 0) }

  /// Neither more nor less often.
  public static func exactly(_ count: Int) -> Self { Self(integerLiteral: count) }

  /// So often or less.
  public static func atMost(_ count: Int) -> Self { Self(range: 0...max(count, 0)) }

  /// So often or more.
  public static func atLeast(_ count: Int) -> Self { Self(range: max(count, 0)...Int.max) }

  private init(range: ClosedRange<Int>) { self.range = range }

  /// `1`, `at most 50`, `at least 2`.
  var text: String {
    if range.lowerBound == range.upperBound { return "\(range.lowerBound)" }
    return range.upperBound == .max
      ? "at least \(range.lowerBound)" : "at most \(range.upperBound)"
  }
}
