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
    setHashes(of: model)
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

  mutating func setHashes(of model: ManagedObjectModel) {
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

  func data() throws -> Data {
    try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
  }

  func write(to connection: Connection) throws {
    let statement = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
    try data().withUnsafeBytes { statement.bind(blob: $0, at: 1) }
    try statement.run()
  }
}
