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

  /// - Throws: ``ModelError/invalidDerivation(_:entity:)``.
  func makeAttributes() throws -> [AttributeDescription] { [] }

  /// The same of the declared uniqueness constraints.
  func uniqueProperties() -> [[(any EntityProperty)?]] { [] }

  static func make<E: Entity>(_ type: E.Type) -> EntitySchemaBase { EntitySchema<E>() }
}

@usableFromInline
final class EntitySchema<E: Entity>: EntitySchemaBase, @unchecked Sendable {
  /// Its properties lead to bound slots.
  @usableFromInline let prototype: UnsafeMutablePointer<E>

  init() {
    prototype = .allocate(capacity: 1)
    prototype.initialize(to: E())
    super.init(
      name: E.entityName, type: E.self,
      properties: Mirror(reflecting: prototype.pointee).children
        .compactMap { $0.value as? any EntityProperty },
      objectClass: ManagedObject<E>.self)
  }

  // Inlinable: the compiler folds a literal key path to its offset, and a read costs what a slot
  // read costs. By the offset, because a read through the key path copies the whole schema.

  /// The bound property at the end of a key path, for as long as the schema lives.
  @inlinable
  func property<Property>(_ path: KeyPath<E, Property>) -> UnsafePointer<Property> {
    guard let offset = MemoryLayout<E>.offset(of: path) else {
      preconditionFailure("\(path) is not a stored property of \(E.self)")
    }
    return UnsafeRawPointer(prototype).advanced(by: offset)
      .assumingMemoryBound(to: Property.self)
  }

  deinit {
    prototype.deinitialize(count: 1)
    prototype.deallocate()
  }

  override func makeAttributes() throws -> [AttributeDescription] {
    try properties.compactMap {
      try ($0 as? any AnyAttribute)?.makeDescription(in: prototype.pointee)
    }
  }

  override func indexedProperties() -> [[(any EntityProperty)?]] {
    E.indexes.map { properties($0.paths) }
  }

  override func uniqueProperties() -> [[(any EntityProperty)?]] {
    E.uniquenessConstraints.map { properties($0.paths) }
  }

  private func properties(
    _ paths: [any PartialKeyPath<E> & Sendable]
  ) -> [(any EntityProperty)?] {
    paths.map { prototype.pointee[keyPath: $0] as? any EntityProperty }
  }
}
