// SPDX-License-Identifier: Apache-2.0

/// The entities of a store and how they refer to each other.
public final class ManagedObjectModel: Sendable {
  /// Sorted by name; the entity at `i` has the entity id `i + 1`.
  public let entities: [EntityDescription]
  let entitiesByName: [String: EntityDescription]
  private let entitiesByType: [ObjectIdentifier: EntityDescription]

  /// Builds a model of Swift schemas.
  ///
  /// - Throws: ``ModelError`` if a name cannot be used or is used twice, or if a relationship's
  ///   destination or inverse does not fit.
  public init(entities types: [any Entity.Type]) throws {
    let schemas = types.map { EntitySchemaBase.make($0) }
    var tables: Set<String> = []
    for schema in schemas {
      try Self.check(schema.name, in: nil)
      guard tables.insert(schema.name.uppercased()).inserted else {
        throw ModelError.duplicateEntity(schema.name)
      }
    }
    entities = schemas.sorted { $0.name < $1.name }
      .map { EntityDescription(name: $0.name, schema: $0) }
    for (index, entity) in entities.enumerated() {
      entity.index = index
      entity.entityID = Int64(index + 1)
    }
    entitiesByName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
    entitiesByType = Dictionary(
      entities.compactMap { entity in entity.schema.type.map { (ObjectIdentifier($0), entity) } },
      uniquingKeysWith: { a, _ in a })
    for entity in entities { try setProperties(of: entity) }
    try RelationshipLinker(model: self).link()
    for entity in entities {
      bindSlots(of: entity)
      try setIndexes(of: entity)
    }
  }

  /// Finds an entity by its name.
  public func entity(named name: String) -> EntityDescription? { entitiesByName[name] }

  func entity(of type: any Entity.Type) -> EntityDescription? {
    entitiesByType[ObjectIdentifier(type)]
  }

  /// Takes over a file's numbers for its entities, and so the names of its join tables.
  ///
  /// Only before the model is used.
  func renumber(_ entityIDs: [String: Int64], storeUUID: String) throws {
    for entity in entities {
      entity.entityID = entityIDs[entity.name] ?? entity.entityID
      entity.reference = ManagedObjectID.EntityReference(
        entityName: entity.name, storeUUID: storeUUID)
    }
    try RelationshipLinker(model: self).link()
  }

  private func setProperties(of entity: EntityDescription) throws {
    var names: Set<String> = []
    for property in entity.schema.properties {
      try Self.check(property.name, in: entity.name)
      guard names.insert(property.name).inserted else {
        throw ModelError.duplicateProperty(property.name, entity: entity.name)
      }
    }
    guard !names.isEmpty else { throw ModelError.noProperties(entity: entity.name) }
    let relationships = try entity.schema.properties
      .compactMap { $0 as? any AnyRelationship }
      .map { relationship in
        guard let destination = self.entity(of: relationship.destinationType) else {
          throw ModelError.missingDestination(
            relationship.destinationType.entityName, relationship: relationship.name,
            entity: entity.name)
        }
        return relationship.makeDescription(of: entity, to: destination)
      }
    entity.setProperties(
      attributes: try entity.schema.makeAttributes(), relationships: relationships)
    try entity.setDerivedAttributes()
  }

  private func bindSlots(of entity: EntityDescription) {
    for property in entity.schema.properties {
      property.binding.slot =
        entity.attribute(named: property.name)?.slot
        ?? entity.relationship(named: property.name)?.slot ?? -1
    }
  }

  private func setIndexes(of entity: EntityDescription) throws {
    var indexes = entity.toOnes.compactMap(\.column).map {
      IndexDescription(name: "\(entity.table)_\($0)_INDEX", columns: [$0])
    }
    for properties in entity.schema.indexedProperties() {
      let columns = try columns(properties, of: entity)
      let first = columns[0]
      let name =
        columns.count == 1
        ? "\(entity.table)_\(first)_INDEX" : "\(entity.table)_\(columns.joined(separator: "_"))"
      let index = IndexDescription(name: name, columns: columns)
      if !indexes.contains(index) { indexes.append(index) }
    }
    entity.indexes = indexes
    entity.uniquenessConstraints = try entity.schema.uniqueProperties()
      .map { try columns($0, of: entity) }
  }

  /// At least one.
  private func columns(
    _ properties: [(any EntityProperty)?], of entity: EntityDescription
  ) throws -> [String] {
    let columns = properties.compactMap { property in
      property.flatMap {
        entity.attribute(named: $0.name)?.column ?? entity.relationship(named: $0.name)?.column
      }
    }
    guard columns.count == properties.count, !columns.isEmpty else {
      throw ModelError.invalidIndex(entity: entity.name)
    }
    return columns
  }

  private static func check(_ name: String, in entity: String?) throws {
    let isValid =
      name.utf8.first.map { UInt8(ascii: "A")...UInt8(ascii: "z") ~= $0 && $0 != UInt8(ascii: "_") }
      ?? false
    guard isValid, name.utf8.allSatisfy(isNameByte) else {
      throw ModelError.invalidName(name, entity: entity)
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
