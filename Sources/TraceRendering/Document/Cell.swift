// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
import TraceAnalysis

/// A value with its unit; each renderer decides how it looks.
public enum Cell: Hashable, Sendable {
  case text(String)
  case sql(String)
  /// A line of code, which is known by its end.
  case location(String)
  case count(UInt64)
  case bytes(UInt64)
  case duration(Nanoseconds)
  /// A part of a whole, from 0 to 1.
  case ratio(Double)
  case factor(Double)
  /// A mean of counts.
  case number(Double)
  /// No value: nothing was measured.
  case none

  /// A count, or a dash where the input does not have it.
  static func known(_ count: UInt64?) -> Cell { count.map { .count($0) } ?? .none }

  /// A time, or a dash where the input does not have it.
  static func known(_ time: Nanoseconds?) -> Cell { time.map { .duration($0) } ?? .none }

  /// A mean, or a dash where the input does not have it.
  static func known(_ mean: Double?) -> Cell { mean.map { .number($0) } ?? .none }

  /// A line of code, or a dash where it is unknown.
  static func known(_ location: SourceLocation) -> Cell {
    location.text.map { .location($0) } ?? .none
  }

  /// The value in words, unescaped: `12,800`, `1.30 ms`, `43%`, `2.50×`.
  public var text: String {
    switch self {
    case .text(let text), .sql(let text), .location(let text): text
    case .count(let count): count.grouped
    case .bytes(let bytes): Self.scaled(Double(bytes), ["B", "kB", "MB", "GB", "TB"])
    case .duration(let duration): Self.scaled(Double(duration), ["ns", "µs", "ms", "s"])
    case .ratio(let ratio): ratio.isFinite ? "\((ratio * 100).digits(0))%" : "–"
    case .factor(let factor): factor.isFinite ? "\(factor.threeDigits)×" : "–"
    case .number(let number):
      number.isFinite
        ? number == number.rounded() || number >= 100 ? number.digits(0) : number.threeDigits : "–"
    case .none: "–"
    }
  }

  private static func scaled(_ value: Double, _ units: [String]) -> String {
    var value = value
    var unit = 0
    // 999.5 would be written as 1000.
    while abs(value) >= 999.5, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    return "\(unit == 0 ? value.digits(0) : value.threeDigits) \(units[unit])"
  }
}

extension Double {
  /// Three significant digits, or all before the point: `0.123`, `1.23`, `12.3`, `1234`.
  fileprivate var threeDigits: String {
    switch abs(self) {
    case ..<9.995: digits(2)
    case ..<99.95: digits(1)
    default: digits(0)
    }
  }

  /// A decimal number with this many digits after the point.
  fileprivate func digits(_ count: Int) -> String {
    let scale = (0..<count).reduce(1.0) { value, _ in value * 10 }
    guard let scaled = Int64(exactly: (self * scale).rounded()) else { return "\(self)" }
    guard count > 0 else { return (scaled < 0 ? "-" : "") + UInt64(scaled.magnitude).grouped }
    let digits = String(scaled.magnitude)
    let padded = String(repeating: "0", count: max(0, count + 1 - digits.count)) + digits
    return (scaled < 0 ? "-" : "") + padded.dropLast(count) + "." + padded.suffix(count)
  }
}
