// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// One line of comma-separated values.
///
/// See <https://www.rfc-editor.org/rfc/rfc4180>. A text that a spreadsheet would interpret as a
/// formula gets a leading apostrophe: <https://owasp.org/www-community/attacks/CSV_Injection>.
/// Characters that are unsafe on a terminal are written as `\u{1b}`; line feeds stay, within
/// quotes.
struct CSVRow {
  private(set) var text = ""
  private var isEmpty = true

  mutating func append(_ value: String) {
    separate()
    let isFormula =
      value.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false
    let value = Self.escaped(isFormula ? "'" + value : value)
    let isQuoted = value.utf8.contains { ",\"\r\n".utf8.contains($0) }
    text += isQuoted ? "\"" + Self.doubled(value) + "\"" : value
  }

  mutating func append(_ value: some FixedWidthInteger) {
    separate()
    text += String(value)
  }

  /// Appends a number, or an empty field where the input does not have it.
  mutating func append(known value: (some FixedWidthInteger)?) {
    if let value { append(value) } else { skip() }
  }

  mutating func append(_ value: Double) {
    separate()
    text += value.isFinite ? "\(value)" : ""
  }

  /// A field without a value.
  mutating func skip(_ count: Int = 1) {
    for _ in 0..<count { separate() }
  }

  /// The line with its end.
  var finished: String { text + "\r\n" }

  private mutating func separate() {
    if !isEmpty { text += "," }
    isEmpty = false
  }

  /// A carriage return also stays: it is a line break of the text, within quotes.
  private static func escaped(_ value: String) -> String {
    value.split(separator: "\r", omittingEmptySubsequences: false)
      .map { String($0).withVisibleControls }.joined(separator: "\r")
  }

  private static func doubled(_ value: String) -> String {
    guard value.utf8.contains(UInt8(ascii: "\"")) else { return value }
    var result = String.UnicodeScalarView()
    for scalar in value.unicodeScalars {
      result.append(scalar)
      if scalar == "\"" { result.append(scalar) }
    }
    return String(result)
  }
}
