// SPDX-License-Identifier: Apache-2.0

/// The entities of a store and how they refer to each other.
public final class ManagedObjectModel: Sendable {
  /// By name, each followed by its subentities; numbered from 1 in this order.
  public let entities: [EntityDescription]
  let entitiesByName: [String: EntityDescription]
  private let entitiesByType: [ObjectIdentifier: EntityDescription]

  /// Builds a model of Swift schemas.
  ///
  /// - Throws: ``ModelError`` if a name cannot be used or is used twice, or if a relationship's
  ///   destination or inverse does not fit.
  public convenience init(entities types: [any Entity.Type]) throws {
    try self.init(
      definitions: types.map { try EntityDefinition(EntitySchemaBase.make($0)) })
  }

  /// Declarations of a model file that a store does not keep, in sentences; empty for other models.
  public let remarks: [String]
  private let definitions: [EntityDefinition]

  /// - Throws: ``ModelError`` if the definitions do not make a model.
  init(definitions: [EntityDefinition], remarks: [String] = []) throws {
    self.definitions = definitions
    self.remarks = remarks
    entities = try ModelBuilder(definitions).entities
    entitiesByName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
    entitiesByType = Dictionary(
      entities.compactMap { entity in entity.schema.type.map { (ObjectIdentifier($0), entity) } },
      uniquingKeysWith: { a, _ in a })
  }

  deinit {
    // A hierarchy and its entities keep each other.
    for entity in entities { entity.hierarchy = nil }
  }

  /// The same model with other numbers: an open store numbers its model as in the file.
  func copy() throws -> ManagedObjectModel {
    // With separate attributes: two files may have them in different columns.
    let definitions = definitions.map { definition in
      var copy = definition
      copy.attributes = definition.attributes.map { AttributeDescription(copying: $0) }
      return copy
    }
    return try ManagedObjectModel(definitions: definitions, remarks: remarks)
  }

  /// Finds an entity by its name.
  public func entity(named name: String) -> EntityDescription? { entitiesByName[name] }

  func entity(of type: any Entity.Type) -> EntityDescription? {
    entitiesByType[ObjectIdentifier(type)]
  }

  /// The entities that have a table; each represents its subentities too.
  var roots: [EntityDescription] { entities.filter { $0.superentity == nil } }

  /// Whether large values of an attribute are stored in files beside the store.
  var allowsExternalData: Bool { entities.contains { !$0.externalSlots.isEmpty } }

  /// Adopts a file's numbers for its entities, and with them the names of its join tables.
  func renumber(_ entityIDs: [String: Int64], storeUUID: String) throws {
    for entity in entities {
      entity.entityID = entityIDs[entity.name] ?? entity.entityID
      entity.reference = ManagedObjectID.EntityReference(
        entityName: entity.name, storeUUID: storeUUID)
    }
    for root in roots { root.hierarchy?.number() }
    try RelationshipLinker(entities: entities).link()
    didMapColumns()
  }

  /// Adapts indexes and constraints to the columns of a file.
  func didMapColumns() {
    for root in roots { try? root.setIndexes() }
    for entity in entities { entity.setRowLayout() }
  }
}
