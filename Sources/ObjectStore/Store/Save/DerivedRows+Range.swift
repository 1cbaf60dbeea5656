// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Sums and counts that are larger than their attribute takes: they would be read as the largest one.
extension SaveWriter {
  /// - Throws: ``StoreError/invalid(_:)`` for a row with a new value that does not fit.
  func checkRange(of column: RelatedColumn, _ keys: [Int64]) throws {
    guard let range = column.range else { return }
    let find = try connection.cachedStatement(
      "SELECT Z_PK FROM \(column.table) WHERE Z_PK IN (SELECT value FROM json_each(?)) "
        + "AND \(column.column) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)")
    defer { connection.recycle(find) }
    find.bind(JSONArray(keys: keys).text, at: 1)
    if try find.step() { throw outOfRange(column, find.int64(0), range) }
  }

  /// The error of a statement that computes sums: it names the row with a sum that takes more than
  /// 64 bits.
  func overflow(
    of column: RelatedColumn, _ keys: [Int64], _ error: SQLiteError
  ) throws -> any Error {
    guard error.isMistake, error.message == "integer overflow" else { return error }
    let sum = try connection.prepare("SELECT \(column.value) FROM \(column.table) WHERE Z_PK = ?")
    for key in keys {
      sum.reset()
      sum.bind(key, at: 1)
      do { _ = try sum.step() } catch {
        return outOfRange(column, key, column.range ?? Int64.min...Int64.max)
      }
    }
    return error
  }

  private func outOfRange(
    _ column: RelatedColumn, _ key: Int64, _ range: ClosedRange<Int64>
  ) -> StoreError {
    let id = ManagedObjectID(reference: column.reference, primaryKey: key)
    let allowed = "\(range.lowerBound) to \(range.upperBound)"
    return .invalid([.init(objectID: id, property: column.name, problem: .outOfRange(allowed))])
  }
}

extension AttributeType {
  /// The integers that it takes, if they are not all of 64 bits.
  var narrowRange: ClosedRange<Int64>? {
    switch self {
    case .int16: Int64(Int16.min)...Int64(Int16.max)
    case .int32: Int64(Int32.min)...Int64(Int32.max)
    default: nil
    }
  }
}
