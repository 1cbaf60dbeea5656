// SPDX-License-Identifier: Apache-2.0

/// Entities that inherit from one root and share its table.
///
/// Immutable once its model is built, except for the numbers of an opened file.
final class EntityHierarchy: @unchecked Sendable {
  /// The root first, each before its subentities.
  let entities: [EntityDescription]
  private(set) var entitiesByID: [Int64: EntityDescription] = [:]
  /// Whether the opened file's table also holds rows of entities that the model lacks.
  fileprivate(set) var isPartial = false

  init(_ entities: [EntityDescription]) { self.entities = entities }

  func number() {
    entitiesByID = Dictionary(
      entities.map { ($0.entityID, $0) }, uniquingKeysWith: { a, _ in a })
  }
}

extension EntityDescription {
  /// The entity at the top: its own, where it inherits from none.
  public var root: EntityDescription { hierarchy?.entities[0] ?? self }

  /// Whether it is another entity, or inherits from it over any number of steps.
  public func isKind(of other: EntityDescription) -> Bool {
    var entity: EntityDescription? = self
    while let next = entity {
      if next === other { return true }
      entity = next.superentity
    }
    return false
  }

  /// The relationships of all rows of its table.
  var tableRelationships: [RelationshipDescription] {
    hierarchy == nil ? relationships : toOnes + toManys
  }

  /// Whether a name is its own, or that of an entity that inherits from it.
  func isNamed(_ name: String) -> Bool { kinds.contains { $0.name == name } }

  /// Itself and all that inherit from it.
  var kinds: [EntityDescription] { hierarchy?.entities.filter { $0.isKind(of: self) } ?? [self] }

  /// The entity of a row of its table; itself, if no entity of the model has the number.
  func entity(numbered entityID: Int64) -> EntityDescription {
    hierarchy?.entitiesByID[entityID] ?? self
  }

  /// The first column of a SELECT: `0`, or `t0.Z_ENT` where the table holds a hierarchy.
  var headColumn: String { hierarchy == nil ? "0" : "t0.Z_ENT" }

  /// The values of `Z_ENT` to select; nil where the table holds no others.
  func entityIDs(includingSubentities: Bool) -> [Int64]? {
    guard let hierarchy else { return nil }
    guard includingSubentities else { return [entityID] }
    let kinds = kinds
    return kinds.count == hierarchy.entities.count && !hierarchy.isPartial
      ? nil : kinds.map(\.entityID)
  }

  /// Sets whether statements exclude rows of entities that the model does not have.
  func setPartial(_ isPartial: Bool) {
    if isPartial, hierarchy == nil {
      hierarchy = EntityHierarchy([self])
      hierarchy?.number()
      schema.isInHierarchy = true
      setRowLayout()
    }
    hierarchy?.isPartial = isPartial
  }
}

extension EntityDescription {
  /// Sets the entities next to the references among changes; entities of other references are
  /// unchanged.
  func assignEntities(in changes: inout [StoreValue?]) {
    guard !changes.isEmpty else { return }
    for toOne in entityColumns {
      guard let entitySlot = toOne.entitySlot else { continue }
      changes[entitySlot] = changes[toOne.slot].map { toOne.entityValue(of: $0) }
    }
  }
}

extension RelationshipDescription {
  /// The `Z_ENT` of the reference that belongs to an entity column.
  func entityValue(of value: StoreValue) -> StoreValue {
    guard case .object(let id) = value else { return .null }
    let entity = destination.kinds.first { $0.name == id.entityName }
    return .integer((entity ?? destination).entityID)
  }
}
