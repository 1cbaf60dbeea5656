// SPDX-License-Identifier: Apache-2.0

/// Damages bytes at random, the same way for the same seed.
public struct Damage {
  private var generator: SeededGenerator
  private let words: [String]

  /// Words that a reader may not expect, which replace words of a log.
  public static let logWords = [
    "9223372036854775807", "18446744073709551616", "-9223372036854775808", "-1", "0x", "\0",
    String(repeating: "9", count: 400), "\u{1b}[", "\u{1b}[31m", "\\u{110000}", "\\u{", "\\", "\"",
    "] ObjectStore: ", "CoreData: sql: SELECT ", "CoreData: annotation: ", "\r\n", "\n",
    "annotation: fetch_end context_id=", "0.99999999999999999999s", "(((((((((", "{{{{{{{{",
    "struct { struct { ", "[4294967295]", "[99999999]", "size = 18446744073709551615;",
    "align = 0;", "align = 3;", "freq = 0;", "offset = 9223372036854775807;",
  ]
  public static let jsonWords = [
    "1e999", "-1", "18446744073709551616", "9223372036854775807", "null", "\"\\ud800\"", "[[[[[[[[",
    "{\"a\":", "}", "]", "true", "\"\"", "0.5", "\"schemaVersion\":1,",
  ]

  public init(seed: UInt64, words: [String] = logWords) {
    generator = SeededGenerator(seed: seed)
    self.words = words
  }

  public mutating func number(in range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  public mutating func choose<Element>(_ elements: [Element]) -> Element? {
    elements.randomElement(using: &generator)
  }

  /// One to four changes: bytes flipped, cut, repeated, overwritten, taken from elsewhere; of a
  /// text also lines, words and runs of digits.
  public mutating func damaged(_ bytes: [UInt8], isText: Bool = false) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<number(in: 1...4) where !bytes.isEmpty {
      if isText, number(in: 0...1) == 0 {
        damageText(&bytes)
      } else {
        damageBytes(&bytes)
      }
    }
    return bytes
  }

  private mutating func damageBytes(_ bytes: inout [UInt8]) {
    let place = number(in: 0...(bytes.count - 1))
    let end = min(bytes.count, place + number(in: 0...40))
    switch number(in: 0...7) {
    case 0: bytes[place] ^= 1 << UInt8(number(in: 0...7))
    case 1: bytes[place] = UInt8(number(in: 0...255))
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 4: bytes.replaceSubrange(place..<end, with: [UInt8](repeating: 0xff, count: end - place))
    case 5: bytes.replaceSubrange(place..<end, with: [UInt8](repeating: 0, count: end - place))
    case 6:
      let other = number(in: 0...(bytes.count - 1))
      let splice = bytes[other..<min(bytes.count, other + end - place)]
      bytes.replaceSubrange(place..<end, with: Array(splice))
    default: if place > bytes.count / 2 { bytes.removeSubrange(place...) }
    }
  }

  private mutating func damageText(_ bytes: inout [UInt8]) {
    let place = number(in: 0...(bytes.count - 1))
    let feed = UInt8(ascii: "\n")
    let start = bytes[..<place].lastIndex(of: feed).map { $0 + 1 } ?? 0
    let end = bytes[place...].firstIndex(of: feed) ?? bytes.count
    switch number(in: 0...7) {
    case 0: bytes.insert(contentsOf: Array(bytes[start..<end]) + [feed], at: start)
    case 1: bytes.removeSubrange(start..<end)
    case 2: bytes.removeAll { $0 == feed }
    case 3:
      let count = number(in: 1...(1 << 16))
      bytes.insert(contentsOf: [UInt8](repeating: bytes[place], count: count), at: place)
    case 4: replaceNumber(near: place, in: &bytes)
    default:
      let word = Array((choose(words) ?? "").utf8)
      let times = number(in: 0...9) == 0 ? number(in: 1...2000) : 1
      bytes.replaceSubrange(
        place..<min(bytes.count, place + number(in: 0...8)),
        with: Array(repeatElement(word, count: times).joined()))
    }
  }

  /// Puts another number in the place of the next one.
  private mutating func replaceNumber(near place: Int, in bytes: inout [UInt8]) {
    func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    guard let start = bytes[place...].firstIndex(where: isDigit) else { return }
    let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.count
    let number = choose(["0", "1", "4294967296", "18446744073709551615", "99999999", "8", "64"])
    bytes.replaceSubrange(start..<end, with: Array((number ?? "").utf8))
  }
}
