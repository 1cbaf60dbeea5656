// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where and with what a run was made; nothing that names the machine.
package struct Machine {
  /// `Swift 6.3.1`.
  let swift: String
  /// `3.40.1`.
  let sqlite: String

  package init(swift: String, sqlite: String) {
    (self.swift, self.sqlite) = (swift, sqlite)
  }

  package var markdown: String {
    """
    Measured on \(date) on \(cores) with \(memory) GB of memory, \(swift), SQLite \(sqlite). Times \
    are medians of interleaved rounds in random order, on this machine; ratios are medians of each \
    round's ratio, with their 95% intervals.
    """
  }

  private var date: String {
    Date.now.formatted(.iso8601.year().month().day())
  }

  private var cores: String {
    let count = ProcessInfo.processInfo.activeProcessorCount
    return "\(count) \(count == 1 ? "core" : "cores") of \(model ?? "an unnamed processor")"
  }

  private var memory: Int {
    Int((Double(ProcessInfo.processInfo.physicalMemory) / Double(1 << 30)).rounded())
  }

  /// `model name : AMD EPYC` of `/proc/cpuinfo`.
  private var model: String? {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").first { $0.hasPrefix("model name") }
      .flatMap { $0.split(separator: ":").last }?.trimmingCharacters(in: .whitespaces)
  }
}
