// SPDX-License-Identifier: Apache-2.0

extension FetchPredicate {
  /// `SELF MATCHES query`, or the same for the destination of a path.
  static func search(_ path: PropertyPath, _ query: String) -> FetchPredicate {
    .comparison(.init(.path(path), .matches, .constant(.string(query))))
  }
}

extension Entity {
  /// Whether the object is found in the entity's ``SearchIndex``, by a query of FTS5.
  ///
  ///     FetchRequest<Note>(where: { $0.matchesSearch("title : blue AND note*") })
  ///     //  t0.Z_PK IN (SELECT rowid FROM Z_FTS_NOTE WHERE Z_FTS_NOTE MATCH ?)
  ///
  /// All words must occur. `"two words"` is a phrase, `not*` is a prefix, `title : blue` searches
  /// one attribute; AND, OR, NOT and NEAR combine terms. A fetch throws
  /// ``FetchPredicateError/searchQuery(_:)`` for a query with a syntax error. Unsaved changes are
  /// searched, too.
  public func matchesSearch(_ query: String) -> FetchPredicate { .search(.init([]), query) }

  /// Whether the object holds all of some words, whatever characters they have.
  ///
  /// For text that a person types: up to 50,000 bytes of it are never an error. An empty text finds
  /// nothing.
  ///
  /// - Parameters:
  ///   - words: the words, separated by spaces.
  ///   - lastIsPrefix: whether the last word is a prefix, as while the user types.
  public func matchesSearch(words: String, lastIsPrefix: Bool = false) -> FetchPredicate {
    matchesSearch(SearchQuery.quoting(words, lastIsPrefix: lastIsPrefix))
  }
}

extension ObjectExpression {
  /// Whether the object is found in its entity's ``SearchIndex``, by a query of FTS5:
  /// ` t0.ZSHELF IN (SELECT rowid FROM Z_FTS_SHELF WHERE Z_FTS_SHELF MATCH ?)`.
  public func matchesSearch(_ query: String) -> FetchPredicate { .search(predicatePath, query) }

  /// Whether the object holds all of some words, whatever characters they have.
  public func matchesSearch(words: String, lastIsPrefix: Bool = false) -> FetchPredicate {
    matchesSearch(SearchQuery.quoting(words, lastIsPrefix: lastIsPrefix))
  }
}
