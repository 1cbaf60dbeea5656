// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Enums with raw values are attributes without further code.
///
///     enum Kind: Int16, CaseIterable, AttributeValue { case tram, bus }
///     let kind = Attribute<Kind>("kind", default: .tram)
///     // ZKIND INTEGER
///
/// A value of the file that is not a case reads as the first case.
extension AttributeValue where Self: RawRepresentable & CaseIterable, RawValue: AttributeValue {
  /// The raw value's.
  public static var attributeType: AttributeType { RawValue.attributeType }
  /// The first case.
  public static var valueForNull: Self {
    guard let first = allCases.first else { fatalError("\(Self.self) has no case to read") }
    return first
  }
  /// The raw value's.
  public var storeValue: StoreValue { rawValue.storeValue }

  /// Accepts the raw value of a case.
  public init?(_ value: StoreValue) {
    guard let rawValue = RawValue(value) else { return nil }
    self.init(rawValue: rawValue)
  }

  /// Reads a raw value.
  public init(row: RowPointer, slot: Int) {
    self = Self(rawValue: RawValue(row: row, slot: slot)) ?? .valueForNull
  }
}

/// A value that is kept as JSON in a column of bytes.
///
///     struct Address: CodableAttributeValue {
///       var street = "", city = ""
///       static var valueForNull: Address { Address() }
///     }
///     let address = Attribute<Address?>("address")
///     // ZADDRESS BLOB
///
/// Bytes that cannot be decoded read as ``AttributeValue/valueForNull``, and are not overwritten: after a
/// new value was set, or one that cannot be encoded, ``ManagedObjectContext/faultError`` makes the save
/// throw. ``AnyManagedObject/setValue(_:forKey:)-(StoreValue,_)`` replaces such bytes.
public protocol CodableAttributeValue: AttributeValue, Codable {}

extension CodableAttributeValue {
  /// `.data`.
  public static var attributeType: AttributeType { .data }
  /// True.
  public static var isJSON: Bool { true }
  /// JSON, with its keys in order; `.null` if the value's own encoding fails.
  ///
  /// Infinities and NaN, which JSON lacks, are the strings `inf`, `-inf` and `nan`.
  public var storeValue: StoreValue {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return (try? encoder.encode(self)).map(StoreValue.data) ?? .null
  }

  /// Accepts JSON.
  public init?(_ value: StoreValue) {
    guard case .data(let data) = value else { return nil }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let decoded = try? decoder.decode(Self.self, from: data) else { return nil }
    self = decoded
  }

  /// Decodes JSON.
  public init(row: RowPointer, slot: Int) {
    self = Self(.data(Data(row: row, slot: slot))) ?? .valueForNull
  }
}

extension Array: AttributeValue where Element: AttributeValue & Codable {}

/// Lists such as `[String]`, kept as JSON.
extension Array: CodableAttributeValue where Element: AttributeValue & Codable {
  /// The empty list.
  public static var valueForNull: [Element] { [] }
}

/// A type of values that are kept as JSON, with a check that bytes decode as it.
struct CodableType: Sendable {
  /// The Swift type, such as `Array<String>`.
  let type: String
  let canDecode: @Sendable (Data) -> Bool

  /// Nil for a type that is not kept as JSON.
  init?<Value: AttributeValue>(_ type: Value.Type) {
    guard Value.isJSON else { return nil }
    self.type = "\(type)"
    canDecode = { Value(.data($0)) != nil }
  }
}
