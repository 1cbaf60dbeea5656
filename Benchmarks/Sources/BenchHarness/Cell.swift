// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Numbers as the tables write them.
package enum Cell {
  /// `281 ns`, `38.1 µs`, `3.10 s`; of nanoseconds.
  package static func time(_ nanoseconds: Double) -> String {
    switch abs(nanoseconds) {
    case ..<10: String(format: "%.1f ns", nanoseconds)
    case ..<10_000: count(nanoseconds) + " ns"
    case ..<1_000_000: String(format: "%.1f µs", nanoseconds / 1e3)
    case ..<1_000_000_000: String(format: "%.2f ms", nanoseconds / 1e6)
    default: String(format: "%.2f s", nanoseconds / 1e9)
    }
  }

  /// `1,234,000`.
  package static func count(_ number: Double) -> String {
    let digits = String(Int(number.rounded()).magnitude)
    let grouped = digits.enumerated().map { index, digit in
      index > 0 && (digits.count - index).isMultiple(of: 3) ? ",\(digit)" : "\(digit)"
    }
    return (number < 0 ? "-" : "") + grouped.joined()
  }

  /// `0:07`, `12:34`; minutes and seconds.
  package static func clock(_ duration: Duration) -> String {
    let seconds = Int(duration.components.seconds)
    return String(format: "%d:%02d", seconds / 60, seconds % 60)
  }

  /// `12.3 s`.
  package static func seconds(_ duration: Duration) -> String {
    String(format: "%.1f s", duration / .seconds(1))
  }

  package static func ratio(_ ratio: Ratio) -> String {
    let format = ratio.median < 0.1 ? "%.4f" : ratio.median < 10 ? "%.2f" : "%.0f"
    let texts = [ratio.median, ratio.low, ratio.high].map { String(format: format, $0) }
    return "\(texts[0]) (\(texts[1])–\(texts[2]))"
  }
}
