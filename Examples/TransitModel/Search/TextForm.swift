// SPDX-License-Identifier: Apache-2.0

import ObjectStore

/// A way to search stops by a text, from the one that one begins with to those that an index serves.
public enum TextForm: String, Hashable, Sendable, CaseIterable {
  /// `name BEGINSWITH[cd] text`: compares the name of every stop.
  case begins
  /// `normalizedName BEGINSWITH text`: a range of an index.
  case normalized
  /// The stops with a search term for each word of the text: a range of an index, for words within
  /// names.
  case terms
  /// `name CONTAINS[cd] text`: looks through the name of every stop.
  case contains
}

extension TextForm {
  /// Fetches at most ``StopSearch/limit`` stops.
  ///
  /// Each form fetches at a separate line, which identifies it in a report.
  func fetch(_ text: String, in context: ManagedObjectContext) throws -> [ManagedObject<Stop>] {
    switch self {
    case .begins:
      return try context.fetch(
        StopSearch.request(try FetchPredicate("name BEGINSWITH[cd] %@", text)))
    case .normalized:
      let predicate = try FetchPredicate("normalizedName BEGINSWITH %@", text.searchNormalized)
      return try context.fetch(StopSearch.request(predicate))
    case .terms: return try Self.fetchByTerms(text.searchWords, in: context)
    case .contains:
      return try context.fetch(StopSearch.request(try FetchPredicate("name CONTAINS[cd] %@", text)))
    }
  }

  /// Fetches the terms that begin with the longest word, the most selective one, and then their
  /// stops.
  ///
  /// A subquery on the stops would look at every stop.
  private static func fetchByTerms(
    _ words: [String], in context: ManagedObjectContext
  ) throws -> [ManagedObject<Stop>] {
    let words = words.sorted { $0.utf8.count > $1.utf8.count }
    guard let longest = words.first else { return [] }
    var predicate = try FetchPredicate("normalizedWord BEGINSWITH %@", longest)
    for word in words.dropFirst() {
      predicate =
        try predicate
        && FetchPredicate(
          "SUBQUERY(stop.searchTerms, $term, $term.normalizedWord BEGINSWITH %@).@count > 0", word)
    }
    var request = FetchRequest<SearchTerm>(predicate: predicate)
    request.fetchLimit = StopSearch.limit
    request.returnsObjectsAsFaults = false
    let ids = Set(try context.fetch(request).compactMap { $0.stop?.objectID })
    guard !ids.isEmpty else { return [] }
    let sorted = ids.sorted { $0.primaryKey < $1.primaryKey }
    return try context.fetch(StopSearch.request(try FetchPredicate("SELF IN %@", sorted)))
  }
}
