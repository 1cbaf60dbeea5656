// SPDX-License-Identifier: Apache-2.0

/// An entity of a model: its properties, and where the store keeps them.
///
/// Immutable once its model is built.
public final class EntityDescription: @unchecked Sendable {
  public let name: String
  /// `Z_ENT`, from 1 in alphabetical order; 0 until the model is built.
  public internal(set) var entityID: Int64 = 0
  /// `ZSTOP` for `Stop`.
  public let table: String
  /// Sorted by name.
  public internal(set) var attributes: [AttributeDescription] = []
  /// Sorted by name.
  public internal(set) var relationships: [RelationshipDescription] = []
  public internal(set) var indexes: [IndexDescription] = []
  private(set) var attributesByName: [String: AttributeDescription] = [:]
  private(set) var relationshipsByName: [String: RelationshipDescription] = [:]

  init(name: String) {
    self.name = name
    table = "Z" + name.uppercased()
  }

  func setProperties(
    attributes: [AttributeDescription], relationships: [RelationshipDescription]
  ) {
    self.attributes = attributes.sorted { $0.name < $1.name }
    self.relationships = relationships.sorted { $0.name < $1.name }
    attributesByName = Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0) })
    relationshipsByName = Dictionary(uniqueKeysWithValues: relationships.map { ($0.name, $0) })
  }

  public func attribute(named name: String) -> AttributeDescription? { attributesByName[name] }
  public func relationship(named name: String) -> RelationshipDescription? {
    relationshipsByName[name]
  }

  /// The names of all properties, sorted.
  public var propertyNames: [String] {
    (attributes.map(\.name) + relationships.map(\.name)).sorted()
  }
}

/// An attribute of an entity.
public final class AttributeDescription: @unchecked Sendable {
  public let name: String
  public let type: AttributeType
  public let isOptional: Bool
  public let defaultValue: StoreValue
  /// `ZLATITUDE` for `latitude`; suffixed with a number where two properties would clash.
  public internal(set) var column: String

  init(name: String, type: AttributeType, isOptional: Bool, defaultValue: StoreValue) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    column = "Z" + name.uppercased()
  }
}

/// A relationship of an entity.
public final class RelationshipDescription: @unchecked Sendable {
  public let name: String
  public let isToMany: Bool
  public let isOrdered: Bool
  public let isOptional: Bool
  public let deleteRule: DeleteRule
  public internal(set) unowned var entity: EntityDescription
  public internal(set) unowned var destination: EntityDescription
  /// Set when the model is built; every relationship has one.
  public internal(set) unowned var inverse: RelationshipDescription!
  /// Where the store keeps it.
  public internal(set) var storage: Storage

  /// Where a relationship is kept.
  public enum Storage: Hashable, Sendable {
    /// A to-one: a column of this entity's table, such as `ZSTOP`.
    case column(String)
    /// A one-to-many: the inverse's column in the destination's table, and the column that holds
    /// the order, such as `Z_FOK_STOP`.
    case inverseColumn(String, order: String?)
    /// A many-to-many: a table of pairs, such as `Z_1TAGS(Z_1ITEMS, Z_2TAGS)`.
    case joinTable(String, source: String, destination: String, order: String?)
  }

  /// What happens to the other end when an object is deleted.
  public enum DeleteRule: String, Hashable, Sendable { case noAction, nullify, cascade, deny }

  init(
    name: String, isToMany: Bool, isOrdered: Bool, isOptional: Bool, deleteRule: DeleteRule,
    entity: EntityDescription, destination: EntityDescription
  ) {
    self.name = name
    self.isToMany = isToMany
    self.isOrdered = isOrdered
    self.isOptional = isOptional
    self.deleteRule = deleteRule
    self.entity = entity
    self.destination = destination
    storage = .column("")
  }
}

/// An index over properties of one entity.
public struct IndexDescription: Hashable, Sendable {
  /// `ZSTOP_ZLONGITUDE_INDEX` for one property, `ZSTOP_ZLONGITUDE_ZLATITUDE` for several.
  public var name: String
  /// In order.
  public var columns: [String]
}
