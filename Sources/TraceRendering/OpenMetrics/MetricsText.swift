// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// A text in the OpenMetrics format, version 1.0.0.
///
///     # TYPE storescope_fetches counter
///     # HELP storescope_fetches Fetch requests.
///     storescope_fetches_total 12
///     # EOF
///
/// See <https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md>.
struct MetricsText {
  enum Kind: String { case counter, gauge, histogram, info }

  private var text: String

  init(_ text: String = "") { self.text = text }

  /// The families, without the end of the text.
  var unfinished: String { text }

  /// The whole text.
  var finished: String { text + "# EOF\n" }

  /// Writes a family; one without samples is left out.
  ///
  /// - Parameter unit: the end of the name, such as `seconds`.
  mutating func family(
    _ name: String, _ kind: Kind, unit: String = "", help: String, _ samples: [Sample]
  ) {
    guard !samples.isEmpty else { return }
    text += "# TYPE \(name) \(kind.rawValue)\n"
    if !unit.isEmpty { text += "# UNIT \(name) \(unit)\n" }
    text += "# HELP \(name) \(Self.escaped(help))\n"
    for sample in samples {
      let suffix = kind == .counter ? "_total" : kind == .info ? "_info" : ""
      text += "\(name)\(suffix)\(sample.suffix)\(Self.labels(sample.labels)) \(sample.value)"
      if let exemplar = sample.exemplar {
        text += " # \(Self.labels(exemplar.labels)) \(exemplar.value)"
      }
      text += "\n"
    }
  }

  struct Sample {
    var suffix = ""
    var labels: [(String, String)] = []
    var value: String
    /// One of the runs that a bucket counts.
    var exemplar: (labels: [(String, String)], value: String)?

    init(_ value: UInt64, _ labels: [(String, String)] = []) {
      self.labels = labels
      self.value = String(value)
    }

    init(nanoseconds: Int64, _ labels: [(String, String)] = []) {
      self.labels = labels
      value = MetricsText.seconds(nanoseconds)
    }

    init(suffix: String, _ value: String, _ labels: [(String, String)]) {
      self.suffix = suffix
      self.labels = labels
      self.value = value
    }
  }

  /// Seconds in decimal digits, exactly; a time below zero, from a clock that jumped, is zero.
  static func seconds(_ nanoseconds: Int64) -> String {
    let (whole, rest) = max(0, nanoseconds).magnitude.quotientAndRemainder(
      dividingBy: 1_000_000_000)
    let digits = String(rest)
    var fraction = (String(repeating: "0", count: 9 - digits.count) + digits)[...]
    while fraction.count > 1, fraction.last == "0" { fraction.removeLast() }
    return "\(whole).\(fraction)"
  }

  private static func labels(_ labels: [(String, String)]) -> String {
    guard !labels.isEmpty else { return "" }
    return "{" + labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
  }

  /// A backslash, a quote and a line feed are escaped; other unsafe characters are shown as
  /// `\u{1b}`.
  private static func escaped(_ value: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": result += #"\\"#.unicodeScalars
      case "\"": result += #"\""#.unicodeScalars
      case "\n": result += #"\n"#.unicodeScalars
      case _ where scalar.isUnsafeInText:
        result += "\\\(scalar.visibleEscape)".unicodeScalars
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
