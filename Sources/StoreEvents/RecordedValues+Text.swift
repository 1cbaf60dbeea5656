// SPDX-License-Identifier: Apache-2.0

extension RecordedValues {
  /// The SQL literals, separated by `, `.
  public var text: String {
    let literals = values.map(\.literal).joined(separator: ", ")
    guard omitted > 0 else { return literals }
    return literals + (literals.isEmpty ? "" : " ") + "/* \(omitted) more */"
  }

  /// Reads ``text``; `nil` if it has another form.
  public init?(text: some StringProtocol) {
    var reader = LiteralReader(text)
    guard let values = reader.readAll() else { return nil }
    self.init(values: values.values, omitted: values.omitted)
  }
}

extension RecordedValues.Value {
  /// The value as SQLite's SQL has it, and its length where it was cut.
  public var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): Self.literal(value)
    case .text(let text, let count): Self.literal(text) + Self.note(text.utf8.count, count)
    case .blob(let bytes, let count): "x'\(Self.hex(bytes))'" + Self.note(bytes.count, count)
    }
  }

  private static func literal(_ value: Double) -> String {
    // SQLite stores NaN as NULL, and reads 9e999 as infinity.
    if value.isNaN { return "NULL" }
    if value.isInfinite { return value < 0 ? "-9e999" : "9e999" }
    return "\(value)"
  }

  private static func literal(_ text: String) -> String {
    // A NUL ends an SQL text, and a string in a trace.
    guard !text.utf8.contains(0) else { return "CAST(x'\(hex(Array(text.utf8)))' AS TEXT)" }
    var result = "'"
    for scalar in text.unicodeScalars {
      if scalar == "'" { result.unicodeScalars.append("'") }
      result.unicodeScalars.append(scalar)
    }
    return result + "'"
  }

  private static func note(_ kept: Int, _ count: Int) -> String {
    count > kept ? " /* cut, \(count) bytes */" : ""
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// Reads a list of literals from its front.
private struct LiteralReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

  mutating func readAll() -> (values: [RecordedValues.Value], omitted: Int)? {
    var values: [RecordedValues.Value] = []
    if position == bytes.count { return (values, 0) }
    if let omitted = consumeOmitted() { return position == bytes.count ? (values, omitted) : nil }
    while let value = consumeValue() {
      values.append(value)
      if position == bytes.count { return (values, 0) }
      if consume(", ") { continue }
      guard consume(" "), let omitted = consumeOmitted(), position == bytes.count else {
        return nil
      }
      return (values, omitted)
    }
    return nil
  }

  private mutating func consumeValue() -> RecordedValues.Value? {
    if consume("NULL") { return .null }
    if consume("x'") {
      guard let blob = consumeHex() else { return nil }
      return .blob(blob, byteCount: consumeCut() ?? blob.count)
    }
    if consume("CAST(x'") {
      guard let text = consumeHex(), consume(" AS TEXT)") else { return nil }
      return .text(String(decoding: text, as: UTF8.self), byteCount: consumeCut() ?? text.count)
    }
    if consume("'") {
      guard let text = consumeText() else { return nil }
      return .text(text, byteCount: consumeCut() ?? text.utf8.count)
    }
    return consumeNumber()
  }

  private mutating func consumeNumber() -> RecordedValues.Value? {
    let start = position
    while position < bytes.count, ![UInt8(ascii: ","), UInt8(ascii: " ")].contains(bytes[position])
    { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if let integer = Int64(text) { return .integer(integer) }
    // Not `inf`, `nan` or `0x1p3`, which Swift reads as well.
    guard text.utf8.allSatisfy({ "+-.0123456789e".utf8.contains($0) }) else { return nil }
    return Double(text).map { .real($0) }
  }

  /// Consumes a text up to its quote, in which a doubled one stands for itself.
  private mutating func consumeText() -> String? {
    var text: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "'"), !consume("'") { return String(decoding: text, as: UTF8.self) }
      text.append(byte)
    }
    return nil
  }

  private mutating func consumeHex() -> [UInt8]? {
    var result: [UInt8] = []
    while position < bytes.count {
      if consume("'") { return result }
      guard position + 1 < bytes.count,
        let byte = UInt8(
          String(decoding: bytes[position...position + 1], as: UTF8.self), radix: 16)
      else { return nil }
      result.append(byte)
      position += 2
    }
    return nil
  }

  /// Consumes ` /* cut, 9000 bytes */`.
  private mutating func consumeCut() -> Int? {
    let start = position
    guard consume(" /* cut, "), let count = consumeDigits(), consume(" bytes */") else {
      position = start
      return nil
    }
    return count
  }

  /// Consumes `/* 3 more */`.
  private mutating func consumeOmitted() -> Int? {
    let start = position
    guard consume("/* "), let count = consumeDigits(), consume(" more */") else {
      position = start
      return nil
    }
    return count
  }

  private mutating func consumeDigits() -> Int? {
    let start = position
    while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
    return Int(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func consume(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    for offset in 0..<count where bytes[position + offset] != text.utf8Start[offset] {
      return false
    }
    position += count
    return true
  }
}
