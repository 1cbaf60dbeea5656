// SPDX-License-Identifier: Apache-2.0

/// A reference to at most one object of another entity.
///
///     let stop = ToOne<Stop>("stop", inverse: \.stopTimes)
///     // ZSTOP INTEGER, and CREATE INDEX ZSTOPTIME_ZSTOP_INDEX ON ZSTOPTIME (ZSTOP)
@dynamicMemberLookup
public struct ToOne<Destination: Entity> {
  // Not public: `$0.stop.name` is the name of the stop.
  let name: String
  /// The name, after the names of the to-one relationships on its path.
  private(set) var keyPath: String
  @usableFromInline let binding: SlotBinding
  let inverse: any PartialKeyPath<Destination> & Sendable
  let isOptional: Bool
  let deleteRule: DeleteRule
  let renamingIdentifier: String?

  /// Declares a to-one relationship.
  ///
  /// - Parameters:
  ///   - name: the name in the model; the column or the pairs' table follows from it.
  ///   - inverse: the inverse relationship.
  ///   - optional: whether a save without it is allowed.
  ///   - deleteRule: the treatment of the other end when the object is deleted.
  ///   - renamingIdentifier: its name in an earlier model.
  public init(
    _ name: String, inverse: any PartialKeyPath<Destination> & Sendable, optional: Bool = true,
    deleteRule: DeleteRule = .nullify, renamingIdentifier: String? = nil
  ) {
    self.name = name
    keyPath = name
    binding = SlotBinding()
    self.inverse = inverse
    isOptional = optional
    self.deleteRule = deleteRule
    self.renamingIdentifier = renamingIdentifier
  }

  init(_ relationship: ToOne, through prefix: String) {
    self = relationship
    keyPath = prefix + "." + relationship.keyPath
  }

  /// An attribute of the destination, as a predicate or a sort descriptor names it: `stop.name`.
  public subscript<Value>(
    dynamicMember path: KeyPath<Destination, Attribute<Value>>
  ) -> Attribute<Value> {
    Attribute(Destination()[keyPath: path], through: keyPath)
  }

  /// A to-one relationship of the destination.
  public subscript<Further>(
    dynamicMember path: KeyPath<Destination, ToOne<Further>>
  ) -> ToOne<Further> {
    ToOne<Further>(Destination()[keyPath: path], through: keyPath)
  }

  @inlinable var slot: Int { binding.slot }
}

/// A reference to any number of objects of another entity, ordered or not.
public struct ToMany<Destination: Entity> {
  /// The name in the model.
  public let name: String
  @usableFromInline let binding: SlotBinding
  let inverse: any PartialKeyPath<Destination> & Sendable
  let isOrdered: Bool
  let deleteRule: DeleteRule
  let renamingIdentifier: String?

  /// Declares a to-many relationship; with a to-many as its inverse it is a many-to-many.
  ///
  /// - Parameters:
  ///   - name: the name in the model; the column or the pairs' table follows from it.
  ///   - inverse: the inverse relationship.
  ///   - ordered: whether the members keep their order.
  ///   - deleteRule: the treatment of the members when the object is deleted.
  ///   - renamingIdentifier: its name in an earlier model.
  public init(
    _ name: String, inverse: any PartialKeyPath<Destination> & Sendable, ordered: Bool = false,
    deleteRule: DeleteRule = .nullify, renamingIdentifier: String? = nil
  ) {
    self.name = name
    binding = SlotBinding()
    self.inverse = inverse
    isOrdered = ordered
    self.deleteRule = deleteRule
    self.renamingIdentifier = renamingIdentifier
  }

  @inlinable var slot: Int { binding.slot }
}

/// The effect on the other end of a relationship when an object is deleted.
public typealias DeleteRule = RelationshipDescription.DeleteRule

/// A relationship of any kind, for building a model from a schema.
protocol AnyRelationship: EntityProperty {
  var destinationType: any Entity.Type { get }
  /// The name of the destination's property that the inverse key path leads to.
  var inverseName: String? { get }
  func makeDefinition() -> RelationshipDefinition
}

extension ToOne: AnyRelationship {
  var destinationType: any Entity.Type { Destination.self }
  var inverseName: String? { (Destination()[keyPath: inverse] as? any AnyRelationship)?.name }

  func makeDefinition() -> RelationshipDefinition {
    RelationshipDefinition(
      name: name, destination: Destination.entityName, inverse: inverseName,
      isOptional: isOptional, deleteRule: deleteRule, renamingIdentifier: renamingIdentifier)
  }
}

extension ToMany: AnyRelationship {
  var destinationType: any Entity.Type { Destination.self }
  var inverseName: String? { (Destination()[keyPath: inverse] as? any AnyRelationship)?.name }

  func makeDefinition() -> RelationshipDefinition {
    RelationshipDefinition(
      name: name, destination: Destination.entityName, inverse: inverseName, isToMany: true,
      isOrdered: isOrdered, deleteRule: deleteRule, renamingIdentifier: renamingIdentifier)
  }
}
