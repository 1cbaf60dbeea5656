// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ObjectStore

/// An entry of a list that people read in the order of its values.
public struct Record: Entity {
  /// A name, as it is shown: `Åström, Elin`.
  public let text = Attribute<String>("value")
  /// What the value is sorted by: bytes, whose plain order is that of the values in a language.
  public let indexValue = Attribute<Data>("indexValue", derivedFrom: \Self.text, \.listSortKey)

  /// The index on `indexValue` has its order; one on the value cannot have a language's order.
  public static let indexes: [Index<Record>] = [Index(\.indexValue)]

  /// Makes the schema.
  public init() {}
}

extension String {
  /// As the list sorts: by letters, then by their marks; upper and lower case are equal.
  var listSortKey: Data { sortKey(.localizedCaseInsensitive, locale: RecordStore.locale) }
}
