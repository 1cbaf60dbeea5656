// SPDX-License-Identifier: Apache-2.0

extension IndexCandidate {
  /// The same index in its shortest form, of which there is one; nil if nothing is left of it.
  ///
  ///     (price, id)                    (price), where id is the rowid
  ///     (name COLLATE NOCASE)          (name), where the column has that collation
  ///     (a, b) as an expression        (a, b) as columns
  func simplified(for known: TableColumns) -> IndexCandidate? {
    var index = withColumns
    guard index.expression == nil else { return index }
    // Rows of equal values are in the ascending order of their rowids, and no two have the same one.
    index.columns = Array(
      index.columns.prefix { !known.isRowid($0) || index.modifiers[$0]?.hasSuffix("DESC") == true })
    for column in index.columns {
      guard let collation = known.collations[column.lowercased()] else { continue }
      let words = (index.modifiers[column] ?? "").split(separator: " ").map(String.init)
      guard words.count > 1, words[0] == "COLLATE", words[1].uppercased() == collation else {
        continue
      }
      let rest = words.dropFirst(2).joined(separator: " ")
      index.modifiers[column] = rest.isEmpty ? nil : rest
    }
    index.modifiers = index.modifiers.filter { index.columns.contains($0.key) }
    return index.columns.isEmpty ? nil : index
  }

  /// With columns instead of an expression that is a list of them, such as `price, id` or `name COLLATE NOCASE`.
  private var withColumns: IndexCandidate {
    guard let expression else { return self }
    var index = IndexCandidate(table: table, columns: [], condition: condition)
    index.isWidened = isWidened
    let tokens = SQLTokenizer.tokens(of: expression)
    for term in tokens.split(omittingEmptySubsequences: false, whereSeparator: { $0.isSymbol(",") })
    {
      let words = Array(term)
      guard let name = words.first?.name, columns.contains(name),
        words.count == 1 || words.count == 3 && words[1].isWord("COLLATE")
      else { return self }
      index.columns.append(name)
      if words.count == 3 { index.modifiers[name] = "COLLATE \(words[2].text)" }
    }
    return index
  }
}
