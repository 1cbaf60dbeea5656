// SPDX-License-Identifier: Apache-2.0

import StoreFunctions

extension SQLWriter {
  /// SQLite takes an AND or OR of n terms for n levels, and refuses more than 1000.
  private static var widestGroup: Int { 100 }

  /// Writes a condition of which every AND term has to be true.
  mutating func appendTopLevel(_ predicate: ResolvedPredicate) { append(predicate) }

  mutating func append(_ predicate: ResolvedPredicate) {
    switch predicate {
    case .always(let value): append(value ? "1" : "0")
    case .and(let terms): append(terms[...], joinedBy: " AND ", empty: "1")
    case .or(let terms):
      if terms.count == 1 {
        append(terms[0])
      } else {
        withoutConjunction { $0.append(terms[...], joinedBy: " OR ", empty: "0") }
      }
    case .not(let term): withoutConjunction { $0.appendNegation(of: term) }
    case .isNotTrue(let term):
      append("(")
      withoutConjunction { $0.append(term) }
      append(") IS NOT TRUE")
    case .isNull(let operand):
      withoutConjunction { $0.append(operand) }
      append(" IS NULL")
    case .isNotNull(let operand):
      append(operand)
      append(" IS NOT NULL")
    case .compare(let left, let operation, let right, let folding):
      append(left, folding)
      append(" ")
      append(operation.rawValue)
      append(" ")
      append(right, folding)
    case .collate(let left, let operation, let right, let folding):
      append("NSCoreDataStringCompare(")
      append(left)
      append(", ")
      append(right)
      append(", \(folding.rawValue)) \(operation.rawValue) 0")
    case .between(let operand, let low, let high, let folding):
      append("(")
      append(operand, folding, space: false)
      append(" Between ")
      append(low, folding)
      append(" AND ")
      append(high, folding)
      append(")")
    case .isIn(let operand, let values, let folding): appendIn(operand, values, folding)
    case .search(let text, let kind, let pattern, let folding):
      appendSearch(text, kind, pattern, folding)
    case .matches(let text, let pattern, let folding, _):
      append("NSCoreDataMatches(")
      append(text)
      append(", ")
      append(pattern)
      append(", \(folding.rawValue))")
    case .matchesIndex(let operand, let search):
      appendSearch(operand, search)
    case .exists(let collection, let slot, let member):
      append("EXISTS (")
      appendSelect(.one, collection, slot: slot, where: member)
      append(")")
    }
  }

  private mutating func append(
    _ terms: ArraySlice<ResolvedPredicate>, joinedBy word: String, empty: String
  ) {
    guard let first = terms.first else { return append(empty) }
    guard terms.count > 1 else { return append(first) }
    append("(")
    if terms.count > Self.widestGroup {
      let width = max(Self.widestGroup, (terms.count + Self.widestGroup - 1) / Self.widestGroup)
      for start in stride(from: terms.startIndex, to: terms.endIndex, by: width) {
        if start > terms.startIndex { append(word) }
        append(terms[start..<min(start + width, terms.endIndex)], joinedBy: word, empty: empty)
      }
    } else {
      append(first)
      for term in terms.dropFirst() {
        append(word)
        append(term)
      }
    }
    append(")")
  }

  private mutating func appendNegation(of term: ResolvedPredicate) {
    append(" NOT ")
    switch term {
    case .and(let terms) where terms.count > 1: append(term)
    case .or(let terms) where terms.count > 1: append(term)
    default:
      append("(")
      append(term)
      append(")")
    }
  }

  // MARK: - IN

  /// Up to this many values get a `?` each.
  ///
  /// Beyond that the text of the statement must not depend on their number, and neither must the
  /// time to compile it and its size in the statement cache.
  static var maxPlaceholders: Int { 32 }

  private mutating func appendIn(
    _ operand: ResolvedOperand, _ values: [StoreValue], _ folding: StringFolding
  ) {
    append(operand, folding)
    if values.count > Self.maxPlaceholders {
      let array = JSONArray(values, folding)
      append(array.isEncoded ? " IN (SELECT NSCoreDataValue(value)" : " IN (SELECT value")
      append(" FROM json_each(")
      bind(.string(array.text))
      append("))")
      return
    }
    append(" IN (")
    for (index, value) in values.enumerated() {
      if index > 0 { append(", ") }
      append(.constant(value), folding)
    }
    append(")")
  }

  // MARK: - Search indexes

  /// Writes ` t0.Z_PK IN (SELECT rowid FROM Z_FTS_NOTE WHERE Z_FTS_NOTE MATCH ?)`.
  private mutating func appendSearch(_ operand: ResolvedOperand, _ search: TextSearch) {
    // SQLite takes NULL IN () for false, and a search without a result is such a list: under NOT an
    // object that is nil must not be found.
    let keepsNil = conjunctionScope == nil && operand.mayBeNil
    if keepsNil { append("(") }
    append(operand)
    append(" IN (SELECT rowid FROM \(search.index.name) WHERE \(search.index.name) MATCH ")
    bind(.string(search.query))
    append(")")
    guard keepsNil else { return }
    append(" OR ")
    append(operand)
    append(" IS NULL AND NULL)")
  }

  // MARK: - Parts of strings

  private mutating func appendSearch(
    _ text: ResolvedOperand, _ kind: StringSearch.Kind, _ pattern: ResolvedOperand,
    _ folding: StringFolding
  ) {
    switch (kind, pattern) {
    case (.beginsWith, .constant(.string(let prefix))) where folding.isEmpty:
      appendPrefix(text, prefix)
    case (.contains, _) where folding.isEmpty:
      append("instr(")
      append(text)
      append(", ")
      append(pattern)
      append(") > 0")
    default:
      append(kind == .like ? "NSCoreDataLike(" : "NSCoreDataStringSearch(")
      append(text)
      append(", ")
      append(pattern)
      append(", \(kind.searchOptions | folding.rawValue), 0)")
    }
  }

  /// A range, which an index serves: `( t0.ZNAME >= ? AND  t0.ZNAME < ?)`.
  private mutating func appendPrefix(_ text: ResolvedOperand, _ prefix: String) {
    // Also for an empty prefix: IS NOT NULL would be true under NOT if the text is NULL.
    guard let upperBound = PrefixRange.upperBound(of: prefix) else {
      return append(.compare(text, .greaterOrEqual, .constant(.string(prefix)), []))
    }
    append("(")
    append(text)
    append(" >= ")
    bind(.string(prefix))
    append(" AND ")
    append(text)
    append(" < ")
    bind(.string(upperBound))
    append(")")
  }
}

/// The range that holds exactly the strings with a prefix, in the order of UTF-8 bytes.
enum PrefixRange {
  /// The first string after all that begin with `prefix`, or nil if there is none.
  ///
  /// `"az"` → `"a{"`; `"\u{D7FF}"` → `"\u{E000}"`, as surrogates are no scalars;
  /// `"a\u{10FFFF}"` → `"b"`; `"\u{10FFFF}"` and `""` → nil.
  static func upperBound(of prefix: String) -> String? {
    // A character of one byte before the last one, as nearly all prefixes end with.
    if let last = prefix.utf8.last, last < 0x7f {
      var bytes = Array(prefix.utf8)
      bytes[bytes.count - 1] = last + 1
      return String(decoding: bytes, as: UTF8.self)
    }
    var scalars = prefix.unicodeScalars
    while let last = scalars.popLast() {
      guard last.value < 0x10FFFF else { continue }
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { return nil }
      scalars.append(scalar)
      return String(scalars)
    }
    return nil
  }
}
