// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The value of an attribute, of any type that a store can hold.
public enum StoreValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// Int16, Int32 and Int64 attributes.
  case integer(Int64)
  /// Double and Float attributes.
  case double(Double)
  case string(String)
  case date(Date)
  case data(Data)
  case uuid(UUID)
  case url(URL)
  /// A to-one relationship, or `SELF`.
  case object(ManagedObjectID)
}

/// What an attribute's column holds.
public enum AttributeType: String, Hashable, Sendable {
  case int16, int32, int64, bool, double, float, string, date, data, uuid, url

  /// The declared type of the column, as Core Data writes it.
  public var columnType: String {
    switch self {
    case .int16, .int32, .int64, .bool: "INTEGER"
    case .double, .float: "FLOAT"
    case .string, .url: "VARCHAR"
    case .date: "TIMESTAMP"
    case .data, .uuid: "BLOB"
    }
  }
}

/// Names one object of a store: safe to pass between threads, where objects are not.
public struct ManagedObjectID: Hashable, Sendable {
  /// The name of the object's entity.
  public let entityName: String
  /// The primary key; negative until the object is saved.
  public let primaryKey: Int64
  /// The store's UUID, or "" for an object that was never saved.
  public let storeUUID: String

  init(entityName: String, primaryKey: Int64, storeUUID: String) {
    self.entityName = entityName
    self.primaryKey = primaryKey
    self.storeUUID = storeUUID
  }

  public var isTemporary: Bool { primaryKey < 0 }

  /// `x-coredata://<store UUID>/<entity>/p<primary key>`, as Core Data writes it.
  public var uri: String {
    "x-coredata://\(storeUUID)/\(entityName)/\(isTemporary ? "t" : "p")\(primaryKey.magnitude)"
  }
}
