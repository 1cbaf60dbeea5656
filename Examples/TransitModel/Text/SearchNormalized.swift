// SPDX-License-Identifier: Apache-2.0

import Foundation

extension String {
  /// The text as it is searched: decomposed, without non-spacing marks, in lower case, composed.
  ///
  ///     "U Görlitzer Bahnhof (Berlin)".searchNormalized   // u gorlitzer bahnhof (berlin)
  public var searchNormalized: String {
    var stripped = String.UnicodeScalarView()
    for scalar in decomposedStringWithCanonicalMapping.unicodeScalars
    where scalar.properties.generalCategory != .nonspacingMark {
      stripped.append(scalar)
    }
    return String(stripped).lowercased().precomposedStringWithCanonicalMapping
  }
}
