// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TraceReading

/// Any value of JSON, as a client sends it.
enum JSONValue: Hashable, Codable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Beyond `Int64`.
  case unsigned(UInt64)
  case number(Double)
  case string(String)
  case array([Self])
  case object([String: Self])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let integer = try? value.decode(Int64.self) {
      self = .integer(integer)
    } else if let unsigned = try? value.decode(UInt64.self) {
      self = .unsigned(unsigned)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([Self].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: Self].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .integer(let integer): try container.encode(integer)
    case .unsigned(let unsigned): try container.encode(unsigned)
    case .number(let number): try container.encode(number)
    case .string(let string): try container.encode(string)
    case .array(let array): try container.encode(array)
    case .object(let object): try container.encode(object)
    }
  }

  /// - Throws: `DecodingError` for bytes that are not JSON.
  init(_ bytes: some Sequence<UInt8>) throws {
    self = try BoundedJSON.decode(Self.self, from: Data(bytes))
  }

  /// A member of an object; nil for other values.
  subscript(_ key: String) -> Self? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  var string: String? { if case .string(let string) = self { string } else { nil } }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
  init(stringLiteral value: String) { self = .string(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(arrayLiteral elements: Self...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, Self)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
