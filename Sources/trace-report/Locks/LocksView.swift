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
    let time = LocalTime.text("%H:%M:%S", ofNanoseconds: report.state.sample.ended)
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
    let seconds = nanoseconds / 1_000_000_000
    let day = LocalTime.text("%Y-%m-%d ", of: seconds)
    return (day == LocalTime.text("%Y-%m-%d ") ? "" : day) + LocalTime.text("%H:%M:%S", of: seconds)
  }
}
