// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ObjectStore

/// An entry of a list that people read in the order of its values.
public struct Record: Entity {
  /// A name as displayed: `Åström, Elin`.
  public let text = Attribute<String>("value")
  /// The sort key of the value: bytes whose binary order is the localized order of the values.
  public let indexValue = Attribute<Data>("indexValue", derivedFrom: \Self.text, \.listSortKey)

  /// The index on `indexValue` has its order; one on the value cannot have a language's order.
  public static let indexes: [Index<Record>] = [Index(\.indexValue)]

  /// Makes the schema.
  public init() {}
}

extension String {
  /// In the order of the list: by letters, then by diacritics; upper and lower case are equal.
  var listSortKey: Data { sortKey(.localizedCaseInsensitive, locale: RecordStore.locale) }
}
