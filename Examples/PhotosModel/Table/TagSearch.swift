// SPDX-License-Identifier: Apache-2.0

import ObjectStore

/// How photos are found by the beginning of a tag.
public enum TagSearch: String, CaseIterable, Sendable {
  /// `ANY tags.tag MATCHES[cd]`: a regular expression for each tag of each photo.
  case matches
  /// `ANY tags.normalizedTag BEGINSWITH`: an index on the tag, for each photo.
  case begins
  /// The tags first, by their index; then their photos, by the relationship.
  case related
}

/// The result and the cost of a search.
public struct TagSearchReport: Sendable {
  /// The labels of the photos found, sorted.
  public var labels: [String]
  /// How long the fetches took, reading the labels included.
  public var duration: Duration
}

extension PhotoStore {
  /// Finds the photos with a tag that begins with a text, whatever its case and its marks.
  ///
  /// - Throws: ``PhotosError/noTags(_:)`` if the version has no tags to search that way,
  ///   `StoreError`.
  public func search(_ text: String, _ form: TagSearch) throws -> TagSearchReport {
    let context = container.newBackgroundContext()
    let start = ContinuousClock.now
    let labels = try labels(text, form, context)
    return TagSearchReport(
      labels: labels.sorted(), duration: ContinuousClock.now - start)
  }

  private func labels(
    _ text: String, _ form: TagSearch, _ context: ManagedObjectContext
  ) throws -> [String] {
    switch (version, form) {
    case (.third, .matches):
      return try ThirdVersion.matching(text.patternOfBeginning, context).map(\.label)
    case (.third, .begins): return try ThirdVersion.tagged(text, context).map(\.label)
    case (.third, .related): return try ThirdVersion.photos(ofTags: text, context).map(\.label)
    case (.first, .matches):
      return try Self.textMatching(text, FirstVersion.Photo.self, context)
    case (.second, .matches):
      return try Self.textMatching(text, SecondVersion.Photo.self, context)
    case (.first, _), (.second, _): throw PhotosError.noTags(version)
    }
  }

  /// A tag may begin at any place of the text.
  private static func textMatching<Photo: PhotoEntity>(
    _ text: String, _ type: Photo.Type, _ context: ManagedObjectContext
  ) throws -> [String] {
    try context.fetch(
      FetchRequest<Photo>(
        predicate: try FetchPredicate("tags MATCHES[cd] %@", "(.*, )?" + text.patternOfBeginning))
    ).map(Photo.label(of:))
  }
}

extension ThirdVersion {
  fileprivate static func matching(
    _ pattern: String, _ context: ManagedObjectContext
  ) throws -> [ManagedObject<Photo>] {
    try context.fetch(
      FetchRequest<Photo>(predicate: try FetchPredicate("ANY tags.tag MATCHES[cd] %@", pattern)))
  }

  fileprivate static func tagged(
    _ text: String, _ context: ManagedObjectContext
  ) throws -> [ManagedObject<Photo>] {
    try context.fetch(
      FetchRequest<Photo>(
        predicate: try FetchPredicate(
          "ANY tags.normalizedTag BEGINSWITH %@", text.searchNormalized)))
  }

  fileprivate static func photos(
    ofTags text: String, _ context: ManagedObjectContext
  ) throws -> [ManagedObject<Photo>] {
    var request = FetchRequest<Tag>(
      predicate: try FetchPredicate("normalizedTag BEGINSWITH %@", text.searchNormalized))
    request.relationshipKeyPathsForPrefetching = ["photos"]
    var seen: Set<ManagedObjectID> = []
    return try context.fetch(request).flatMap { tag in
      tag.photos.filter { seen.insert($0.objectID).inserted }
    }
  }
}

extension String {
  /// The pattern for a prefix, with its special characters escaped.
  fileprivate var patternOfBeginning: String {
    let escaped = flatMap { character -> [Character] in
      #"\^$.|?*+()[]{}"#.contains(character) ? ["\\", character] : [character]
    }
    return String(escaped) + ".*"
  }
}
