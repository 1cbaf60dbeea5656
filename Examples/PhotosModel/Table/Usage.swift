// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreInstruments

/// The work of a store and its process up to a point in time.
struct Usage {
  private let statistics: Statistics
  private let bytesRead: Int?
  private let time = ContinuousClock.now

  init(_ container: PersistentContainer) {
    statistics = container.statistics
    bytesRead = Self.bytesRead
  }

  /// `rchar` of `/proc/self/io`: what was read from files, cached by the machine or not.
  private static var bytesRead: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("rchar: ") })
    else { return nil }
    return Int(line.dropFirst("rchar: ".count))
  }

  func report(
    since before: Usage, _ step: TableStep, count: Int, shown: Int, bytes: Int
  ) -> StepReport {
    let read = bytesRead.flatMap { now in before.bytesRead.map { now - $0 } }
    return StepReport(
      step: step, count: count, shown: shown, bytesShown: bytes, bytesRead: read,
      fetches: statistics.fetches - before.statistics.fetches,
      faults: statistics.faults - before.statistics.faults,
      cacheMisses: statistics.cacheMisses - before.statistics.cacheMisses,
      duration: time - before.time)
  }
}
