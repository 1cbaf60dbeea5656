// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Any JSON.
public enum JSONValue: Hashable, Codable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Beyond `Int64`.
  case unsigned(UInt64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// Reads a text.
  public init(text: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
  }

  public init(from decoder: any Decoder) throws {
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
    } else if let array = try? value.decode([JSONValue].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: JSONValue].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  subscript(key: String) -> JSONValue? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }
  var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  var members: [String: JSONValue] {
    if case .object(let members) = self { members } else { [:] }
  }
}
