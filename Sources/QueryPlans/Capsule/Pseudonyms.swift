// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Replaces the values of rows and statements by values with the same order, by BINARY, the same
/// equalities, types and classes of length.
///
/// Literals of the schema's own text stay as they are, such as the `'open'` of a partial index.
struct Pseudonyms {
  private var numbers = NumberPseudonyms()
  private var texts = TextPseudonyms()
  private var blobs: [[UInt8]: [UInt8]] = [:]

  init(values: [BindValue], texts schema: [String]) {
    var (numbers, texts, blobs): (Set<BindValue>, Set<String>, Set<[UInt8]>) = ([], [], [])
    for value in values {
      switch value {
      case .null: break
      case .integer, .real: numbers.insert(value)
      case .text(let text): texts.insert(text)
      case .blob(let bytes): blobs.insert(bytes)
      }
    }
    let tokens = schema.flatMap { SQLTokenizer.tokens(of: $0) }
    self.numbers = NumberPseudonyms(
      of: numbers,
      keeping: tokens.compactMap { $0.kind == .number ? BindValue(number: $0.text) : nil })
    self.texts = TextPseudonyms(
      of: texts,
      keeping: Set(
        tokens.filter { $0.kind != .word || !SQLKeyword.contains(String($0.text)) }.compactMap(
          \.name)))
    let sorted = blobs.sorted { $0.lexicographicallyPrecedes($1) }
    for (rank, bytes) in sorted.enumerated() {
      let code = (0..<4).map { UInt8(truncatingIfNeeded: rank >> (24 - 8 * $0)) }
      let padding = max(LengthClass.minLength(bytes.count) - code.count, 0)
      self.blobs[bytes] = code + [UInt8](repeating: 0, count: padding)
    }
  }

  /// The pseudonym of one of the values that were passed; NULL for another one.
  func value(_ value: BindValue) -> BindValue {
    switch value {
    case .null: .null
    case .integer, .real: numbers.map[value] ?? .null
    case .text(let text): texts.map[text].map(BindValue.text) ?? .null
    case .blob(let bytes): blobs[bytes].map(BindValue.blob) ?? .null
    }
  }
}

enum LengthClass {
  /// The least length of a class: lengths of one class differ by less than a factor of two; from
  /// 256 on, all are one class.
  static func minLength(_ length: Int) -> Int {
    guard length > 0 else { return 0 }
    return min(1 << (Int.bitWidth - 1 - length.leadingZeroBitCount), 256)
  }
}

/// Numbers by their rank between the unchanged ones.
struct NumberPseudonyms {
  private(set) var map: [BindValue: BindValue] = [:]

  init() {}

  init(of values: Set<BindValue>, keeping kept: [BindValue]) {
    let fixed = Set(kept + [-1, 0, 1].map(BindValue.integer)).sorted(by: Self.precedes)
    for value in fixed { map[value] = value }
    var rest = values.subtracting(fixed).sorted(by: Self.precedes)[...]
    // Below the first, between two, and above the last.
    for (index, low) in ([nil] + fixed.map(Optional.some)).enumerated() {
      let high = index < fixed.count ? fixed[index] : nil
      let gap = rest.prefix { value in high.map { Self.precedes(value, $0) } ?? true }
      rest = rest.dropFirst(gap.count)
      assignPseudonyms(to: gap, between: low, and: high)
    }
  }

  /// Integers get the next ones above the low end; there are as many, since they are in the gap themselves.
  private mutating func assignPseudonyms(
    to values: ArraySlice<BindValue>, between low: BindValue?, and high: BindValue?
  ) {
    let integers = values.count { if case .integer = $0 { true } else { false } }
    // Beside a large number of the schema, an integer of the rows could be its own pseudonym.
    let isLarge = abs((low ?? high)?.number ?? 0) >= 1_000_000
    let highest = high.map { $0.number.rounded(.up) } ?? 0
    var next =
      low.map { $0.number.rounded(.down) + 1 } ?? (highest - Double(integers) - 1)
    var floor = low?.number ?? (next - 1)
    var reals: [BindValue] = []
    func finish(_ end: Double) {
      for (rank, real) in reals.enumerated() {
        map[real] = .real(floor + (end - floor) * Double(rank + 1) / Double(reals.count + 1))
      }
      reals = []
    }
    for value in values {
      switch value {
      case .integer where !isLarge:
        finish(next)
        map[value] = .integer(Int64(exactly: next) ?? 0)
        (floor, next) = (next, next + 1)
      case .real(let number) where map[.integer(Int64(exactly: number) ?? .min)] != nil:
        // It equals an integer.
        finish(next)
        if case .integer(let same)? = map[.integer(Int64(exactly: number) ?? .min)] {
          map[value] = .real(Double(same))
        }
      default: reals.append(value)
      }
    }
    finish(min(next, high?.number ?? .infinity))
  }

  private static func precedes(_ a: BindValue, _ b: BindValue) -> Bool {
    if case (.integer(let a), .integer(let b)) = (a, b) { return a < b }
    // An integer first, so that an equal real finds its pseudonym.
    if a.number == b.number, case .integer = a, case .real = b { return true }
    return a.number < b.number
  }
}

extension BindValue {
  fileprivate var number: Double {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    default: 0
    }
  }

  /// The value of a number in SQL, such as `12`, `1.5e3` or `0x1F`.
  init?(number text: Substring) {
    if text.lowercased().hasPrefix("0x") {
      guard let bits = UInt64(text.dropFirst(2), radix: 16) else { return nil }
      self = .integer(Int64(bitPattern: bits))
    } else if let integer = Int64(text) {
      self = .integer(integer)
    } else if let real = Double(text), real.isFinite {
      self = .real(real)
    } else {
      return nil
    }
  }
}
