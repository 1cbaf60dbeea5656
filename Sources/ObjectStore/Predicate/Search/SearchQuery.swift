// SPDX-License-Identifier: Apache-2.0

/// A query of FTS5 in which columns have the names of attributes.
///
///     title : blue AND note*   →   ZTITLE : blue AND note*
///
/// Related SQLite documentation: <https://www.sqlite.org/fts5.html#full_text_query_syntax>
struct SearchQuery {
  /// FTS5's time grows with the square of the number of words: 0.1 s for this many bytes.
  private static let maxSize = 100_000

  private let scalars: [Unicode.Scalar]
  private let index: SearchIndexDescription
  private let entity: String
  private var position = 0
  private var text = ""

  private init(_ query: String, _ index: SearchIndexDescription, entity: String) {
    scalars = Array(query.unicodeScalars)
    self.index = index
    self.entity = entity
  }

  /// Replaces the names of attributes by the names of their columns.
  static func translated(
    _ query: String, _ index: SearchIndexDescription, entity: String
  ) throws(FetchPredicateError) -> String {
    guard !query.utf8.contains(0) else {
      throw .searchQuery("it contains a NUL character, after which FTS5 reads nothing")
    }
    guard query.utf8.count <= maxSize else {
      throw .searchQuery("it has \(query.utf8.count) bytes, the limit is \(maxSize)")
    }
    // FTS5 would interpret it as a command.
    guard !query.utf8.starts(with: "*".utf8) else { throw .searchQuery("it begins with *") }
    // FTS5 refuses a query without a word, but takes a phrase without one.
    guard query.contains(where: { !$0.isWhitespace }) else { return "\"\"" }
    var reader = SearchQuery(query, index, entity: entity)
    return try reader.translate()
  }

  /// Quotes each word, so that nothing in it is part of the syntax.
  static func quoting(_ words: String, lastIsPrefix: Bool) -> String {
    let quoted = words.split { $0.isWhitespace || $0 == "\0" }.map {
      "\"" + $0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
        + "\""
    }
    return quoted.joined(separator: " ") + (lastIsPrefix && !quoted.isEmpty ? "*" : "")
  }

  private mutating func translate() throws(FetchPredicateError) -> String {
    var isColumnList = false
    while position < scalars.count {
      let scalar = scalars[position]
      switch scalar {
      case "{": isColumnList = true
      case "}": isColumnList = false
      default: break
      }
      guard scalar == "\"" || Self.isWordPart(scalar) else {
        text.unicodeScalars.append(scalar)
        position += 1
        continue
      }
      let (name, source) = scalar == "\"" ? consumeString() : consumeWord()
      if isColumnList || isFollowedByColon {
        text += try column(of: name)
      } else {
        text += source
      }
    }
    return text
  }

  /// Letters, digits and whatever else FTS5 takes without quotes.
  private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "\u{1A}": true
    default: !scalar.isASCII
    }
  }

  private mutating func consumeWord() -> (name: String, source: String) {
    var word = String.UnicodeScalarView()
    while position < scalars.count, Self.isWordPart(scalars[position]) {
      word.append(scalars[position])
      position += 1
    }
    return (String(word), String(word))
  }

  /// A string ends with a quote that no other one follows.
  private mutating func consumeString() -> (name: String, source: String) {
    var name = String.UnicodeScalarView()
    let start = position
    position += 1
    while position < scalars.count {
      let scalar = scalars[position]
      position += 1
      if scalar == "\"" {
        guard position < scalars.count, scalars[position] == "\"" else { break }
        position += 1
      }
      name.append(scalar)
    }
    var source = String.UnicodeScalarView()
    source.append(contentsOf: scalars[start..<position])
    return (String(name), String(source))
  }

  private var isFollowedByColon: Bool {
    let spaces: Set<Unicode.Scalar> = [" ", "\t", "\n", "\r"]
    return scalars[position...].first { !spaces.contains($0) } == ":"
  }

  private func column(of name: String) throws(FetchPredicateError) -> String {
    let attribute =
      index.attributes.firstIndex(of: name)
      ?? index.attributes.firstIndex { $0.lowercased() == name.lowercased() }
    guard let attribute else {
      throw .searchQuery(
        "\(entity) has no '\(name)' in its search index, but "
          + index.attributes.joined(separator: ", "))
    }
    return index.columns[attribute]
  }
}
