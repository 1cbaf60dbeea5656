// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreFunctions

/// A value for a parameter.
public enum BindValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// Reads `12`, `1.5`, `'it''s'`, `x'00ff'` or `NULL`.
  public init(_ text: String) throws(OrderingError) {
    if text.uppercased() == "NULL" {
      self = .null
    } else if let integer = Int64(text) {
      self = .integer(integer)
    } else if let real = Double(text), real.isFinite {
      self = .real(real)
    } else if text.count >= 2, text.hasPrefix("'"), text.hasSuffix("'"),
      let name = SQLTokenizer.tokens(of: text).first, name.text.endIndex == text.endIndex,
      let inner = name.name
    {
      self = .text(inner)
    } else if let digits = Self.digits(ofBlob: text) {
      self = .blob(Hexadecimal.bytes(of: digits))
    } else {
      throw .malformedValue(text)
    }
  }

  /// The digits in `x'00ff'`.
  private static func digits(ofBlob text: String) -> Substring? {
    guard text.count >= 3, text.lowercased().hasPrefix("x'"), text.hasSuffix("'") else {
      return nil
    }
    let digits = text.dropFirst(2).dropLast()
    return digits.count.isMultiple(of: 2) && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
      ? digits : nil
  }

  init(_ statement: Statement, column: Int32) {
    switch statement.columnType(column) {
    case .integer: self = .integer(statement.int64(column))
    case .float: self = .real(statement.double(column))
    case .text: self = .text(statement.string(column))
    case .blob: self = .blob(Array(statement.blob(column)))
    case .null: self = .null
    }
  }

  func bind(to statement: Statement, at index: Int32) {
    switch self {
    case .null: statement.bindNull(at: index)
    case .integer(let value): statement.bind(value, at: index)
    case .real(let value): statement.bind(value, at: index)
    case .text(let value): statement.bind(value, at: index)
    case .blob(let value): value.withUnsafeBytes { statement.bind(blob: $0, at: index) }
    }
  }
}

extension BindValue: CustomStringConvertible {
  /// In the syntax of `--bind`.
  public var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value):
      "'" + value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
        + "'"
    case .blob(let value): "x'\(Hexadecimal.text(of: value))'"
    }
  }
}
