// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

extension Statement {
  /// A column of the current row, as a result column of that type holds it.
  func value(_ column: Int32, as type: ResultType) -> StoreValue {
    guard !isNull(column) else { return .null }
    switch type {
    case .object(let entity):
      return .object(ManagedObjectID(reference: entity.reference, primaryKey: int64(column)))
    case .objectAndEntity(let declared):
      let entity = declared.entity(numbered: int64(column + 1))
      return .object(ManagedObjectID(reference: entity.reference, primaryKey: int64(column)))
    case .externalData: return ExternalDataColumn(blob(column)).storeValue
    case .attribute(let type): return value(column, as: type)
    case .dynamic:
      switch columnType(column) {
      case .integer: return .integer(int64(column))
      case .float: return .double(double(column))
      case .text: return .string(string(column))
      case .blob: return .data(Data(blob(column)))
      case .null: return .null
      }
    }
  }

  private func value(_ column: Int32, as type: AttributeType) -> StoreValue {
    switch type {
    case .int16, .int32, .int64: .integer(int64(column))
    case .bool: .bool(int64(column) != 0)
    case .double, .float: .double(double(column))
    // 15 digits, also of a sum.
    case .decimal: .decimal(Decimal(string: string(column)) ?? .nan)
    case .string: .string(string(column))
    case .url: .url(URL(string: string(column)) ?? .valueForNull)
    case .date: .date(Date(timeIntervalSinceReferenceDate: double(column)))
    case .data: .data(Data(blob(column)))
    case .uuid: .uuid(uuid(column))
    }
  }

  private func uuid(_ column: Int32) -> UUID {
    let bytes = blob(column)
    guard bytes.count == 16 else { return .valueForNull }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }
}
