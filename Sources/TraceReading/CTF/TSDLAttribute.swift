// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The values that an attribute of a block or a type may have.
///
/// The values that babeltrace2 reads: another value is damage. Attributes unknown to it have no
/// rule, and may be there several times.
enum TSDLAttribute {
  /// From 0.
  case natural
  case integer
  case powerOfTwo
  case truth
  case text
  case uuid
  /// `clock.monotonic.value`
  case path
  case byteOrder
  case base
  case encoding

  static func rule(of key: String, in kind: String) -> Self? { rules[kind]?[key] }

  /// Whether `key := …` is the type of a part of the block.
  static func isType(_ key: String, of kind: String) -> Bool { types[kind]?.contains(key) == true }

  private static let types: [String: Set<String>] = [
    "trace": ["packet.header"], "stream": ["packet.context", "event.header", "event.context"],
    "event": ["fields", "context"],
  ]

  private static let rules: [String: [String: Self]] = [
    "trace": ["major": .natural, "minor": .natural, "uuid": .uuid],
    "clock": [
      "name": .text, "uuid": .uuid, "description": .text, "freq": .natural, "precision": .natural,
      "offset_s": .integer, "offset": .natural, "absolute": .truth,
    ],
    "stream": ["id": .natural],
    "event": [
      "name": .text, "id": .natural, "stream_id": .natural, "loglevel": .natural,
      "model.emf.uri": .text,
    ],
    "integer": [
      "size": .natural, "align": .powerOfTwo, "signed": .truth, "byte_order": .byteOrder,
      "base": .base, "encoding": .encoding, "map": .path,
    ],
    "floating_point": [
      "exp_dig": .natural, "mant_dig": .natural, "align": .powerOfTwo, "byte_order": .byteOrder,
    ],
    "string": ["encoding": .encoding],
  ]

  func allows(_ number: Int) -> Bool {
    switch self {
    case .natural: number >= 0
    case .powerOfTwo: number > 0 && number.nonzeroBitCount == 1
    case .base: [2, 8, 10, 16].contains(number)
    case .integer, .truth: true
    case .text, .uuid, .path, .byteOrder, .encoding: false
    }
  }

  func allows(_ text: String) -> Bool {
    switch self {
    case .natural, .integer, .powerOfTwo: false
    case .truth: Self.truths.contains(text) || Self.falsehoods.contains(text)
    case .text, .path: true
    case .uuid: UUID(uuidString: text) != nil
    case .byteOrder: ["native", "network", "be", "le"].contains(text)
    case .base: Self.bases.contains(text)
    case .encoding: Self.texts.contains(text) || text == "none"
    }
  }

  static let truths: Set = ["true", "TRUE"]
  private static let falsehoods: Set = ["false", "FALSE"]
  /// The encodings of the bytes of a text.
  static let texts: Set = ["UTF8", "utf8", "utf-8", "UTF-8", "ASCII", "ascii"]
  private static let bases: Set = [
    "decimal", "dec", "d", "i", "u", "hexadecimal", "hex", "x", "X", "p", "octal", "oct", "o",
    "binary", "b",
  ]
}
