// SPDX-License-Identifier: Apache-2.0

import StoreFunctions

/// Text of an entity that ``ObjectExpression/matchesSearch(_:)`` finds by its words.
///
///     static let searchIndex = SearchIndex(\Note.title, \Note.body)
///     // CREATE VIRTUAL TABLE Z_FTS_NOTE USING fts5(ZTITLE, ZBODY, content='ZNOTE',
///     //   content_rowid='Z_PK', tokenize='unicode61 remove_diacritics 2')
///
/// The text is stored only in the entity's table. Triggers of that table keep the index up to date,
/// whichever program writes.
///
/// Related SQLite documentation: <https://www.sqlite.org/fts5.html>
public struct SearchIndex<E: Entity>: Sendable {
  let paths: [any PartialKeyPath<E> & Sendable]
  let tokenizer: SearchTokenizer

  /// Indexes attributes of type text or URL; without attributes there is no index.
  public init(
    _ paths: (any PartialKeyPath<E> & Sendable)..., tokenizer: SearchTokenizer = .words
  ) {
    self.paths = paths
    self.tokenizer = tokenizer
  }
}

/// The way a search index splits text into tokens; the raw value is FTS5's.
public enum SearchTokenizer: String, Hashable, Sendable, CaseIterable {
  /// Words, without regard to case and diacritics: `zurich` finds "Zürich".
  case words = "unicode61 remove_diacritics 2"
  /// English words by their stems as well: `walk` finds "walking".
  case englishStems = "porter unicode61 remove_diacritics 2"
  /// Any three characters in a row, so that a part of a word is found; the index is large.
  case trigrams = "trigram"
}

/// A search index before its model is built.
struct SearchIndexDefinition {
  /// Attributes; nil where a key path leads to none.
  var properties: [String?]
  var tokenizer: SearchTokenizer
}

/// The search index of an entity, as its store keeps it.
public struct SearchIndexDescription: Hashable, Sendable {
  /// `Z_FTS_NOTE` for `Note`.
  public let name: String
  /// The table that holds the text.
  public let table: String
  /// The attributes, in order.
  public let attributes: [String]
  /// Their columns.
  public let columns: [String]
  /// How text is cut into words.
  public let tokenizer: SearchTokenizer
}

extension SearchIndexDefinition {
  /// - Throws: ``ModelError/invalidSearchIndex(entity:)``.
  func description(in entity: EntityDescription) throws -> SearchIndexDescription {
    let attributes = properties.compactMap { name in
      name.flatMap { entity.attribute(named: $0) }
    }
    guard attributes.count == properties.count, attributes.allSatisfy(\.isText),
      Set(attributes.map(\.name)).count == attributes.count
    else { throw ModelError.invalidSearchIndex(entity: entity.name) }
    return SearchIndexDescription(
      name: SearchIndexDescription.prefix + entity.name.uppercased(), table: entity.table,
      attributes: attributes.map(\.name), columns: attributes.map(\.column), tokenizer: tokenizer)
  }
}

extension SearchIndexDescription {
  /// The prefix of all tables and triggers of search indexes.
  static let prefix = "Z_FTS_"
}

extension AttributeDescription {
  fileprivate var isText: Bool {
    (type == .string || type == .url) && !allowsExternalBinaryDataStorage
  }
}

@_spi(_Unicode) import Swift

extension String {
  /// The text in the form used for searches: decomposed, without non-spacing marks, in lower case,
  /// composed.
  ///
  ///     "U Görlitzer Bahnhof (Berlin)".searchNormalized   // u gorlitzer bahnhof (berlin)
  ///
  /// Normalized text needs no `[cd]`, and so a plain index serves a search by its beginning.
  public var searchNormalized: String {
    if utf8.allSatisfy({ $0 < 0x80 }) {
      return String(decoding: utf8.map(StringFolding.lowered), as: UTF8.self)
    }
    var stripped = String.UnicodeScalarView()
    for scalar in _nfd where scalar.properties.generalCategory != .nonspacingMark {
      stripped.append(scalar)
    }
    var composed = String.UnicodeScalarView()
    for scalar in String(stripped).lowercased()._nfc { composed.append(scalar) }
    return String(composed)
  }
}
