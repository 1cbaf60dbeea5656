// SPDX-License-Identifier: Apache-2.0

/// What each scalar below U+0300 folds to, as UTF-8: the Latin letters, which stand alone.
///
/// Without combining marks in the text, which begin there, a text folds letter by letter.
package struct FoldingTable {
  private static let first: UInt32 = 0x80
  private static let end: UInt32 = 0x300

  private var bytes: [UInt8] = []
  /// Where the folding of a scalar begins; one more than there are scalars.
  private var starts: [Int] = [0]
  private let lowersASCII: Bool

  private static let plain = FoldingTable([])
  private static let withoutCase = FoldingTable(.case)
  private static let withoutDiacritics = FoldingTable(.diacritics)
  private static let withoutBoth = FoldingTable([.case, .diacritics])

  /// Nil for the rules of a locale.
  package static func table(for folding: StringFolding) -> FoldingTable? {
    switch folding {
    case []: plain
    case .case: withoutCase
    case .diacritics: withoutDiacritics
    case [.case, .diacritics]: withoutBoth
    default: nil
    }
  }

  private init(_ folding: StringFolding) {
    lowersASCII = folding.contains(.case)
    for value in Self.first..<Self.end {
      if let scalar = Unicode.Scalar(value) {
        bytes += Array(folding.foldedByScalars(String(scalar)).utf8)
      }
      starts.append(bytes.count)
    }
  }

  /// The folded text, or nil where it holds a scalar beyond the table.
  package func folded(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var folded: [UInt8] = []
    folded.reserveCapacity(text.count + 8)
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte < 0x80 {
        folded.append(lowersASCII ? StringFolding.lowered(byte) : byte)
        index += 1
        continue
      }
      // C2 80 is U+0080, CB BF is U+02FF.
      guard (0xC2...0xCB).contains(byte), index + 1 < text.count, text[index + 1] & 0xC0 == 0x80
      else { return nil }
      let slot = Int(byte & 0x1F) << 6 + Int(text[index + 1] & 0x3F) - Int(Self.first)
      folded.append(contentsOf: bytes[starts[slot]..<starts[slot + 1]])
      index += 2
    }
    return folded
  }
}
