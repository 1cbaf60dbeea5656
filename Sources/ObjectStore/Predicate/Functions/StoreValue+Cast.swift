// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreFunctions

extension StoreValue {
  /// The value converted to another kind, as CAST returns it; nil if the text is not a number.
  func cast(as kind: ValueKind) -> StoreValue {
    switch (kind, self) {
    case (.date, .integer(let seconds)):
      .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case (.date, .double(let seconds)): .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.number, .date), (.number, .string): StoreValue(functionValue.asNumber)
    case (.string, .integer), (.string, .double): StoreValue(functionValue.asText)
    default: self
    }
  }
}
