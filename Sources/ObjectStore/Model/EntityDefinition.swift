// SPDX-License-Identifier: Apache-2.0

/// An entity before its model is built: of a Swift schema, or of a model file.
struct EntityDefinition: @unchecked Sendable {
  var name: String
  /// The name of the entity that it inherits from.
  var superentity: String?
  var isAbstract = false
  /// The name in an earlier model, for migration.
  var renamingIdentifier: String?
  /// The entity's own attributes; inherited ones belong to the superentity.
  var attributes: [AttributeDescription] = []
  var relationships: [RelationshipDefinition] = []
  var indexes: [IndexDefinition] = []
  /// Each a list of properties of which no two rows have the same values.
  var uniquenessConstraints: [[String?]] = []
  var searchIndex: SearchIndexDefinition?
  var versionHashModifier: String?
  var schema: EntitySchemaBase?
}

/// A relationship before its model is built.
struct RelationshipDefinition {
  var name: String
  var destination: String
  /// The destination's relationship that leads back.
  var inverse: String?
  var isToMany = false
  var isOrdered = false
  var isOptional = true
  var deleteRule = DeleteRule.nullify
  var renamingIdentifier: String?
  var versionHashModifier: String?
  /// The number of objects that a to-many must have, if it has any or is not optional.
  var counts: ClosedRange<Int>?
  /// Whether it only leads back from one that has no inverse.
  var isHidden = false
}

/// An index before its model is built.
struct IndexDefinition {
  /// The name of a fetch index; nil for one that is named by its columns.
  var name: String?
  /// Attributes and to-one relationships, in order; nil where a key path leads to neither.
  var properties: [String?]
}

extension EntityDefinition {
  /// - Throws: ``ModelError`` if a property does not fit.
  init(_ schema: EntitySchemaBase) throws {
    self.init(
      name: schema.name, superentity: schema.parentType?.entityName,
      isAbstract: schema.type?.isAbstract ?? false,
      renamingIdentifier: schema.type?.renamingIdentifier,
      attributes: try schema.makeAttributes(),
      relationships: schema.properties.compactMap {
        ($0 as? any AnyRelationship)?.makeDefinition()
      },
      indexes: schema.indexedProperties().map {
        IndexDefinition(properties: $0.map { $0?.name })
      },
      uniquenessConstraints: schema.uniqueProperties().map { $0.map { $0?.name } },
      searchIndex: schema.searchIndex(),
      schema: schema)
  }
}
