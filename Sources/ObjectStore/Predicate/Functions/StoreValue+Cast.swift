// SPDX-License-Identifier: Apache-2.0

import Foundation

extension StoreValue {
  /// The value as one of another kind, as CAST gives it; nil where text is no number.
  func cast(as kind: ValueKind) -> StoreValue {
    switch (kind, self) {
    case (.date, .integer(let seconds)):
      .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case (.date, .double(let seconds)): .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.number, .date(let date)): StoreValue.double(date.timeIntervalSinceReferenceDate).asStored
    case (.number, .string(let text)):
      Int64(text).map { .integer($0) } ?? Double(text).map { StoreValue.double($0).asStored }
        ?? .null
    case (.string, .integer(let number)): .string(String(number))
    case (.string, .double(let number)): .string("\(number)")
    default: self
    }
  }
}
