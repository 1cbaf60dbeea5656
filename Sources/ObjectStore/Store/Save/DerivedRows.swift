// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Synchronization

/// The rows with derived attributes to compute again, as their objects were related to others, or
/// values at the other end of a relationship have changed.
///
/// Triggers of the connection that writes collect them, whichever statement makes the change; one
/// UPDATE for each attribute computes them before the commit. Nothing of it is in the file.
final class DerivedRows: Sendable {
  let columns: [RelatedColumn]
  /// The indices of the tables with columns that change while `Z_OPT` stays: a save must not keep a
  /// row of theirs as an object has it.
  let tables: Set<Int>
  private let keys = Mutex<[Int: Set<Int64>]>([:])

  init(columns: [RelatedColumn] = []) {
    self.columns = columns
    tables = []
  }

  /// Collects the connection's changes from now on.
  init(_ model: ManagedObjectModel, on connection: Connection) throws(SQLiteError) {
    columns = model.relatedColumns
    tables = try Set(columns.map(\.tableIndex)).union(model.triggeredTables(connection))
    guard !columns.isEmpty else { return }
    let function = "ObjectStoreDerivedRow"
    try connection.createFunction(function, argumentCount: 2) { call in
      guard !call.isNull(1) else { return }
      let (column, key) = (Int(call.int64(0)), call.int64(1))
      self.keys.withLock { _ = $0[column, default: []].insert(key) }
    }
    for (number, column) in columns.enumerated() {
      for (index, trigger) in column.triggers.enumerated() {
        let keys = trigger.keys.map { "SELECT \(function)(\(number), \($0.column))\($0.source);" }
        try connection.execute(
          "CREATE TEMP TRIGGER \(column.table)_\(column.column)_\(index) AFTER \(trigger.event) "
            + "BEGIN \(keys.joined(separator: " ")) END")
      }
    }
  }

  /// The columns with their rows since the last call.
  func drain() -> [(RelatedColumn, [Int64])] {
    guard !columns.isEmpty else { return [] }
    let keys = self.keys.withLock { keys in
      defer { keys = [:] }
      return keys
    }
    return keys.sorted { $0.key < $1.key }.map { (columns[$0.key], $0.value.sorted()) }
  }
}

/// The rows with derived attributes that triggers of a Core Data file have set, by `Z_ENT`.
final class TriggeredRows: Sendable {
  private let keys = Mutex<[Int64: Set<Int64>]>([:])

  func insert(_ entityID: Int64, _ key: Int64) {
    keys.withLock { _ = $0[entityID, default: []].insert(key) }
  }

  func removeAll() { keys.withLock { $0 = [:] } }

  /// The rows since the last call; rows of entities that the model lacks have no objects.
  func drain(_ model: ManagedObjectModel) -> [DerivedRowKeys] {
    let keys = keys.withLock { keys in
      defer { keys = [:] }
      return keys
    }
    guard !keys.isEmpty else { return [] }
    return model.entities.compactMap { entity in
      keys[entity.entityID].map {
        DerivedRowKeys(tableIndex: entity.index, reference: entity.reference, keys: $0.sorted())
      }
    }
  }
}

/// Rows of one table with derived attributes that a transaction has computed.
struct DerivedRowKeys {
  let tableIndex: Int
  let reference: ManagedObjectID.EntityReference
  let keys: [Int64]
}

extension SaveWriter {
  /// Computes the derived attributes that the transaction concerns, by one statement each.
  mutating func writeDerivedColumns() throws {
    for (column, keys) in store.derivedRows.drain() {
      do {
        try run(column.updateSQL, [.string(JSONArray(keys: keys).text)])
      } catch let error as SQLiteError {
        throw try overflow(of: column, keys, error)
      }
      try checkRange(of: column, keys)
      outcome.derived.append(
        DerivedRowKeys(
          tableIndex: column.tableIndex, reference: column.reference, keys: keys))
    }
  }

  /// Records rows written from objects with derived values that may be older than the file's.
  mutating func recordDerivedRows(of rows: [SavePlan.Row]) {
    let tables = store.derivedRows.tables
    guard !tables.isEmpty else { return }
    for row in rows where tables.contains(row.entity.index) {
      outcome.derived.append(
        DerivedRowKeys(
          tableIndex: row.entity.index, reference: row.entity.reference, keys: [row.key]))
    }
  }
}

/// The column of an attribute that follows from the other end of a relationship.
struct RelatedColumn: Sendable {
  /// The attribute's.
  let name: String
  let table: String
  let column: String
  /// The index of its table in all that is kept by table.
  let tableIndex: Int
  let reference: ManagedObjectID.EntityReference
  /// The SQL that computes the value of a row.
  let value: String
  /// Of a sum or a count that is kept in fewer than 64 bits: the values that fit.
  let range: ClosedRange<Int64>?
  let triggers: [Trigger]

  struct Trigger: Sendable {
    /// `INSERT ON ZSTOP`.
    let event: String
    /// The rows with those values.
    let keys: [Keys]

    struct Keys: Sendable {
      let column: String
      var source = ""

      init(_ column: String, from table: String? = nil, where condition: String = "") {
        self.column = column
        if let table { source = " FROM \(table) WHERE \(condition)" }
      }
    }
  }

  /// Computes the values of some rows.
  var updateSQL: String {
    "UPDATE \(table) SET \(column) = \(value) WHERE Z_PK IN (SELECT value FROM json_each(?))"
  }

  /// Computes the values of all rows of an entity.
  func updateSQL(of entity: EntityDescription) -> String {
    "UPDATE \(table) SET \(column) = \(value) WHERE Z_ENT = \(entity.entityID)"
  }
}

extension ManagedObjectModel {
  /// The indices of the tables that triggers of a file report rows of.
  fileprivate func triggeredTables(_ connection: Connection) throws(SQLiteError) -> Set<Int> {
    let find = try connection.prepare(
      "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%AffectedObjectValue%'")
    var tables: Set<Int> = []
    while try find.step() {
      let sql = find.string(0)
      for root in roots where sql.contains("AffectedObjectValue('\(root.table)'") {
        tables.insert(root.index)
      }
    }
    return tables
  }

  var relatedColumns: [RelatedColumn] {
    entities.flatMap { entity in
      entity.attributesByName.values.sorted { $0.name < $1.name }.compactMap { attribute in
        // Inherited ones with the entity that declares them.
        entity.superentity?.attributesByName[attribute.name] == nil
          ? entity.relatedColumn(of: attribute) : nil
      }
    }
  }
}

extension EntityDescription {
  func relatedColumn(of attribute: AttributeDescription) -> RelatedColumn? {
    guard case .related(let related)? = attribute.derivation?.kind,
      let source = related.source(in: self)
    else { return nil }
    let (value, triggers) = RelatedSQL(table: table, source: source).parts
    let kinds = kinds.map { "\($0.entityID)" }.joined(separator: ", ")
    let isNew = RelatedColumn.Trigger(
      event: "INSERT ON \(table)" + (hierarchy == nil ? "" : " WHEN NEW.Z_ENT IN (\(kinds))"),
      keys: [.init("NEW.Z_PK")])
    return RelatedColumn(
      name: attribute.name, table: table, column: attribute.column, tableIndex: index,
      reference: reference, value: value,
      range: source.relationship.isToMany ? attribute.type.narrowRange : nil,
      triggers: [isNew] + triggers)
  }
}

/// Writes the SQL of a derivation over a relationship.
private struct RelatedSQL {
  let table: String
  let source: RelatedSource

  var parts: (value: String, triggers: [RelatedColumn.Trigger]) {
    let relationship = source.relationship
    let destination: EntityDescription = relationship.destination
    switch relationship.storage {
    case .column(let column): return toOne(column, destination.table)
    case .inverseColumn(let column, _): return toMany(column, destination.table)
    case .joinTable(let pairs, let near, let far, _):
      return manyToMany(pairs, near, far, destination.table)
    }
  }

  private var result: String {
    source.attribute.map { "ifnull(SUM(d.\($0.column)), 0)" } ?? "COUNT(*)"
  }

  private func toOne(_ column: String, _ other: String) -> (String, [RelatedColumn.Trigger]) {
    let attribute = source.attribute?.column ?? "Z_PK"
    return (
      "(SELECT d.\(attribute) FROM \(other) d WHERE d.Z_PK = \(table).\(column))",
      [
        .init(event: "UPDATE OF \(column) ON \(table)", keys: [.init("NEW.Z_PK")]),
        .init(
          event: "UPDATE OF \(attribute) ON \(other)",
          keys: [.init("Z_PK", from: table, where: "\(column) = NEW.Z_PK")]),
        .init(
          event: "DELETE ON \(other)",
          keys: [.init("Z_PK", from: table, where: "\(column) = OLD.Z_PK")]),
      ]
    )
  }

  private func toMany(_ column: String, _ other: String) -> (String, [RelatedColumn.Trigger]) {
    let columns = [column, source.attribute?.column].compactMap(\.self).joined(separator: ", ")
    return (
      "(SELECT \(result) FROM \(other) d WHERE d.\(column) = \(table).Z_PK)",
      [
        .init(event: "INSERT ON \(other)", keys: [.init("NEW.\(column)")]),
        .init(event: "DELETE ON \(other)", keys: [.init("OLD.\(column)")]),
        .init(
          event: "UPDATE OF \(columns) ON \(other)",
          keys: [.init("OLD.\(column)"), .init("NEW.\(column)")]),
      ]
    )
  }

  private func manyToMany(
    _ pairs: String, _ near: String, _ far: String, _ other: String
  ) -> (String, [RelatedColumn.Trigger]) {
    var triggers: [RelatedColumn.Trigger] = [
      .init(event: "INSERT ON \(pairs)", keys: [.init("NEW.\(near)")]),
      .init(event: "DELETE ON \(pairs)", keys: [.init("OLD.\(near)")]),
      .init(
        event: "DELETE ON \(other)",
        keys: [.init(near, from: pairs, where: "\(far) = OLD.Z_PK")]),
    ]
    if let attribute = source.attribute {
      triggers.append(
        .init(
          event: "UPDATE OF \(attribute.column) ON \(other)",
          keys: [.init(near, from: pairs, where: "\(far) = NEW.Z_PK")]))
    }
    return (
      "(SELECT \(result) FROM \(pairs) p JOIN \(other) d ON d.Z_PK = p.\(far) "
        + "WHERE p.\(near) = \(table).Z_PK)", triggers
    )
  }
}
