// SPDX-License-Identifier: Apache-2.0

import Foundation

extension AnyManagedObject {
  /// The value of an attribute or of a to-one relationship, by name.
  ///
  /// - Throws: ``StoreError/unknownProperty(_:entity:nearest:)`` for a name that the entity lacks,
  ///   or of a to-many; ``StoreError/objectGone(_:)`` if the row is gone;
  ///   ``StoreError/externalData(_:property:_:)`` if the data is in a file that cannot be read.
  public final func value(forKey name: String) throws -> StoreValue {
    let slot = try valueSlot(named: name)
    if partialRow(holding: slot) == nil { try load() }
    let value = unloadedValue(slot)
    guard case .external(let reference) = value else { return value }
    return .data(try externalData(reference, slot))
  }

  /// Sets an attribute or a to-one relationship by name.
  ///
  /// - Throws: ``StoreError``: `unknownProperty`, `wrongType` if the value does not fit,
  ///   `wrongValue` for a decimal number with more digits than are kept, `derivedAttribute`, `objectGone` if the row is gone, `contextGone` if the context is.
  public final func setValue(_ value: StoreValue, forKey name: String) throws {
    let slot = try valueSlot(named: name)
    try checkContext()
    try load()
    guard let attribute = entity.attribute(named: name) else {
      return try setDestination(value, slot)
    }
    guard attribute.derivation == nil else {
      throw StoreError.derivedAttribute(name, entity: entity.name)
    }
    guard let value = attribute.type.converted(value) else {
      throw StoreError.wrongType(
        property: name, entity: entity.name, expected: attribute.type.rawValue)
    }
    if case .decimal(let decimal) = value, !decimal.isStoredExactly {
      throw StoreError.wrongValue(
        property: name, entity: entity.name,
        problem: decimal.isNaN ? .notANumber : .tooManyDigits(decimal))
    }
    write(value, slot)
  }

  /// The members of a to-many relationship, by name.
  ///
  /// - Throws: ``StoreError/unknownProperty(_:entity:nearest:)`` for a name that is no to-many of
  ///   the entity, `wrongType` for an attribute or a to-one; `contextGone` if they are not loaded and
  ///   the context was reset or released; SQLite's errors.
  public final func objects(forKey name: String) throws -> [AnyManagedObject] {
    let slot = try toMany(named: name).slot
    try loadMembers(slot)
    return members(slot)
  }

  /// The members of a to-many relationship by name, to be changed.
  ///
  ///     try stop.mutableSet(forKey: "tags").insert(tag)
  ///     // INSERT OR IGNORE INTO Z_1TAGS(Z_1STOPS, Z_2TAGS) VALUES(?, ?)
  ///
  /// The members of an ordered relationship are in order, and can be inserted at an index.
  ///
  /// - Throws: ``StoreError``: `unknownProperty` for a name that the entity lacks, `wrongType` for
  ///   an attribute or a to-one, `contextGone` if the context was reset or released.
  public final func mutableSet(forKey name: String) throws -> NamedMembers {
    let relationship = try toMany(named: name)
    try checkContext()
    return NamedMembers(owner: self, relationship: relationship)
  }

  /// Replaces the members of a to-many relationship, by name.
  ///
  /// - Throws: ``StoreError``: `unknownProperty`; `wrongType` for an attribute or a to-one, or for
  ///   objects of another entity; `foreignObject` for one of another context, `contextGone`.
  public final func setValue(_ objects: [AnyManagedObject], forKey name: String) throws {
    try mutableSet(forKey: name).replace(with: objects)
  }

  /// - Throws: ``StoreError/contextGone(_:)``: no save would write the change.
  private func checkContext() throws {
    guard context != nil else { throw StoreError.contextGone(objectID) }
  }

  private func toMany(named name: String) throws -> RelationshipDescription {
    guard let relationship = entity.relationship(named: name), relationship.isToMany else {
      guard entity.column(named: name) == nil else {
        throw StoreError.wrongType(
          property: name, entity: entity.name, expected: "one value, by value(forKey:)")
      }
      throw unknownProperty(name)
    }
    return relationship
  }

  /// Whether a relationship's other end is not loaded.
  ///
  /// - Throws: ``StoreError/unknownProperty(_:entity:nearest:)``.
  public final func hasFault(forRelationship name: String) throws -> Bool {
    guard let relationship = entity.relationship(named: name) else { throw unknownProperty(name) }
    return hasFault(relationship)
  }

  final func hasFault(_ relationship: RelationshipDescription) -> Bool {
    if state.contains(.inserted) { return false }
    if relationship.isToMany { return links?.toManys[relationship.slot]?.members == nil }
    guard !isFault else { return true }
    guard case .object(let id) = storeValue(relationship.slot) else { return false }
    return context?.registered(relationship.destination, id.primaryKey)?.isFault ?? true
  }

  /// Fires the object's fault, if it is one.
  ///
  /// - Throws: ``StoreError/objectGone(_:)`` if the row no longer exists,
  ///   ``StoreError/contextGone(_:)`` if the context no longer exists, and errors of SQLite.
  public final func load() throws {
    guard isFault else { return }
    guard let context else { throw StoreError.contextGone(objectID) }
    context.checkQueue("a fault")
    if !state.contains(.inaccessible), try context.fire(self) { return }
    throw StoreError.objectGone(objectID)
  }

  private func setDestination(_ value: StoreValue, _ slot: Int) throws {
    let relationship = toOne(slot)
    switch value {
    case .null: setDestination(nil as AnyManagedObject?, slot)
    case .object(let id) where context?.isKind(id, relationship.destination) == true:
      setDestination(try context?.object(with: id), slot)
    default:
      throw StoreError.wrongType(
        property: relationship.name, entity: entity.name,
        expected: "the id of a \(relationship.destination.name)")
    }
  }

  final func valueSlot(named name: String) throws -> Int {
    if let attribute = entity.attribute(named: name) { return attribute.slot }
    guard let relationship = entity.relationship(named: name) else { throw unknownProperty(name) }
    guard !relationship.isToMany else {
      throw StoreError.wrongType(
        property: name, entity: entity.name,
        expected: "objects: read them with objects(forKey:), change them with mutableSet(forKey:)")
    }
    return relationship.slot
  }

  private func unknownProperty(_ name: String) -> StoreError {
    .unknownProperty(name, entity: entity.name, nearest: entity.nearestPropertyName(to: name))
  }
}

extension AttributeType {
  /// The value as an attribute of this type holds it; nil if it does not fit.
  func converted(_ value: StoreValue) -> StoreValue? {
    switch (self, value) {
    case (_, .null), (.int64, .integer), (.bool, .bool), (.double, .double), (.string, .string),
      (.date, .date), (.data, .data), (.uuid, .uuid), (.url, .url), (.decimal, .decimal):
      value
    case (.int16, .integer(let integer)): Int16(exactly: integer).map { _ in value }
    case (.int32, .integer(let integer)): Int32(exactly: integer).map { _ in value }
    case (.float, .double(let double)): .double(Double(Float(double)))
    case (.decimal, .integer(let integer)): .decimal(Decimal(integer))
    case (.decimal, .double(let double)): .decimal(Decimal(stored: double))
    default: nil
    }
  }
}
