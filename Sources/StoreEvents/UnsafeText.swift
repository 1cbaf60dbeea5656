// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
  /// Whether a text from data must not hold this scalar as it is: a control character, a mark that
  /// changes the direction of text, or an invisible one.
  ///
  /// A terminal obeys ESC and the C1 controls. Marks of direction let one text look like another
  /// (<https://trojansource.codes>), and so do characters without a glyph, such as the tag characters,
  /// which can also hide a whole message. ZERO WIDTH JOINER and NON-JOINER stay: scripts need them.
  public var isUnsafeInText: Bool {
    switch value {
    case 0x20..<0x7f: false
    case 0x00...0x1f, 0x7f...0x9f: true
    case ..<0x300: value == 0xad
    case 0x61c, 0x180e, 0x200b, 0x200e, 0x200f, 0x2028...0x202e, 0x2060...0x206f: true
    case 0xfeff, 0xfff9...0xfffb, 0xe0000...0xe007f: true
    default: false
    }
  }

  /// `\u{1b}`, as the debug log writes a scalar that is unsafe.
  public var visibleEscape: String { "\\u{\(String(value, radix: 16))}" }
}

extension String {
  /// The text with unsafe characters written as `\u{1b}`, line feeds and tabs as they are.
  ///
  /// For text that is escaped already, or must not get another backslash; ``LogText`` escapes data
  /// so that it can be read back.
  public var withVisibleControls: String {
    func isShown(_ scalar: Unicode.Scalar) -> Bool {
      scalar.isUnsafeInText && scalar != "\n" && scalar != "\t"
    }
    guard unicodeScalars.contains(where: isShown) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if isShown(scalar) {
        result += scalar.visibleEscape
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
