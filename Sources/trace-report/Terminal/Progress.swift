// SPDX-License-Identifier: Apache-2.0

import Glibc
import TraceAnalysis

/// A line on a terminal's standard error for work of more than a second.
struct Progress {
  private let unit: String
  private let isShown = Output.isTerminal(STDERR_FILENO)
  private let clock = ContinuousClock()
  private var next: ContinuousClock.Instant
  private var wasShown = false

  init(_ unit: String) {
    self.unit = unit
    next = clock.now + .seconds(1)
  }

  /// Shows an amount, five times a second at most.
  mutating func report(_ count: UInt64) {
    guard isShown, clock.now >= next else { return }
    next = clock.now + .milliseconds(200)
    wasShown = true
    Output.write("\r\(count.grouped) \(unit)", to: STDERR_FILENO)
  }

  /// Wipes the line.
  mutating func end() {
    if wasShown { Output.write("\r\u{1b}[K", to: STDERR_FILENO) }
  }
}
