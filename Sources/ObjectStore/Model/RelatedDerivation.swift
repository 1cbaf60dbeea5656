// SPDX-License-Identifier: Apache-2.0

/// A source of a derived attribute at the other end of a relationship.
///
/// The store computes it in SQL before a save or a batch commits, for the objects that the transaction
/// may concern.
struct RelatedDerivation: Sendable {
  let relationship: String
  let kind: Kind

  enum Kind: Sendable, Equatable {
    /// `articles.@count`.
    case count
    /// `articles.wordCount.@sum`.
    case sum(of: String)
    /// `author.name`, over a to-one.
    case value(of: String)
  }

  /// Core Data's notation.
  var expression: String {
    switch kind {
    case .count: "\(relationship).@count"
    case .sum(let attribute): "\(relationship).\(attribute).@sum"
    case .value(let attribute): "\(relationship).\(attribute)"
    }
  }

  /// Nil if a model does not have the source.
  func source(in entity: EntityDescription) -> RelatedSource? {
    guard let relationship = entity.relationship(named: relationship) else { return nil }
    let destination: EntityDescription = relationship.destination
    switch kind {
    case .count:
      return relationship.isToMany ? RelatedSource(relationship: relationship) : nil
    case .sum(let name), .value(let name):
      guard let attribute = destination.attribute(named: name), attribute.derivation == nil,
        !attribute.allowsExternalBinaryDataStorage,
        relationship.isToMany == (kind == .sum(of: name)),
        !relationship.isToMany || ValueKind(attribute.type) == .number
      else { return nil }
      return RelatedSource(relationship: relationship, attribute: attribute)
    }
  }
}

/// The relationship that a derivation follows, and the attribute at its other end.
struct RelatedSource {
  let relationship: RelationshipDescription
  var attribute: AttributeDescription?
}

extension Derivation {
  init(_ related: RelatedDerivation) {
    self.init(expression: related.expression, kind: .related(related))
  }

  /// Reads `articles.@count`, `articles.wordCount.@sum`, `sum:(articles.wordCount)` or `author.name`;
  /// nil for anything else.
  init?(related expression: String) {
    var path = expression.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for name in ["sum", "@sum", "count", "@count"]
    where expression.hasPrefix(name + ":(") && expression.hasSuffix(")") {
      path = expression.dropFirst(name.count + 2).dropLast().split(separator: ".").map(String.init)
      path.append("@" + name.filter { $0 != "@" })
    }
    let operators = path.filter { $0.hasPrefix("@") }
    guard path.allSatisfy({ !$0.isEmpty && !$0.contains(":") && !$0.contains("(") }),
      operators.isEmpty || operators == path.suffix(1)
    else { return nil }
    let names = path.dropLast(operators.count)
    switch (operators.first, names.count) {
    case ("@count", 1): self.init(RelatedDerivation(relationship: names[0], kind: .count))
    case ("@sum", 2): self.init(RelatedDerivation(relationship: names[0], kind: .sum(of: names[1])))
    case (nil, 2): self.init(RelatedDerivation(relationship: names[0], kind: .value(of: names[1])))
    default: return nil
    }
  }
}

extension Attribute {
  /// Declares an attribute that counts the objects of a to-many relationship.
  ///
  ///     let stopCount = Attribute<Int>("stopCount", countOf: \Self.stops)
  ///     // UPDATE ZLINE SET ZSTOPCOUNT = (SELECT COUNT(*) FROM ZSTOP d WHERE d.ZLINE = ZLINE.Z_PK)
  ///     //   WHERE Z_PK IN (SELECT value FROM json_each(?))
  ///
  /// The value changes with the save or the batch that changes the relationship.
  public init<E: Entity & SendableMetatype, D: Entity & SendableMetatype>(
    _ name: String, countOf path: any KeyPath<E, ToMany<D>> & Sendable
  ) {
    self.init(name) { (schema: E) in
      Derivation(RelatedDerivation(relationship: schema[keyPath: path].name, kind: .count))
    }
  }

  /// Declares an attribute that adds up a number of the objects of a to-many relationship; 0 without
  /// objects.
  ///
  ///     let seats = Attribute<Int>("seats", sumOf: \Self.wagons, \.seats)
  ///     // UPDATE ZTRAM SET ZSEATS = (SELECT ifnull(SUM(d.ZSEATS), 0) FROM ZWAGON d WHERE …) WHERE …
  public init<E: Entity & SendableMetatype, D: Entity & SendableMetatype, Number: AttributeValue>(
    _ name: String, sumOf path: any KeyPath<E, ToMany<D>> & Sendable,
    _ number: any KeyPath<D, Attribute<Number>> & Sendable
  ) {
    self.init(name) { (schema: E) in
      let attribute = D()[keyPath: number].name
      return Derivation(
        RelatedDerivation(relationship: schema[keyPath: path].name, kind: .sum(of: attribute)))
    }
  }

  /// Declares an attribute that has the value of an attribute at the other end of a to-one
  /// relationship; nil without an object there.
  ///
  ///     let lineName = Attribute<String?>("lineName", copyOf: \Self.line.name)
  ///     // UPDATE ZSTOP SET ZLINENAME = (SELECT d.ZNAME FROM ZLINE d WHERE d.Z_PK = ZSTOP.ZLINE) WHERE …
  public init<E: Entity & SendableMetatype, Source: AttributeValue>(
    _ name: String, copyOf path: any KeyPath<E, Attribute<Source>> & Sendable
  ) where Value == Source? {
    self.init(name) { (schema: E) in Derivation(related: schema[keyPath: path].keyPath) }
  }

  /// Declares an attribute that has the value of an optional one at the other end.
  public init<E: Entity & SendableMetatype, Wrapped: AttributeValue>(
    _ name: String, copyOf path: any KeyPath<E, Attribute<Wrapped?>> & Sendable
  ) where Value == Wrapped? {
    self.init(name) { (schema: E) in Derivation(related: schema[keyPath: path].keyPath) }
  }

  /// Only when the model is built: building the schema here would build this attribute again.
  private init<E: Entity & SendableMetatype>(
    _ name: String, _ derivation: @escaping @Sendable (E) -> Derivation?
  ) {
    self.init(name, UnresolvedDerivation { ($0 as? E).flatMap(derivation) })
  }
}
