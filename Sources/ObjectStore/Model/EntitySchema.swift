// SPDX-License-Identifier: Apache-2.0

/// The Swift schema of an entity within one model, its slots bound.
@usableFromInline
class EntitySchemaBase: @unchecked Sendable {
  let name: String
  /// Nil for an entity without a Swift schema.
  let type: (any Entity.Type)?
  let properties: [any EntityProperty]
  /// The class of the entity's objects.
  let objectClass: AnyManagedObject.Type

  init(
    name: String, type: (any Entity.Type)? = nil, properties: [any EntityProperty] = [],
    objectClass: AnyManagedObject.Type = AnyManagedObject.self
  ) {
    self.name = name
    self.type = type
    self.properties = properties
    self.objectClass = objectClass
  }

  /// The properties behind the key paths of the declared indexes; nil where there is none.
  func indexedProperties() -> [[(any EntityProperty)?]] { [] }

  static func make<E: Entity>(_ type: E.Type) -> EntitySchemaBase { EntitySchema<E>() }
}

@usableFromInline
final class EntitySchema<E: Entity>: EntitySchemaBase, @unchecked Sendable {
  /// Key paths of `E` read here lead to bound slots.
  @usableFromInline let prototype: E

  init() {
    prototype = E()
    super.init(
      name: E.entityName, type: E.self,
      properties: Mirror(reflecting: prototype).children
        .compactMap { $0.value as? any EntityProperty },
      objectClass: ManagedObject<E>.self)
  }

  override func indexedProperties() -> [[(any EntityProperty)?]] {
    E.indexes.map { $0.paths.map { prototype[keyPath: $0] as? any EntityProperty } }
  }
}
