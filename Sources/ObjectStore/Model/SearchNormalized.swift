// SPDX-License-Identifier: Apache-2.0

import StoreFunctions
@_spi(_Unicode) import Swift

extension String {
  /// The text in the form used for searches: decomposed, without non-spacing marks, in lower case,
  /// composed.
  ///
  ///     "U Görlitzer Bahnhof (Berlin)".searchNormalized   // u gorlitzer bahnhof (berlin)
  ///
  /// Normalized text needs no `[cd]`, and so a plain index serves a search by its beginning.
  public var searchNormalized: String {
    if utf8.allSatisfy({ $0 < 0x80 }) {
      return String(decoding: utf8.map(StringFolding.lowered), as: UTF8.self)
    }
    var stripped = String.UnicodeScalarView()
    for scalar in _nfd where scalar.properties.generalCategory != .nonspacingMark {
      stripped.append(scalar)
    }
    var composed = String.UnicodeScalarView()
    for scalar in String(stripped).lowercased()._nfc { composed.append(scalar) }
    return String(composed)
  }
}
