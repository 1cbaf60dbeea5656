// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// What goes into a function and comes out of it: what a column can hold.
package enum FunctionValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case double(Double)
  case string(String)
  case blob([UInt8])

  /// As `CAST(…, "NSNumber")` makes a number of a text; nil of what is none.
  package var asNumber: FunctionValue {
    switch self {
    case .string(let text):
      Int64(text).map { .integer($0) } ?? Double(text).map { FunctionValue.double($0).asNumber }
        ?? .null
    case .double(let number) where number.isNaN: .null
    default: self
    }
  }

  /// As `CAST(…, "NSString")` writes a number.
  package var asText: FunctionValue {
    switch self {
    case .integer(let number): .string(String(number))
    case .double(let number): .string("\(number)")
    default: self
    }
  }
}

extension FunctionCall {
  /// An argument; no function takes a blob.
  borrowing func value(_ index: Int) -> FunctionValue {
    switch type(index) {
    case .integer: .integer(int64(index))
    case .float: .double(double(index))
    case .text: .string(string(index))
    case .blob, .null: .null
    }
  }

  borrowing func answer(_ value: FunctionValue) {
    switch value {
    case .null: break
    case .integer(let number): answer(number)
    case .double(let number): answer(number)
    case .string(let string): answer(string)
    case .blob(let bytes): bytes.withUnsafeBytes { answer(blob: $0) }
    }
  }
}
