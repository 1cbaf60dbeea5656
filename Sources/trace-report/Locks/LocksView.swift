// SPDX-License-Identifier: Apache-2.0

import DatabaseLocks
import Glibc
import TraceRendering

/// Prints the lock state as a screen that is redrawn, as blocks of text, or as JSON.
struct LocksView {
  private let isJSON: Bool
  private let isRepeated: Bool
  private let hasScreen: Bool
  private var shownUntil: Int64 = 0
  private var isFirst = true

  init(isJSON: Bool, isRepeated: Bool) {
    self.isJSON = isJSON
    self.isRepeated = isRepeated
    hasScreen = isRepeated && !isJSON && Output.canRewriteLines(STDOUT_FILENO)
  }

  mutating func show(_ report: LocksReport) {
    defer {
      isFirst = false
      shownUntil = report.state.sample.ended
    }
    guard !isJSON else { return showJSON(report) }
    let time = Self.timeOfDay(report.state.sample.ended)
    let text = Document(locks: report, time: time, moment: Self.moment).text(.ofStandardOutput)
    guard hasScreen else { return Output.print((isFirst ? "" : "\n") + text) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    TerminalScreen.show(Array(lines.prefix(TerminalScreen.size.rows)))
  }

  private func showJSON(_ report: LocksReport) {
    let past = report.history.past.filter { $0.until >= shownUntil }
    let value = LocksV1(report, past: past)
    let text = try? isRepeated ? JSONText.line(value) : JSONText.encoded(value)
    if let text { Output.print(text) }
  }

  func end() {
    if hasScreen { Output.print("\n") }
  }

  /// Of nanoseconds since 1970: `2026-11-27 14:12:28`, local time; without the date for today.
  static func moment(_ nanoseconds: Int64) -> String {
    let (then, now) = (local(nanoseconds / 1_000_000_000), local(Int64(time(nil))))
    guard (then.tm_year, then.tm_yday) != (now.tm_year, now.tm_yday) else { return clock(then) }
    return "\(then.tm_year + 1900)-\(twoDigits(then.tm_mon + 1))-\(twoDigits(then.tm_mday)) "
      + clock(then)
  }

  private static func local(_ seconds: Int64) -> tm {
    var seconds = time_t(seconds)
    var local = tm()
    localtime_r(&seconds, &local)
    return local
  }

  private static func twoDigits(_ number: Int32) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }

  private static func clock(_ time: tm) -> String {
    [time.tm_hour, time.tm_min, time.tm_sec].map(twoDigits).joined(separator: ":")
  }

  /// Of nanoseconds since 1970: `14:12:28.401`, local time.
  private static func timeOfDay(_ nanoseconds: Int64) -> String {
    let time = clock(local(nanoseconds / 1_000_000_000))
    let thousandths = String(nanoseconds / 1_000_000 % 1000)
    return time + "." + String(repeating: "0", count: 3 - thousandths.count) + thousandths
  }
}
