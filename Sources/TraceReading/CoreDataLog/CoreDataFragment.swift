// SPDX-License-Identifier: Apache-2.0

/// An annotation that is cut before its end, and the lines after it.
///
///     CoreData: annotation: to-many relationship fault "tags" for objectID 0x9f0f1c64a0d1 <x-cor
///     edata://9A1C/Note/p7> fulfilled from database.  Got 3 rows
struct CoreDataFragment {
  enum Result {
    case whole(CoreDataAnnotation)
    /// More lines may follow.
    case open
    /// It does not continue.
    case foreign
  }

  let number: UInt64
  /// The text of its first line.
  let text: [UInt8]
  private(set) var otherLines: [(number: UInt64, sample: String)] = []
  /// All lines, as wrapped within a word and between two words.
  private var direct: [UInt8]
  private var spaced: [UInt8]

  // Both are arbitrary: 5,000 bytes of a statement in lines of 80, and long lines of another program.
  private static let maxLines = 64
  private static let maxBytes = 64 << 10

  init(_ text: UnsafeRawBufferPointer, line: UInt64) {
    number = line
    self.text = Array(text)
    direct = self.text
    spaced = self.text
  }

  mutating func append(_ line: UnsafeRawBufferPointer, number: UInt64) -> Result {
    direct += line
    spaced += [UInt8(ascii: " ")] + line.trimmed
    for whole in [direct, spaced] {
      if let annotation = whole.withUnsafeBytes({ CoreDataAnnotation($0) }) {
        return .whole(annotation)
      }
    }
    guard otherLines.count < Self.maxLines, direct.count < Self.maxBytes,
      text.withUnsafeBytes(CoreDataAnnotation.isCut)
    else {
      return .foreign
    }
    otherLines.append((number, String(decoding: line.prefix(100), as: UTF8.self)))
    return .open
  }
}
