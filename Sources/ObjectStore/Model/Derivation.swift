// SPDX-License-Identifier: Apache-2.0

/// The source of a derived attribute.
///
/// The store keeps it up to date: a change of a source, by any route, sets the derived attribute. A
/// value set on a derived attribute itself is a programming error.
public struct Derivation: Sendable {
  /// Core Data's notation where it has one: `canonical:(name)`, `now()`.
  public let expression: String
  let kind: Kind

  enum Kind: Sendable {
    /// Another attribute of the same object.
    case value(of: String, @Sendable (StoreValue) -> StoreValue)
    /// The other end of a relationship.
    case related(RelatedDerivation)
    /// The time of the save that wrote the object last.
    case now
  }

  /// The time of the save that wrote the object last.
  public static let now = Derivation(expression: "now()", kind: .now)
}

/// A derivation before its model is known, when its source is a key path.
struct UnresolvedDerivation: Sendable {
  /// Nil if the key path does not lead to an attribute of the schema.
  let resolve: @Sendable (any Entity) -> Derivation?
}

extension Attribute {
  /// Declares an attribute that follows from another one of the same entity.
  ///
  ///     let name = Attribute<String>("name")
  ///     let normalizedName = Attribute<String>(
  ///       "normalizedName", derivedFrom: \Self.name, \.searchNormalized)
  ///     // stop.name = "U Görlitzer Bahnhof (Berlin)"
  ///     // UPDATE ZSTOP SET ZNAME = ?, ZNORMALIZEDNAME = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?
  public init<E: Entity & SendableMetatype, Source: AttributeValue>(
    _ name: String, derivedFrom source: any KeyPath<E, Attribute<Source>> & Sendable,
    _ transform: any KeyPath<Source, Value> & Sendable
  ) {
    self.init(name, source) { Source($0).map { $0[keyPath: transform].storeValue } ?? .null }
  }

  /// Declares an attribute that follows from an optional one; nil where that is nil.
  ///
  ///     let normalizedNote = Attribute<String?>(
  ///       "normalizedNote", derivedFrom: \Self.note, \.searchNormalized)
  public init<E: Entity & SendableMetatype, Source: AttributeValue, Result: AttributeValue>(
    _ name: String, derivedFrom source: any KeyPath<E, Attribute<Source?>> & Sendable,
    _ transform: any KeyPath<Source, Result> & Sendable
  ) where Value == Result? {
    self.init(name, source) { Source($0).map { $0[keyPath: transform].storeValue } ?? .null }
  }

  /// Declares an attribute with a derivation that has no source attribute.
  ///
  ///     let modified = Attribute<Date?>("modified", derivedFrom: .now)
  public init(_ name: String, derivedFrom derivation: Derivation) {
    self.init(name, UnresolvedDerivation { _ in derivation })
  }

  private init<E: Entity & SendableMetatype, Source>(
    _ name: String, _ source: any KeyPath<E, Attribute<Source>> & Sendable,
    _ transform: @escaping @Sendable (StoreValue) -> StoreValue
  ) {
    // Only when the model is built: building the schema here would build this attribute again.
    self.init(
      name,
      UnresolvedDerivation { schema in
        guard let name = (schema as? E)?[keyPath: source].name else { return nil }
        return Derivation(expression: name, kind: .value(of: name, transform))
      })
  }
}
