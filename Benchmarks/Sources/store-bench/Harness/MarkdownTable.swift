// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Measurement {
  /// One row a contender: time a unit, ratio to the first with its 95% interval, goal.
  var markdown: String {
    var lines = [
      "### \(comparison.title)", "",
      "| | time a \(comparison.units.name) | ratio to \(comparison.contenders[0].name) | goal |",
      "|---|---|---|---|",
    ]
    for (index, contender) in comparison.contenders.enumerated() {
      let ratio = ratio(index, to: 0)
      let ratioText =
        index == 0
        ? "1" : String(format: "%.2f (%.2f–%.2f)", ratio.median, ratio.low, ratio.high)
      lines.append(
        "| \(contender.name) | \(time(index)) | \(ratioText) | \(verdict(contender, index)) |")
    }
    return lines.joined(separator: "\n")
  }

  private func time(_ contender: Int) -> String {
    let nanoseconds = median(contender) / Double(comparison.units.count)
    return switch nanoseconds {
    case ..<10_000: String(format: "%.0f ns", nanoseconds)
    case ..<10_000_000: String(format: "%.1f µs", nanoseconds / 1e3)
    default: String(format: "%.1f ms", nanoseconds / 1e6)
    }
  }

  private func verdict(_ contender: Contender, _ index: Int) -> String {
    switch contender.goal {
    case nil: return ""
    case .atMost(let limit):
      let met = ratio(index, to: 0).median <= limit
      return "≤ \(limit): \(met ? "met" : "**missed**")"
    case .fasterThan(let name, let times):
      guard let other = comparison.contenders.firstIndex(where: { $0.name == name }) else {
        return ""
      }
      let speedup = ratio(other, to: index).median
      return String(
        format: "≥ %.1f × faster than %@: %.2f, %@", times, name, speedup,
        speedup >= times ? "met" : "**missed**")
    }
  }
}
