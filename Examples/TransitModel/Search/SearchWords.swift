// SPDX-License-Identifier: Apache-2.0

import ObjectStore

extension String {
  /// The words of a text, normalized for searches, each once, in order.
  ///
  ///     "Gedenkstätte Dt. Widerstand (Berlin)".searchWords   // gedenkstatte, dt, widerstand, berlin
  public var searchWords: [String] {
    var seen: Set<String> = []
    return searchNormalized.unicodeScalars.split { !$0.isPartOfWord }
      .map(String.init).filter { seen.insert($0).inserted }
  }
}

extension Unicode.Scalar {
  /// Letters, digits, and the marks that remain after normalization.
  fileprivate var isPartOfWord: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .spacingMark, .enclosingMark:
      true
    default: false
    }
  }
}
