// SPDX-License-Identifier: Apache-2.0

/// A pattern that is looked for in many strings: folded once.
///
/// The one meaning of BEGINSWITH, CONTAINS, ENDSWITH and LIKE, for the SQL functions and for the
/// evaluation in memory.
package final class StringSearch {
  package enum Kind { case contains, beginsWith, endsWith, like }

  private let kind: Kind
  private let folding: StringFolding
  private let pattern: [UInt8]
  private let isASCII: Bool
  private let table: FoldingTable?
  private let wildcards: WildcardPattern?

  package init(_ kind: Kind, _ pattern: String, _ folding: StringFolding) {
    self.kind = kind
    self.folding = folding
    self.pattern = Array(folding.folded(pattern).utf8)
    isASCII = self.pattern.allSatisfy { $0 < 0x80 }
    table = folding.isEmpty ? nil : .table(for: folding)
    wildcards = kind == .like ? WildcardPattern(pattern, folding) : nil
  }

  package func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    if let wildcards { return wildcards.matches(text) }
    if folding.isEmpty { return find(in: text, lowering: false) }
    if !folding.contains(.localized), text.allSatisfy({ $0 < 0x80 }) {
      return isASCII && find(in: text, lowering: folding.contains(.case))
    }
    if let folded = table?.folded(text) {
      return folded.withUnsafeBufferPointer { find(in: $0, lowering: false) }
    }
    var folded = folding.folded(String(decoding: text, as: UTF8.self))
    return folded.withUTF8 { find(in: $0, lowering: false) }
  }

  package func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matches($0) }
  }

  private func find(in text: UnsafeBufferPointer<UInt8>, lowering: Bool) -> Bool {
    let last = text.count - pattern.count
    guard last >= 0 else { return false }
    switch kind {
    case .beginsWith: return isAt(0, in: text, lowering)
    case .endsWith: return isAt(last, in: text, lowering)
    case .contains, .like:
      var start = 0
      while start <= last {
        if isAt(start, in: text, lowering) { return true }
        start += 1
      }
      return false
    }
  }

  private func isAt(
    _ start: Int, in text: UnsafeBufferPointer<UInt8>, _ lowering: Bool
  ) -> Bool {
    for index in pattern.indices {
      let byte = text[start + index]
      guard (lowering ? StringFolding.lowered(byte) : byte) == pattern[index] else { return false }
    }
    return folding.isEmpty || !isMark(in: text, at: start + pattern.count)
  }

  /// Whether a letter goes on here: folded by case only, "é" is "e" and an accent, and does not
  /// contain "e".
  private func isMark(in text: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    guard index < text.count, text[index] >= 0xC0, !pattern.isEmpty else { return false }
    let end = min(index + 4, text.count)
    let scalar = String(decoding: text[index..<end], as: UTF8.self).unicodeScalars.first
    return scalar.map { $0.properties.canonicalCombiningClass != .notReordered } ?? false
  }
}

extension StringSearch.Kind {
  /// The bits of the SQL function's third argument that select where to look: 8 is anchored, 4
  /// backwards.
  package var searchOptions: Int32 {
    switch self {
    case .contains, .like: 0
    case .beginsWith: 8
    case .endsWith: 12
    }
  }

  package init(searchOptions: Int32) {
    self = searchOptions & 8 == 0 ? .contains : searchOptions & 4 == 0 ? .beginsWith : .endsWith
  }
}
