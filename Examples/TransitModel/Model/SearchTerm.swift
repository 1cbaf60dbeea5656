// SPDX-License-Identifier: Apache-2.0

public import ObjectStore

/// A word of a stop's name, normalized for searches, so that an index finds words within names.
///
/// "Gedenkstätte Dt. Widerstand (Berlin)" has four: gedenkstatte, dt, widerstand, berlin.
public struct SearchTerm: Entity {
  /// The word: ``ObjectStore/Swift/String/searchNormalized``, letters and digits only.
  public let normalizedWord = Attribute<String>("normalizedWord")
  /// Whose name it is a word of.
  public let stop = ToOne<Stop>("stop", inverse: \.searchTerms)

  /// One, on the word.
  public static let indexes: [Index<SearchTerm>] = [Index(\.normalizedWord)]

  /// Makes the schema.
  public init() {}
}
