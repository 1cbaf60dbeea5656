// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The value of an attribute, of any type that a store can hold.
public enum StoreValue: Hashable, Sendable {
  /// NULL, nil.
  case null
  /// Bool attributes.
  case bool(Bool)
  /// Int16, Int32 and Int64 attributes.
  case integer(Int64)
  /// Double and Float attributes.
  case double(Double)
  /// Decimal attributes.
  case decimal(Decimal)
  /// String attributes.
  case string(String)
  /// Date attributes.
  case date(Date)
  /// Data attributes.
  case data(Data)
  /// UUID attributes.
  case uuid(UUID)
  /// URL attributes.
  case url(URL)
  /// Data in a file that is not read: in ``MergeConflict`` only, elsewhere it is `data`.
  case external(ExternalDataReference)
  /// A to-one relationship, or `SELF`.
  case object(ManagedObjectID)
}

/// The value of an attribute's column.
public enum AttributeType: String, Hashable, Sendable {
  /// Integers: stored as such.
  case int16, int32, int64, bool
  /// Stored as reals.
  case double, float
  /// Stored as numbers, exactly up to 15 digits.
  case decimal
  /// Stored as text.
  case string, url
  /// Stored as seconds since 2001-01-01 00:00 UTC.
  case date
  /// Stored as bytes.
  case data, uuid

  /// The declared type of the column, as Core Data writes it.
  public var columnType: String {
    switch self {
    case .int16, .int32, .int64, .bool: "INTEGER"
    case .double, .float: "FLOAT"
    case .decimal: "DECIMAL"
    case .string, .url: "VARCHAR"
    case .date: "TIMESTAMP"
    case .data, .uuid: "BLOB"
    }
  }
}
