// SPDX-License-Identifier: Apache-2.0

/// An entity of a model: its properties, and where the store keeps them.
///
/// Immutable once its model is built.
public final class EntityDescription: @unchecked Sendable {
  /// The name in the model.
  public let name: String
  /// `Z_ENT`: from 1 in alphabetical order, or as the opened file numbers its entities.
  public internal(set) var entityID: Int64 = 0
  /// Its place in the model, and in all that is kept by entity.
  var index = 0
  /// What the ids of its objects share; the store's UUID is "" until the store is open.
  var reference: ManagedObjectID.EntityReference
  /// `ZSTOP` for `Stop`.
  public let table: String
  /// Sorted by name.
  public internal(set) var attributes: [AttributeDescription] = []
  /// Sorted by name.
  public internal(set) var relationships: [RelationshipDescription] = []
  /// Those of the to-one relationships first, then the declared ones.
  public internal(set) var indexes: [IndexDescription] = []
  /// The columns of each uniqueness constraint.
  public internal(set) var uniquenessConstraints: [[String]] = []
  /// The to-one relationships, in the order of their slots behind those of the attributes.
  private(set) var toOnes: [RelationshipDescription] = []
  /// The to-many relationships, sorted by name.
  private(set) var toManys: [RelationshipDescription] = []
  /// How the values of a row are laid out in its snapshot.
  private(set) var rowLayout = RowLayout(kinds: [])
  /// What a new object holds.
  private(set) var defaultValues: [StoreValue?] = []
  /// What is set along with other attributes.
  private(set) var derivedAttributes = DerivedAttributes.none
  /// The Swift schema that the entity was built from, with its slots bound.
  let schema: EntitySchemaBase
  private(set) var attributesByName: [String: AttributeDescription] = [:]
  private(set) var relationshipsByName: [String: RelationshipDescription] = [:]

  init(name: String, schema: EntitySchemaBase? = nil) {
    self.name = name
    self.schema = schema ?? EntitySchemaBase(name: name)
    reference = ManagedObjectID.EntityReference(entityName: name, storeUUID: "")
    table = "Z" + name.uppercased()
  }

  func setProperties(
    attributes: [AttributeDescription], relationships: [RelationshipDescription]
  ) {
    self.attributes = attributes.sorted { $0.name < $1.name }
    self.relationships = relationships.sorted { $0.name < $1.name }
    attributesByName = Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0) })
    relationshipsByName = Dictionary(uniqueKeysWithValues: relationships.map { ($0.name, $0) })
    toOnes = self.relationships.filter { !$0.isToMany }
    toManys = self.relationships.filter(\.isToMany)
    for (slot, attribute) in self.attributes.enumerated() { attribute.slot = slot }
    for (index, toOne) in toOnes.enumerated() { toOne.slot = self.attributes.count + index }
    for (index, toMany) in toManys.enumerated() { toMany.slot = index }
    rowLayout = RowLayout(
      kinds: self.attributes.map(\.type.slotKind) + toOnes.map { _ in .integer })
    defaultValues = self.attributes.map(\.defaultValue) + toOnes.map { _ in .null }
  }

  /// - Throws: ``ModelError/invalidDerivation(_:entity:)``.
  func setDerivedAttributes() throws {
    derivedAttributes = try DerivedAttributes(of: attributes, entity: name)
    defaultValues = derivedAttributes.applied(to: defaultValues)
  }

  /// Finds an attribute.
  public func attribute(named name: String) -> AttributeDescription? { attributesByName[name] }
  /// Finds a relationship.
  public func relationship(named name: String) -> RelationshipDescription? {
    relationshipsByName[name]
  }

  /// The columns of a row, in the order of their slots: attributes A–Z, then to-ones A–Z.
  public var columns: [String] {
    attributes.map(\.column) + toOnes.compactMap(\.column)
  }

  /// The names of all properties, sorted.
  public var propertyNames: [String] {
    (attributes.map(\.name) + relationships.map(\.name)).sorted()
  }
}

/// An attribute of an entity.
public final class AttributeDescription: @unchecked Sendable {
  /// The name in the model.
  public let name: String
  /// What the column holds.
  public let type: AttributeType
  /// Whether a save without it is allowed.
  public let isOptional: Bool
  /// What a new object holds; `.null` for nothing.
  public let defaultValue: StoreValue
  /// What its value follows from; nil for an attribute that is set.
  public let derivation: Derivation?
  /// Its place in a row snapshot; its column in a row is three further.
  public internal(set) var slot = -1
  /// `ZLATITUDE` for `latitude`; suffixed with a number where two properties would clash.
  public internal(set) var column: String

  init(
    name: String, type: AttributeType, isOptional: Bool, defaultValue: StoreValue,
    derivation: Derivation? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.derivation = derivation
    column = "Z" + name.uppercased()
  }
}

/// An index over properties of one entity.
public struct IndexDescription: Hashable, Sendable {
  /// `ZSTOP_ZLONGITUDE_INDEX` for one property, `ZSTOP_ZLONGITUDE_ZLATITUDE` for several.
  public var name: String
  /// In order.
  public var columns: [String]
}
