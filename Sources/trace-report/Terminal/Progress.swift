// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents
import TraceReading

/// A line on a terminal's standard error for work of more than a second: the amount, the rate and,
/// if known, the time left.
///
///     1,234,567 events read, 812,000/s, 12 s left
///
/// Work that may take minutes is reported without a terminal as well, a line every 30 s.
struct Progress {
  /// Whether the user has disabled progress lines.
  @TaskLocal static var isSilent = false

  private let unit: String
  private let isShown: Bool
  private let rewritesLine: Bool
  private let interval: Duration
  private let clock = ContinuousClock()
  private let begin: ContinuousClock.Instant
  private var next: ContinuousClock.Instant
  private var wasShown = false

  init(_ unit: String, isLong: Bool = false) {
    self.unit = unit
    rewritesLine = Output.canRewriteLines(STDERR_FILENO)
    isShown = !Self.isSilent && (rewritesLine || isLong)
    interval = rewritesLine ? .milliseconds(200) : .seconds(30)
    begin = clock.now
    next = begin + (rewritesLine ? .seconds(1) : .seconds(30))
  }

  mutating func report(_ progress: ReadingProgress) {
    report(progress.events, part: progress.part)
  }

  mutating func report(_ count: UInt64, of all: UInt64) {
    report(count, of: all, part: Double(count) / Double(max(all, 1)))
  }

  /// Shows an amount, at most five times a second; without a terminal every 30 s.
  ///
  /// - Parameter part: the fraction that is done, from 0 to 1; nil if it is not known.
  mutating func report(_ count: UInt64, of all: UInt64? = nil, part: Double?) {
    let now = clock.now
    guard isShown, now >= next else { return }
    next = now + interval
    wasShown = rewritesLine
    let seconds = Double((now - begin).nanoseconds) / 1e9
    let text = Self.text(count, of: all, unit, after: seconds, part: part)
    Output.write(rewritesLine ? "\r\(text)\u{1b}[K" : text + "\n", to: STDERR_FILENO)
  }

  /// Clears the line.
  mutating func end() {
    if wasShown { Output.write("\r\u{1b}[K", to: STDERR_FILENO) }
    wasShown = false
  }

  private static func text(
    _ count: UInt64, of all: UInt64?, _ unit: String, after seconds: Double, part: Double?
  ) -> String {
    var text = "\(count.grouped)\(all.map { " of \($0.grouped)" } ?? "") \(unit)"
    let rate = Double(count) / seconds
    // Below ten a second, the amount itself is more precise.
    if rate >= 10 { text += ", \(UInt64(rate).grouped)/s" }
    if let left = timeLeft(after: seconds, part: part) { text += ", \(left) left" }
    return text
  }

  /// `12 s`, `3 min`; nil below a hundredth, where an estimate would be unreliable.
  static func timeLeft(after seconds: Double, part: Double?) -> String? {
    guard let part, part >= 0.01 else { return nil }
    let left = UInt64(min(seconds * (1 - min(part, 1)) / part, 1e9).rounded(.up))
    return left < 120 ? "\(left) s" : "\((left / 60).grouped) min"
  }
}
