// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

/// The property list in `Z_METADATA`.
struct StoreMetadata {
  private var values: [String: Any]

  /// Core Data's hashes in a store that it made; in one of ours, ours.
  private static let coreDataHashes = "NSStoreModelVersionHashes"
  /// Ours, which tell whether the model has changed.
  private static let hashes = "ObjectStoreModelVersionHashes"

  /// Of a new store.
  init(_ model: ManagedObjectModel) {
    values = [
      "NSStoreType": "SQLite", "NSStoreModelVersionIdentifiers": [String](),
      "_NSAutoVacuumLevel": "2",
    ]
    setModel(model)
  }

  /// Of an existing one; empty where there is no property list.
  init(_ connection: Connection) throws(SQLiteError) {
    let statement = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
    let data = try statement.step() ? Data(statement.blob(0)) : Data()
    let list = try? PropertyListSerialization.propertyList(from: data, format: nil)
    values = list as? [String: Any] ?? [:]
  }

  /// Nil for a store that Core Data made, or this library before it kept hashes.
  var versionHashes: [String: Data]? { values[Self.hashes] as? [String: Data] }

  /// Columns whose values have the mark of external storage, such as `ZPHOTO.ZBLOB`.
  private static let externalColumnsKey = "ObjectStoreExternalDataColumns"
  private var externalColumns: Set<String> {
    Set(values[Self.externalColumnsKey] as? [String] ?? [])
  }

  mutating func setModel(_ model: ManagedObjectModel) {
    // Columns that the model lacks stay in the file as they are.
    var external = externalColumns
    for root in model.roots {
      for attribute in root.attributes { external.subtract(root.columnNames(of: attribute)) }
      external.formUnion(root.externalSlots.map { "\(root.table).\(root.attributes[$0].column)" })
    }
    values[Self.externalColumnsKey] = external.sorted()
    let hashes = model.versionHashes
    values[Self.hashes] = hashes
    // The model is not the one any more whose hashes Core Data wrote.
    values[Self.coreDataHashes] = hashes
    values["NSStoreModelVersionHashesVersion"] = 3
  }

  /// Entities that are kept in another way than the model has it; none in a store without hashes.
  func changedEntities(_ model: ManagedObjectModel) -> Set<String> {
    guard let old = versionHashes else { return [] }
    let new = model.versionHashes
    return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
  }

  /// Attributes that allow external storage in the model and not in the file, or the other way round.
  ///
  /// None in a store of Core Data's, which is taken to be as the model has it.
  func movedAttributes(
    _ model: ManagedObjectModel, in connection: Connection
  ) throws(SQLiteError) -> [MovedAttribute] {
    guard versionHashes != nil else { return [] }
    let external = externalColumns
    var moved: [MovedAttribute] = []
    for root in model.roots {
      for attribute in root.attributes where attribute.type == .data {
        let names = root.columnNames(of: attribute)
        guard names.contains(where: external.contains) != attribute.allowsExternalBinaryDataStorage,
          try Self.hasColumn(names, in: connection)
        else { continue }
        moved.append(MovedAttribute(entity: root, attribute: attribute))
      }
    }
    return moved
  }

  private static func hasColumn(
    _ names: [String], in connection: Connection
  ) throws(SQLiteError) -> Bool {
    for name in names {
      let parts = name.split(separator: ".")
      let find = try connection.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?")
      for (index, part) in parts.enumerated() { find.bind(String(part), at: Int32(index + 1)) }
      if try find.step() { return true }
    }
    return false
  }

  func data() throws -> Data {
    try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
  }

  func write(to connection: Connection) throws {
    let statement = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
    try data().withUnsafeBytes { statement.bind(blob: $0, at: 1) }
    try statement.run()
  }
}
