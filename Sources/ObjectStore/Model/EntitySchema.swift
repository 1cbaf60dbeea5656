// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The Swift schema of an entity within one model, its slots bound.
@usableFromInline
class EntitySchemaBase: @unchecked Sendable {
  let name: String
  /// Nil for an entity without a Swift schema.
  let type: (any Entity.Type)?
  let properties: [any EntityProperty]
  /// The parent's type; nil for an entity that inherits from none.
  let parentType: (any Entity.Type)?
  /// Whether objects of the entity's table are of several entities.
  @exclusivity(unchecked) @usableFromInline final var isInHierarchy = false
  /// The addresses of its properties, bound; nil without a Swift schema.
  @usableFromInline final let start: UnsafeRawPointer?
  /// Itself, then its parents; unowned, because the model retains all of them.
  final var lineage: [Unowned] = []
  private final let paths = Mutex(PathTable())

  init(
    name: String, type: (any Entity.Type)? = nil, parentType: (any Entity.Type)? = nil,
    properties: [any EntityProperty] = [], start: UnsafeRawPointer? = nil
  ) {
    self.name = name
    self.type = type
    self.parentType = parentType
    self.properties = properties
    self.start = start
  }

  /// The properties of the key paths of the declared indexes; nil where there is none.
  func indexedProperties() -> [[(any EntityProperty)?]] { [] }

  /// - Throws: ``ModelError/invalidDerivation(_:entity:)``.
  func makeAttributes() throws -> [AttributeDescription] { [] }

  /// The properties of the key paths of the constraints; nil where there is none.
  func uniqueProperties() -> [[(any EntityProperty)?]] { [] }

  /// The indexes that the schema declares; nil if it declares none.
  func searchIndex() -> SearchIndexDefinition? { nil }

  /// The property at the end of a key path of the schema itself, bound; nil if there is none.
  fileprivate func boundProperty(_ path: AnyKeyPath, _ slot: (String) -> Int) -> UnsafeRawPointer? {
    nil
  }

  static func make<E: Entity>(_ type: E.Type) -> EntitySchemaBase { EntitySchema<E>() }
}

@usableFromInline
final class EntitySchema<E: Entity>: EntitySchemaBase, @unchecked Sendable {
  /// Its properties lead to bound slots.
  private let prototype: UnsafeMutablePointer<E>

  init() {
    prototype = .allocate(capacity: 1)
    prototype.initialize(to: E())
    super.init(
      name: E.entityName, type: E.self,
      parentType: E.Parent.self as? any Entity.Type,
      properties: Mirror(reflecting: prototype.pointee).children
        .compactMap { $0.value as? any EntityProperty },
      start: UnsafeRawPointer(prototype))
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

  override func searchIndex() -> SearchIndexDefinition? {
    let index = E.searchIndex
    guard !index.paths.isEmpty else { return nil }
    return SearchIndexDefinition(
      properties: properties(index.paths).map { ($0 as? any AnyAttribute)?.name },
      tokenizer: index.tokenizer)
  }

  private func properties(
    _ paths: [any PartialKeyPath<E> & Sendable]
  ) -> [(any EntityProperty)?] {
    paths.map { prototype.pointee[keyPath: $0] as? any EntityProperty }
  }

  fileprivate override func boundProperty(
    _ path: AnyKeyPath, _ slot: (String) -> Int
  ) -> UnsafeRawPointer? {
    guard let path = path as? PartialKeyPath<E> else { return nil }
    if let offset = MemoryLayout<E>.offset(of: path) {
      return UnsafeRawPointer(prototype).advanced(by: offset)
    }
    // An inherited one: made again by its own schema, and so not bound yet.
    guard let property = prototype.pointee[keyPath: path] as? any EntityProperty else { return nil }
    property.binding.slot = slot(property.name)
    return property.allocated()
  }
}

extension EntitySchemaBase {
  func bindSlots(of entity: EntityDescription) {
    paths.withLock { $0.slots = entity.slotsByName }
    for property in properties { property.binding.slot = entity.slotsByName[property.name] ?? -1 }
  }

  // Inlined: the compiler folds a literal key path to its offset, and a read costs as little as a
  // read of a another use of the path, of which the compiler would make an object for every read
  // (100 instructions, callgrind).

  /// The bound property at the end of a key path, for as long as the schema lives.
  ///
  /// By the key path's own root, because an object of a subentity may have the type of its parent.
  @inlinable @inline(__always)
  final func property<Root: Entity, Property>(
    _ path: KeyPath<Root, Property>
  ) -> UnsafePointer<Property> {
    // Only an inherited property has no offset.
    guard let offset = MemoryLayout<Root>.offset(of: path) else {
      return inheritedProperty(path).assumingMemoryBound(to: Property.self)
    }
    guard let start = isInHierarchy ? start(of: Root.self) : start else {
      fatalError("\(Root.self) is not the schema of this entity")
    }
    return start.advanced(by: offset).assumingMemoryBound(to: Property.self)
  }

  /// The addresses of properties that an entity of the same hierarchy declares.
  @usableFromInline
  final func start(of root: any Entity.Type) -> UnsafeRawPointer? {
    lineage.first { $0.schema.type == root }?.schema.start
  }

  /// The bound property at the end of a key path of an entity of the same hierarchy.
  @usableFromInline
  final func inheritedProperty(_ path: AnyKeyPath) -> UnsafeRawPointer {
    paths.withLock { table -> BoundProperty in
      if let known = table.property(of: path) { return known }
      let root = ObjectIdentifier(Swift.type(of: path).rootType)
      let slots = table.slots
      for ancestor in lineage where ancestor.schema.type.map(ObjectIdentifier.init) == root {
        if let pointer = ancestor.schema.boundProperty(path, { slots[$0] ?? -1 }) {
          let property = BoundProperty(address: pointer)
          table.keep(property, path)
          return property
        }
      }
      fatalError("\(path) does not lead to a property of \(name)")
    }.address
  }

  /// A reference that keeps nothing alive.
  struct Unowned {
    unowned(unsafe) let schema: EntitySchemaBase
  }
}

extension EntityProperty {
  /// A copy that lives as long as the process does.
  fileprivate func allocated() -> UnsafeRawPointer {
    let pointer = UnsafeMutablePointer<Self>.allocate(capacity: 1)
    pointer.initialize(to: self)
    return UnsafeRawPointer(pointer)
  }
}

/// A property with its slot bound, which is only read from then on.
private struct BoundProperty: @unchecked Sendable {
  let address: UnsafeRawPointer
}

/// The properties of key paths that were used.
private struct PathTable: @unchecked Sendable {
  var slots: [String: Int] = [:]
  private var byPath: [AnyKeyPath: BoundProperty] = [:]
  /// By identity, which is faster to hash: a literal key path is one object.
  private var byObject: [ObjectIdentifier: (path: AnyKeyPath, property: BoundProperty)] = [:]

  // Key paths made in generic code are new objects each time.
  private static let maxObjects = 256

  mutating func property(of path: AnyKeyPath) -> BoundProperty? {
    if let known = byObject[ObjectIdentifier(path)] { return known.property }
    guard let property = byPath[path] else { return nil }
    keep(property, path)
    return property
  }

  mutating func keep(_ property: BoundProperty, _ path: AnyKeyPath) {
    if byObject.count >= Self.maxObjects { byObject = [:] }
    byObject[ObjectIdentifier(path)] = (path, property)
    byPath[path] = property
  }
}

extension EntityDescription {
  fileprivate var slotsByName: [String: Int] {
    var slots = attributesByName.mapValues(\.slot)
    for relationship in relationships { slots[relationship.name] = relationship.slot }
    return slots
  }
}
