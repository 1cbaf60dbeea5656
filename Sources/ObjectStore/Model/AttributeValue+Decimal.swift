// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Decimal numbers, kept as numbers of SQLite, so that they sort, compare and sum up in SQL.
///
///     let price = Attribute<Decimal>("price", default: 0)
///     // ZPRICE DECIMAL
///
/// SQLite keeps 15 digits exactly. A save refuses a value with more digits, because it would be
/// read as a different value. In a predicate the arithmetic is SQLite's: `5 / 2` of two whole
/// numbers is 2.
extension Decimal: AttributeValue {
  /// `.decimal`.
  public static var attributeType: AttributeType { .decimal }
  /// The number 0.
  public static var valueForNull: Decimal { 0 }
  /// `.decimal`.
  public var storeValue: StoreValue { .decimal(self) }

  /// Accepts `.decimal`.
  public init?(_ value: StoreValue) {
    guard case .decimal(let decimal) = value else { return nil }
    self = decimal
  }

  /// Reads a number by its shortest decimal notation, which is the one that was written.
  public init(row: RowPointer, slot: Int) { self.init(stored: row.double(slot)) }

  init(stored number: Double) { self = Decimal(string: "\(number)") ?? .nan }

  /// The value in its column.
  var storedNumber: Double { Double("\(self)") ?? .nan }

  /// Whether the column returns the same value.
  var isStoredExactly: Bool { !isNaN && Decimal(stored: storedNumber) == self }

  /// The value that SQLite returns: a whole number is an integer there.
  var columnValue: StoreValue {
    let number = storedNumber
    return Int64(exactly: number).map { .integer($0) } ?? .double(number)
  }
}

extension StoreError.ValidationFailure.Problem {
  static func tooManyDigits(_ value: Decimal) -> Self {
    .refused("\(value) has more than the 15 digits that SQLite keeps of a number")
  }
}

extension StoreValue {
  /// Why a column would not return this value: nil if it would.
  var lossInColumn: StoreError.ValidationFailure.Problem? {
    switch self {
    case .double(let number): number.isNaN ? .notANumber : nil
    case .date(let date): date.timeIntervalSinceReferenceDate.isNaN ? .notANumber : nil
    case .decimal(let number):
      number.isNaN ? .notANumber : number.isStoredExactly ? nil : .tooManyDigits(number)
    default: nil
    }
  }
}
