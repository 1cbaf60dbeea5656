// SPDX-License-Identifier: Apache-2.0

/// A time of the service day: seconds since its midnight, above 24:00:00 for the last rides of the
/// night.
///
/// A ride that sets out at 23:50 and calls at 00:10 belongs to the day on which it set out: its
/// feed has 24:10:00, and so does the store. A `Date` would have to invent a day, and a clock time
/// would lose which day it was; seconds compare as integers and keep both.
public struct ServiceTime: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Seconds since the midnight with which the service day begins.
  public var seconds: Int64

  /// How long a day is on the clock, in seconds.
  public static let day: Int64 = 86_400
  /// The latest time that a search expects of a service day, 30:00:00: by six in the morning the
  /// night's rides are over.
  public static let latest = ServiceTime(seconds: 108_000)

  /// Makes a time from seconds since midnight.
  public init(seconds: Int64) { self.seconds = seconds }

  /// Parses `H:MM:SS`, `HH:MM:SS`, or `HH:MM`; nil if the text is not a time.
  public init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count) else { return nil }
    var seconds: Int64 = 0
    for (position, part) in parts.enumerated() {
      guard (1...3).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      let value = part.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
      guard position == 0 || (part.count == 2 && value < 60) else { return nil }
      seconds = seconds * 60 + value
    }
    self.seconds = parts.count == 2 ? seconds * 60 : seconds
  }

  /// Whether one time comes before another on the same service day.
  public static func < (a: Self, b: Self) -> Bool { a.seconds < b.seconds }

  /// `24:45:00`.
  public var description: String {
    let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60]
    return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }

  /// `00:45`: what a clock shows.
  public var clock: String {
    String(ServiceTime(seconds: seconds % Self.day).description.prefix(5))
  }
}
