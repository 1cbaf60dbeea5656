// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import StoreFunctions

extension String {
  /// Bytes with a bytewise order that equals a comparator's order of the strings.
  ///
  /// If the key is stored in an attribute, SQLite can sort by an index, without a comparator:
  ///
  ///     let indexValue = Attribute<Data>("indexValue", derivedFrom: \Self.value, \.nameSortKey)
  ///     // ORDER BY t0.ZINDEXVALUE     instead of     ORDER BY t0.ZVALUE COLLATE NSCollateFinderlike
  ///
  /// Two strings that the comparator finds equal have equal keys. Keys of another language, or of
  /// another version of ICU, must not be compared with these.
  ///
  /// - Parameter locale: the locale of the order, such as `de_DE`; "" for the root order.
  public func sortKey(
    _ comparator: SortTerm.Comparator = .localizedCaseInsensitive, locale: String = ""
  ) -> Data {
    switch TextOrder(comparator, locale: locale) {
    case .bytes: Data(utf8)
    case .folded(let folding): Data(folding.folded(self).utf8)
    case .language(let collator): Data(collator.sortKey(self))
    }
  }
}
