// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreInstruments

/// The rows that a fetch of objects has read.
enum FetchedRows: Sendable {
  case rows([RowSnapshot])
  case parts([RowSnapshot], PartialProperties)
  case keys([Key])

  /// The parts that a fetch of objects reads: whole rows, parts of them, or only their keys.
  enum Form: Sendable {
    case rows
    case parts(PartialProperties)
    case keys
  }

  var whole: [RowSnapshot] {
    if case .rows(let rows) = self { rows } else { [] }
  }

  /// A row of which only this was read.
  struct Key: Sendable {
    var primaryKey: Int64
    /// `Z_ENT`, or 0 where the table holds one entity.
    var entityID: Int64
  }

  func ids(of entity: EntityDescription) -> [ManagedObjectID] {
    switch self {
    case .rows(let rows), .parts(let rows, _):
      rows.map {
        ManagedObjectID(reference: $0.entity(in: entity).reference, primaryKey: $0.primaryKey)
      }
    case .keys(let keys):
      keys.map {
        ManagedObjectID(
          reference: entity.entity(numbered: $0.entityID).reference, primaryKey: $0.primaryKey)
      }
    }
  }
}

extension PersistentStore {
  /// Reads the rows of a fetch of objects.
  ///
  /// - Parameter watch: may end it early, and receives its progress.
  func read(
    _ form: FetchedRows.Form, of entity: EntityDescription, _ select: SelectStatement,
    interests: Interests, contextID: UInt64, cost: inout QueryCost, watch: FetchWatch? = nil
  ) throws -> FetchedRows {
    switch form {
    case .rows:
      return .rows(
        try rows(
          of: entity, select, interests: interests, contextID: contextID, cost: &cost,
          watch: watch))
    case .keys:
      var keys: [FetchedRows.Key] = []
      try query(
        select, interests: interests, contextID: contextID, cost: &cost, watch: watch
      ) { keys.append(.init(primaryKey: $0.int64(1), entityID: $0.int64(0))) }
      return .keys(keys)
    case .parts(let properties):
      var rows: [RowSnapshot] = []
      var builder = RowBuilder(layout: entity.rowLayout)
      try query(
        select, interests: interests, contextID: contextID, cost: &cost, watch: watch
      ) { rows.append(properties.row(of: $0, &builder)) }
      return .parts(rows, properties)
    }
  }
}
