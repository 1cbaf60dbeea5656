// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// Reads the same fields in any order, among others that the payload does not have: fields of an
/// older or a newer vocabulary.
struct AnyOrderLogFieldReader: EventFieldReader {
  private var values: [String: Value] = [:]

  private enum Value {
    case number(UnsafeRawBufferPointer)
    case text(String)
  }

  init(_ fields: UnsafeRawBufferPointer, strings: StringCache) throws(EventFieldError) {
    var cursor = ByteCursor(fields)
    while !cursor.isAtEnd {
      let name = String(decoding: cursor.consume { $0.isNameByte }, as: UTF8.self)
      guard !name.isEmpty, cursor.consume("=") else {
        let rest = String(decoding: cursor.rest.prefix(20), as: UTF8.self)
        throw .malformed(field: name, value: rest)
      }
      if cursor.next == UInt8(ascii: "\"") {
        guard let (text, isEscaped) = cursor.consumeQuoted() else {
          throw .malformed(field: name, value: "a text without its quotes")
        }
        values[name] = .text(strings.string(text, isEscaped: isEscaped))
      } else {
        values[name] = .number(cursor.consume { $0 != UInt8(ascii: " ") })
      }
      guard cursor.isAtEnd || cursor.consume(" ") else {
        throw .malformed(field: name, value: "no space after it")
      }
    }
  }

  func int64(_ name: StaticString) throws(EventFieldError) -> Int64 { try integer(name) }
  func uint64(_ name: StaticString) throws(EventFieldError) -> UInt64 { try integer(name) }

  func string(_ name: StaticString) throws(EventFieldError) -> String {
    switch values["\(name)"] {
    case .text(let text): text
    case .number: throw .malformed(field: "\(name)", value: "a number")
    case nil: ""
    }
  }

  private func integer<Number: FixedWidthInteger>(
    _ name: StaticString
  ) throws(EventFieldError) -> Number {
    switch values["\(name)"] {
    case .number(let text):
      guard let value = Number(decimal: text) else {
        throw .malformed(field: "\(name)", value: String(decoding: text, as: UTF8.self))
      }
      return value
    case .text: throw .malformed(field: "\(name)", value: "a text")
    case nil: return 0
    }
  }
}

extension UInt8 {
  /// Whether the byte is valid in the name of an event or a field.
  var isNameByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}

extension StringCache {
  /// The string of a log's bytes, its escapes undone.
  func string(_ bytes: UnsafeRawBufferPointer, isEscaped: Bool) -> String {
    isEscaped ? LogText.unescaped(String(decoding: bytes, as: UTF8.self)[...]) : string(bytes)
  }
}
