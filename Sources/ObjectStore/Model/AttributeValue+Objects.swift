// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension String: AttributeValue {
  /// `.string`.
  @inlinable public static var attributeType: AttributeType { .string }
  /// "".
  @inlinable public static var valueForNull: String { "" }
  /// `.string`.
  @inlinable public var storeValue: StoreValue { .string(self) }

  /// Accepts `.string`.
  @inlinable public init?(_ value: StoreValue) {
    guard case .string(let string) = value else { return nil }
    self = string
  }

  /// Bytes that are not UTF-8 are repaired.
  @inlinable public init(row: RowPointer, slot: Int) {
    self = row.withBytes(slot) { String(decoding: $0, as: UTF8.self) }
  }
}

extension Date: AttributeValue {
  /// `.date`.
  @inlinable public static var attributeType: AttributeType { .date }
  /// 2001-01-01 00:00 UTC.
  @inlinable public static var valueForNull: Date { Date(timeIntervalSinceReferenceDate: 0) }
  /// `.date`.
  @inlinable public var storeValue: StoreValue { .date(self) }

  /// Accepts `.date`.
  @inlinable public init?(_ value: StoreValue) {
    guard case .date(let date) = value else { return nil }
    self = date
  }

  /// Reads seconds since 2001-01-01 00:00 UTC.
  @inlinable public init(row: RowPointer, slot: Int) {
    self = Date(timeIntervalSinceReferenceDate: row.double(slot))
  }
}

extension Data: AttributeValue {
  /// `.data`.
  @inlinable public static var attributeType: AttributeType { .data }
  /// No bytes.
  @inlinable public static var valueForNull: Data { Data() }
  /// `.data`.
  @inlinable public var storeValue: StoreValue { .data(self) }

  /// Accepts `.data`.
  @inlinable public init?(_ value: StoreValue) {
    guard case .data(let data) = value else { return nil }
    self = data
  }

  /// Copies the bytes; data in a file that was not read has no bytes.
  @inlinable public init(row: RowPointer, slot: Int) {
    self = row.isExternal(slot) ? Data() : row.withBytes(slot) { Data($0) }
  }
}

extension UUID: AttributeValue {
  /// `.uuid`.
  @inlinable public static var attributeType: AttributeType { .uuid }
  /// All zero.
  @inlinable public static var valueForNull: UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
  /// `.uuid`.
  @inlinable public var storeValue: StoreValue { .uuid(self) }

  /// Accepts `.uuid`.
  @inlinable public init?(_ value: StoreValue) {
    guard case .uuid(let uuid) = value else { return nil }
    self = uuid
  }

  /// A blob that is not of sixteen bytes reads as all zero.
  @inlinable public init(row: RowPointer, slot: Int) {
    self = row.withBytes(slot) { bytes in
      guard bytes.count == 16 else { return .valueForNull }
      return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
  }
}

extension URL: AttributeValue {
  /// `.url`.
  @inlinable public static var attributeType: AttributeType { .url }
  /// `about:blank`.
  public static var valueForNull: URL {
    URL(string: "about:blank") ?? URL(filePath: "/")
  }
  /// `.url`.
  @inlinable public var storeValue: StoreValue { .url(self) }

  /// Accepts `.url`.
  @inlinable public init?(_ value: StoreValue) {
    guard case .url(let url) = value else { return nil }
    self = url
  }

  /// Text that is not a URL reads as `about:blank`.
  public init(row: RowPointer, slot: Int) {
    self = URL(string: String(row: row, slot: slot)) ?? .valueForNull
  }
}
