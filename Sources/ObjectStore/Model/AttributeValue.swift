// SPDX-License-Identifier: Apache-2.0

/// A type that an attribute can have.
///
/// Int16, Int32, Int64, Int, Bool, Double, Float, String, Date, Data, UUID, URL, and the optional
/// of each.
public protocol AttributeValue: Sendable {
  /// The value in the column.
  static var attributeType: AttributeType { get }
  /// Whether nil is one of the values.
  static var isOptional: Bool { get }
  /// Whether it is kept as JSON, so that bytes of the file may be no value.
  static var isJSON: Bool { get }
  /// The value of an attribute whose column is NULL: nil, or the type's zero.
  static var valueForNull: Self { get }
  /// The value as a store holds it.
  var storeValue: StoreValue { get }
  /// Makes the value of a store's value; nil if it is of another type, or NULL and not optional.
  init?(_ value: StoreValue)
  /// Reads a value that is not NULL from a row.
  init(row: RowPointer, slot: Int)
}

extension AttributeValue {
  /// False; only `Optional` returns true.
  @inlinable public static var isOptional: Bool { false }
  /// False; only a ``CodableAttributeValue`` returns true.
  @inlinable public static var isJSON: Bool { false }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
  /// The wrapped type's.
  @inlinable public static var attributeType: AttributeType { Wrapped.attributeType }
  /// True.
  @inlinable public static var isOptional: Bool { true }
  /// The wrapped type's.
  @inlinable public static var isJSON: Bool { Wrapped.isJSON }
  /// Nil.
  @inlinable public static var valueForNull: Self { nil }
  /// The wrapped value's, or NULL.
  @inlinable public var storeValue: StoreValue { self?.storeValue ?? .null }

  /// NULL becomes nil.
  @inlinable public init?(_ value: StoreValue) {
    if case .null = value {
      self = .none
    } else if let wrapped = Wrapped(value) {
      self = wrapped
    } else {
      return nil
    }
  }

  /// Reads a value that is not NULL.
  @inlinable public init(row: RowPointer, slot: Int) { self = Wrapped(row: row, slot: slot) }
}

extension AttributeValue where Self: FixedWidthInteger {
  /// 0.
  @inlinable public static var valueForNull: Self { 0 }
  /// `.integer`.
  @inlinable public var storeValue: StoreValue { .integer(Int64(self)) }

  /// Accepts an integer that fits.
  @inlinable public init?(_ value: StoreValue) {
    guard case .integer(let integer) = value else { return nil }
    self.init(exactly: integer)
  }

  /// An integer of another program's file that does not fit is clamped.
  @inlinable public init(row: RowPointer, slot: Int) {
    self.init(clamping: row.integer(slot))
  }
}

extension Int16: AttributeValue {
  /// `.int16`.
  @inlinable public static var attributeType: AttributeType { .int16 }
}

extension Int32: AttributeValue {
  /// `.int32`.
  @inlinable public static var attributeType: AttributeType { .int32 }
}

extension Int64: AttributeValue {
  /// `.int64`.
  @inlinable public static var attributeType: AttributeType { .int64 }
}

extension Int: AttributeValue {
  /// `.int64`.
  @inlinable public static var attributeType: AttributeType { .int64 }
}

extension Bool: AttributeValue {
  /// `.bool`.
  @inlinable public static var attributeType: AttributeType { .bool }
  /// False.
  @inlinable public static var valueForNull: Bool { false }
  /// `.bool`.
  @inlinable public var storeValue: StoreValue { .bool(self) }

  /// Accepts `.bool`.
  @inlinable public init?(_ value: StoreValue) {
    guard case .bool(let bool) = value else { return nil }
    self = bool
  }

  /// Anything but 0 is true.
  @inlinable public init(row: RowPointer, slot: Int) { self = row.integer(slot) != 0 }
}

extension Double: AttributeValue {
  /// `.double`.
  @inlinable public static var attributeType: AttributeType { .double }
  /// 0.
  @inlinable public static var valueForNull: Double { 0 }
  /// `.double`.
  @inlinable public var storeValue: StoreValue { .double(self) }

  /// Accepts `.double`.
  @inlinable public init?(_ value: StoreValue) {
    guard case .double(let double) = value else { return nil }
    self = double
  }

  /// Reads a real.
  @inlinable public init(row: RowPointer, slot: Int) { self = row.double(slot) }
}

extension Float: AttributeValue {
  /// `.float`.
  @inlinable public static var attributeType: AttributeType { .float }
  /// 0.
  @inlinable public static var valueForNull: Float { 0 }
  /// `.double`.
  @inlinable public var storeValue: StoreValue { .double(Double(self)) }

  /// Accepts `.double`, rounded.
  @inlinable public init?(_ value: StoreValue) {
    guard case .double(let double) = value else { return nil }
    self = Float(double)
  }

  /// Reads a real, rounded.
  @inlinable public init(row: RowPointer, slot: Int) { self = Float(row.double(slot)) }
}
