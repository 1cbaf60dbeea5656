// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The values that a fetch has read of an object which is otherwise a fault.
final class PartialRow: Sendable {
  private let row: RowSnapshot
  private let properties: PartialProperties

  init(_ row: RowSnapshot, _ properties: PartialProperties) {
    self.row = row
    self.properties = properties
  }

  /// The row to read a slot from, or nil if the fetch has not read it.
  func row(holding slot: Int) -> RowSnapshot? { properties.isRead[slot] ? row : nil }
}

/// The properties that a fetch reads of its objects, which share this.
final class PartialProperties: Sendable {
  /// By slot.
  let isRead: [Bool]
  /// `ZNAME`, in the order of the slots.
  let columns: [String]
  private let slots: [(slot: Int, type: ResultType)]
  private let layout: RowLayout

  /// - Throws: ``FetchPredicateError`` if one of them is not an attribute or a to-one relationship
  ///   of the entity itself.
  init(_ properties: [ResultColumn], of entity: EntityDescription) throws(FetchPredicateError) {
    var slots: [(slot: Int, column: String, type: ResultType)] = []
    for property in properties {
      let path = property.propertyPath ?? []
      if path.count == 1, let attribute = entity.attribute(named: path[0]) {
        slots.append((attribute.slot, attribute.column, ResultType(attribute)))
      } else if path.count == 1, let toOne = entity.relationship(named: path[0]),
        let column = toOne.column
      {
        slots.append((toOne.slot, column, .object(toOne.destination)))
        if let entitySlot = toOne.entitySlot, let entityColumn = toOne.entityColumn {
          slots.append((entitySlot, entityColumn, .attribute(.int64)))
        }
      } else if path.count == 1, entity.relationship(named: path[0]) == nil {
        throw .unknownProperty(
          path[0], entity: entity.name, nearest: entity.nearestPropertyName(to: path[0]))
      } else {
        throw .unsupported(
          "\(property.name) as a value of objects",
          instead: "name attributes and to-one relationships, or fetch dictionaries")
      }
    }
    slots.sort { $0.slot < $1.slot }
    columns = slots.map(\.column)
    self.slots = slots.map { ($0.slot, $0.type) }
    layout = entity.rowLayout
    let read = Set(slots.map(\.slot))
    isRead = (0..<entity.rowLayout.slotCount).map { read.contains($0) }
  }

  /// Reads the current row of a statement: `1, Z_PK` or `Z_ENT, Z_PK`, then the columns.
  func row(of statement: Statement, _ builder: inout RowBuilder) -> RowSnapshot {
    builder.begin()
    for slot in 0..<layout.slotCount { builder.setNull(slot) }
    for (index, (slot, type)) in slots.enumerated() {
      let value = statement.value(Int32(index + 2), as: type)
      if value != .null { builder.replaceNull(slot, value) }
    }
    if layout.entityID != nil {
      builder.set(layout.slotCount, UInt64(bitPattern: statement.int64(0)))
    }
    return builder.makeSnapshot(primaryKey: statement.int64(1), version: 0)
  }
}

extension AnyManagedObject {
  /// The row to read a slot from without firing the fault.
  final func partialRow(holding slot: Int) -> RowSnapshot? {
    guard let partial, snapshot == nil, !state.contains(.inaccessible) else { return nil }
    return partial.row(holding: slot)
  }
}
