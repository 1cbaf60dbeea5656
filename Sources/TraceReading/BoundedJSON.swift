// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Reads JSON that may come from anywhere.
///
/// Foundation's decoder traps on arrays nested 513 deep, so the depth is checked first.
public enum BoundedJSON {
  /// The reason why a text was not decoded.
  public struct TooDeep: Error, Hashable, CustomStringConvertible {
    public var description: String {
      "it nests arrays or objects more than \(BoundedJSON.maxLevels) deep"
    }
  }

  // The output of this tool has nine levels; 64 is arbitrary.
  static let maxLevels = 64

  /// Decodes a value.
  ///
  /// - Throws: ``TooDeep``, or the decoder's errors.
  public static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    // In UTF-16, which the decoder also accepts, brackets cannot be counted byte by byte.
    guard !data.contains(0) else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a NUL byte"))
    }
    guard isShallow(data) else { throw TooDeep() }
    return try JSONDecoder().decode(type, from: data)
  }

  /// Whether no bracket is deeper than allowed, even if the text is not JSON.
  static func isShallow(_ data: Data) -> Bool {
    var depth = 0
    var isInString = false
    var isEscaped = false
    return data.withUnsafeBytes { bytes in
      for byte in bytes {
        if isInString {
          if isEscaped {
            isEscaped = false
          } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
          } else if byte == UInt8(ascii: "\"") {
            isInString = false
          }
          continue
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
        if depth > maxLevels { return false }
      }
      return true
    }
  }
}
