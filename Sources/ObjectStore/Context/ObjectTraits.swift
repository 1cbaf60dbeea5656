// SPDX-License-Identifier: Apache-2.0

/// The class and the hooks of each entity's objects, made once for all contexts of a store.
final class ObjectTraits: @unchecked Sendable {
  private let classes: [AnyManagedObject.Type]
  private let hooks: [[any LifecycleHooks.Type]]
  /// By table, whether any of its objects has hooks.
  private let tables: [Bool]
  /// Whether objects of some entity have hooks.
  let hasHooks: Bool

  init(_ model: ManagedObjectModel) {
    classes = model.entities.map {
      $0.schema.type.map { Self.objectClass(for: $0) } ?? AnyManagedObject.self
    }
    let hooks = model.entities.map { entity in
      entity.schema.lineage.reversed().compactMap { $0.schema.type as? any LifecycleHooks.Type }
    }
    tables = model.entities.map { entity in
      entity.root.kinds.contains { !hooks[$0.ordinal].isEmpty }
    }
    self.hooks = hooks
    hasHooks = tables.contains(true)
  }

  private static func objectClass<E: Entity>(for type: E.Type) -> AnyManagedObject.Type {
    ManagedObject<E>.self
  }

  func objectClass(of entity: EntityDescription) -> AnyManagedObject.Type {
    classes[entity.ordinal]
  }

  /// The hooks of parent entities come first.
  func hooks(of entity: EntityDescription) -> [any LifecycleHooks.Type] { hooks[entity.ordinal] }

  func tableHasHooks(_ entity: EntityDescription) -> Bool { tables[entity.ordinal] }
}
