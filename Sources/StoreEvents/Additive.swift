// SPDX-License-Identifier: Apache-2.0

/// A value that adds up.
public protocol Additive: Sendable {
  /// Adds another value.
  mutating func add(_ other: Self)
}

extension FixedWidthInteger {
  /// Adds without overflow: a trace is data, and data must not stop the report.
  @inlinable public mutating func add(_ other: Self) {
    let (sum, overflow) = addingReportingOverflow(other)
    self = overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The sum, without overflow.
  @inlinable public func saturatingSum(_ other: Self) -> Self {
    var sum = self
    sum.add(other)
    return sum
  }

  /// The difference since then; 0 if the sum is smaller because the rest was evicted.
  @inlinable public func since(_ earlier: Self) -> Self { self > earlier ? self - earlier : 0 }
}

extension UInt64: Additive {}
extension Nanoseconds: Additive {}

extension Optional: Additive where Wrapped: Additive {
  /// Adds a value that may be unknown; the sum of two unknown values is unknown.
  @inlinable public mutating func add(_ other: Self) {
    guard let other else { return }
    if self == nil { self = other } else { self?.add(other) }
  }
}

extension Measures: Additive {
  /// Adds the measures of another part.
  public mutating func add(_ other: Self) { formUnion(other) }
}

extension Sequence where Element: Additive {
  /// The sum of all elements.
  public func sum(from zero: Element) -> Element { reduce(into: zero) { $0.add($1) } }
}
