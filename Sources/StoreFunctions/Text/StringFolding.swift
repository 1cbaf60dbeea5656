// SPDX-License-Identifier: Apache-2.0

import Foundation
@_spi(_Unicode) import Swift

/// Which differences between strings do not count; the bits are those of Foundation's string
/// comparison, as Core Data writes them into its SQL.
package struct StringFolding: OptionSet, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let `case` = Self(rawValue: 1)
  /// By the rules of the current locale.
  package static let localized = Self(rawValue: 32)
  package static let diacritics = Self(rawValue: 128)
  /// Of East Asian characters; Core Data has it in SwiftData's localized searches.
  package static let width = Self(rawValue: 256)

  /// The string without the differences: two strings are equal if their foldings are, byte by byte.
  ///
  /// `É` becomes `é` (decomposed), `E` or `e`. Without options the string stays as it is.
  package func folded(_ string: String) -> String {
    guard !isEmpty else { return string }
    var string = isSuperset(of: [.case, .localized]) ? string.lowercased(with: .current) : string
    if string.isASCII {
      return contains(.case)
        ? String(decoding: string.utf8.map(Self.lowered), as: UTF8.self) : string
    }
    if contains(.width) { string = string.folding(options: .widthInsensitive, locale: nil) }
    if let table = FoldingTable.table(for: self), let folded = string.withUTF8(table.folded) {
      return String(decoding: folded, as: UTF8.self)
    }
    return foldedByScalars(string)
  }

  /// By Unicode's properties of each scalar: some microseconds for each.
  package func foldedByScalars(_ string: String) -> String {
    var folded = String.UnicodeScalarView()
    for scalar in string._nfd {
      append(scalar, to: &folded)
    }
    return String(folded)
  }

  private func append(_ scalar: Unicode.Scalar, to folded: inout String.UnicodeScalarView) {
    if contains(.diacritics), scalar.properties.generalCategory == .nonspacingMark { return }
    // The dotless i has the capital of the other i, but is another letter.
    guard contains(.case), scalar != "\u{131}" else { return folded.append(scalar) }
    // By way of the capital: σ and ς have the same one, and ß has SS; ẞ has neither but by ß.
    for small in scalar.properties.lowercaseMapping.unicodeScalars {
      for capital in small.properties.uppercaseMapping.unicodeScalars {
        for folding in capital.properties.lowercaseMapping._nfd
        where !contains(.diacritics) || folding.properties.generalCategory != .nonspacingMark {
          folded.append(folding)
        }
      }
    }
  }

  /// Below, at or above 0, in the order of the current locale.
  package func localizedOrder(_ a: String, _ b: String) -> Int {
    var options: String.CompareOptions = []
    if contains(.case) { options.insert(.caseInsensitive) }
    if contains(.diacritics) { options.insert(.diacriticInsensitive) }
    if contains(.width) { options.insert(.widthInsensitive) }
    return a.compare(b, options: options, range: nil, locale: .current).rawValue
  }

  /// An ASCII letter in lower case; inlinable, since the store calls it for each byte of a text.
  @inlinable @inline(__always)
  package static func lowered(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }
}

extension String {
  /// One pass over the bytes, without allocation.
  package var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

  /// In NFC, "ö" as one scalar.
  package var precomposed: String { isASCII ? self : String(scalars: _nfc) }

  /// In NFD, "ö" as "o" and its dots.
  package var decomposed: String { isASCII ? self : String(scalars: _nfd) }

  private init(scalars: some Sequence<Unicode.Scalar>) {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    self.init(view)
  }

  /// The ways in which the same text is stored: in NFC, in NFD, and as it is written here.
  package var spellings: [String] {
    guard !isASCII else { return [self] }
    var spellings = [precomposed]
    for other in [decomposed, self]
    where !spellings.contains(where: { $0.utf8.elementsEqual(other.utf8) }) {
      spellings.append(other)
    }
    return spellings
  }
}
