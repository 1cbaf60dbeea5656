// SPDX-License-Identifier: Apache-2.0

extension AnyManagedObject {
  /// The attributes and to-one relationships that differ from the saved row, with their new values;
  /// for a new object, the properties that are not nil.
  ///
  ///     stop.name = "Ostkreuz"
  ///     stop.changedValues  // ["name": .string("Ostkreuz")]
  ///
  /// To-many relationships hold no value: see ``changedRelationships``. Fires no fault.
  public final var changedValues: [String: StoreValue] {
    var values: [String: StoreValue] = [:]
    for (slot, change) in changes.enumerated() {
      guard let value = change, let name = valueName(slot), !isInserted || value != .null
      else { continue }
      values[name] = loaded(value, slot)
    }
    return values
  }

  /// The to-many relationships with other members, or another order, than the saved ones.
  ///
  /// A one-to-many is kept in its members, and is not among them: see their ``changedValues``.
  public final var changedRelationships: Set<String> {
    Set(entity.toManys.filter { links?.toManys[$0.slot]?.hasChanges == true }.map(\.name))
  }

  /// The values of attributes and to-one relationships as the context has last read or saved them,
  /// whatever was changed since; `.null` for all of a new object.
  ///
  /// Fires a fault.
  ///
  /// - Parameter names: which ones; all, if nil.
  /// - Throws: ``StoreError``: `unknownProperty`, `wrongType` for a to-many; the errors of
  ///   ``load()``.
  public final func committedValues(
    forKeys names: [String]? = nil
  ) throws -> [String: StoreValue] {
    let all =
      entity.attributesByName.keys.sorted()
      + entity.relationships.filter { !$0.isToMany && !$0.isHidden }.map(\.name)
    var slots: [(String, Int)] = []
    for name in names ?? all { slots.append((name, try valueSlot(named: name))) }
    if !isInserted { try load() }
    var values: [String: StoreValue] = [:]
    for (name, slot) in slots {
      let value = isInserted ? nil : snapshot?.storeValue(slot, in: entity)
      guard case .external(let reference)? = value else {
        values[name] = value ?? .null
        continue
      }
      values[name] = .data(try externalData(reference, slot))
    }
    return values
  }

  /// Checks a value against the rules of its attribute, as a save does, without setting it.
  ///
  ///     try stop.validateValue(.string(field.text), forKey: "name")
  ///
  /// - Throws: ``StoreError``: `invalid` with the broken rule; `unknownProperty`; `wrongType`.
  public final func validateValue(_ value: StoreValue, forKey name: String) throws {
    let slot = try valueSlot(named: name)
    var value = value
    if let attribute = entity.attribute(named: name) {
      guard let converted = attribute.type.converted(value) else {
        throw StoreError.wrongType(
          property: name, entity: entity.name, expected: attribute.type.rawValue)
      }
      value = converted
    }
    let problems = entity.problems(with: value, slot)
    guard problems.isEmpty else {
      throw StoreError.invalid(
        problems.map { .init(objectID: objectID, property: name, problem: $0) })
    }
  }

  /// Nil for a property that another entity of the table has, and for the entity column of a
  /// relationship.
  private func valueName(_ slot: Int) -> String? {
    let count = entity.attributes.count
    if slot < count {
      let attribute = entity.attributes[slot]
      return entity.has(attribute) ? attribute.name : nil
    }
    guard slot - count < entity.toOnes.count else { return nil }
    let toOne = entity.toOnes[slot - count]
    return entity.has(toOne) && !toOne.isHidden ? toOne.name : nil
  }
}
