// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The values that one run of a statement bound, from the lines of level 2.
///
///     details: SQLite bind[0] = "Am Treptower Park"
///     details: SQLite bind[1] = 18                   later (int64)18
///     details: SQLite bind[2] = nil
struct CoreDataValues {
  /// Nil after a line that is missing or has another form: with other values, or with some of them, the
  /// statement would find something else.
  private var values: [RecordedValues.Value]? = []

  private var isEmpty = true
  /// Keyed per process, so that no value can be read from it.
  private var hasher = Hasher()

  /// A hash of the lines; 0 if there are none.
  var hash: UInt64 { isEmpty ? 0 : UInt64(bitPattern: Int64(hasher.finalize())) }

  mutating func add(_ line: UnsafeRawBufferPointer) {
    isEmpty = false
    hasher.combine(bytes: line)
    let bound = LogBinding.parse(line) { Self.value($0.rest.trimmed) }
    guard let (index, value) = bound, index == values?.count else {
      values = nil
      return
    }
    values?.append(value)
  }

  /// The values of a statement with as many parameters; nil if one is missing.
  func recorded(parameterCount: Int) -> RecordedValues? {
    guard let values, !values.isEmpty, values.count == parameterCount else { return nil }
    return RecordedValues(values)
  }

  private static func value(_ text: UnsafeRawBufferPointer) -> RecordedValues.Value? {
    // The text is not escaped: its quotes are the first and the last one of the line.
    if text.count >= 2, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") {
      let text = String(decoding: text[1..<(text.count - 1)], as: UTF8.self)
      return .text(text, byteCount: text.utf8.count)
    }
    var cursor = ByteCursor(text)
    let type = cursor.consume("(") ? cursor.consumeThrough(")") : nil
    let number = String(decoding: cursor.rest.trimmed, as: UTF8.self)
    if number == "nil" || number == "NULL" { return .null }
    switch type.map({ String(decoding: $0, as: UTF8.self) }) {
    case nil, "int64", "int32", "int16", "int", "bool":
      if let integer = Int64(number) { return .integer(integer) }
      return type == nil ? real(number) : nil
    case "double", "float", "timestamp": return real(number)
    default: return nil
    }
  }

  private static func real(_ text: String) -> RecordedValues.Value? {
    // Not `inf`, `nan` or `0x1p3`, which Swift reads as well.
    guard text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }) else { return nil }
    return Double(text).map { .real($0) }
  }
}
