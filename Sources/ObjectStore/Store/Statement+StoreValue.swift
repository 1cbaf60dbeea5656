// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreInstruments

extension Statement {
  /// Binds a value as its column holds it.
  func bind(_ value: StoreValue, at index: Int32) {
    switch value {
    case .null: bindNull(at: index)
    case .bool(let bool): bind(bool ? 1 as Int64 : 0, at: index)
    case .integer(let integer): bind(integer, at: index)
    case .double(let double): bind(double, at: index)
    case .decimal(let decimal): bind(decimal.storedNumber, at: index)
    case .string(let string): bind(string, at: index)
    case .date(let date): bind(date.timeIntervalSinceReferenceDate, at: index)
    case .data(let data): data.withUnsafeBytes { bind(blob: $0, at: index) }
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { bind(blob: $0, at: index) }
    case .url(let url): bind(url.absoluteString, at: index)
    case .object(let id): bind(id.primaryKey, at: index)
    case .external(let reference):
      ExternalDataColumn.bytes(reference).withUnsafeBytes { bind(blob: $0, at: index) }
    }
  }
}

extension StoreValue {
  /// The value for observers of bound values; 64 bytes of a blob are enough.
  var boundValue: BoundValue {
    switch self {
    case .null: .null
    case .bool(let bool): .integer(bool ? 1 : 0)
    case .integer(let integer): .integer(integer)
    case .double(let double): .real(double)
    case .decimal(let decimal): .real(decimal.storedNumber)
    case .string(let string): .text(string)
    case .date(let date): .timestamp(date.timeIntervalSinceReferenceDate)
    case .data(let data): .blob(prefix: Array(data.prefix(64)), count: data.count)
    case .uuid(let uuid): .blob(prefix: withUnsafeBytes(of: uuid.uuid) { Array($0) }, count: 16)
    case .url(let url): .text(url.absoluteString)
    case .object(let id): .integer(id.primaryKey)
    case .external(let reference):
      .blob(prefix: Array(ExternalDataColumn.bytes(reference)), count: 38)
    }
  }
}
