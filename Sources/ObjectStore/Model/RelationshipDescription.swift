// SPDX-License-Identifier: Apache-2.0

/// A relationship of an entity.
public final class RelationshipDescription: @unchecked Sendable {
  /// The name in the model.
  public let name: String
  /// Whether it leads to any number of objects.
  public let isToMany: Bool
  /// Whether a to-many keeps the order of its members.
  public let isOrdered: Bool
  /// Whether a save without it is allowed.
  public let isOptional: Bool
  /// The effect on the other end when an object is deleted.
  public let deleteRule: DeleteRule
  /// The source entity.
  public internal(set) unowned var entity: EntityDescription
  /// The destination entity.
  public internal(set) unowned var destination: EntityDescription
  /// A to-one's slot in a row snapshot; a to-many's index among the to-manys.
  public internal(set) var slot = -1
  /// The name of the inverse relationship of the destination.
  var inverseName: String?
  var versionHashModifier: String?
  /// The number of objects that a to-many must have, if it has any or is not optional.
  public internal(set) var counts: ClosedRange<Int>?
  /// The name in an earlier model; see ``StoreOptions/migrationPolicy``.
  public internal(set) var renamingIdentifier: String?
  /// For a to-one to an entity with subentities: the column for `Z_ENT` of the destination, such as
  /// `Z10_QUOTE`.
  public internal(set) var entityColumn: String?
  /// The entity column's slot in a row snapshot.
  var entitySlot: Int?
  /// Set when the model is built; every relationship has one.
  public internal(set) unowned var inverse: RelationshipDescription!
  /// Whether it only leads back from a relationship that has no inverse in the model.
  let isHidden: Bool
  /// The storage of the relationship.
  public internal(set) var storage: Storage

  /// The column of a to-one.
  public var column: String? {
    guard case .column(let column) = storage else { return nil }
    return column
  }

  /// The storage of a relationship.
  public enum Storage: Hashable, Sendable {
    /// A to-one: a column of this entity's table, such as `ZSTOP`.
    case column(String)
    /// A one-to-many: the inverse's column in the destination's table, and the column that holds
    /// the order, such as `Z_FOK_STOP`.
    case inverseColumn(String, order: String?)
    /// A many-to-many: a table of pairs, such as `Z_1TAGS(Z_1ITEMS, Z_2TAGS)`.
    case joinTable(String, source: String, destination: String, order: String?)
  }

  /// The effect on the other end when an object is deleted.
  public enum DeleteRule: String, Hashable, Sendable {
    /// The other end keeps its reference to a row that no longer exists.
    case noAction
    /// The other end is set to nil, or the object removed from it.
    case nullify
    /// The other end is deleted too.
    case cascade
    /// The save is refused while the other end exists.
    case deny
  }

  /// Between the keys of an order, so that a member put between two others does not move the ones
  /// after it; Core Data's.
  static let orderGap: Int64 = 1024

  init(
    name: String, isToMany: Bool, isOrdered: Bool, isOptional: Bool, deleteRule: DeleteRule,
    entity: EntityDescription, destination: EntityDescription, isHidden: Bool = false
  ) {
    self.name = name
    self.isToMany = isToMany
    self.isOrdered = isOrdered
    self.isOptional = isOptional
    self.deleteRule = deleteRule
    self.entity = entity
    self.destination = destination
    self.isHidden = isHidden
    storage = .column("")
  }
}
