// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

/// The property list in `Z_METADATA`.
struct StoreMetadata {
  var values: [String: Any]

  /// Core Data's hashes in a store that it made; in one of ours, ours.
  private static let coreDataHashes = "NSStoreModelVersionHashes"
  /// Ours, which show whether the model has changed.
  private static let hashes = "ObjectStoreModelVersionHashes"

  /// The metadata of a new store.
  init(_ model: ManagedObjectModel) {
    values = [
      "NSStoreType": "SQLite", "NSStoreModelVersionIdentifiers": [String](),
      "_NSAutoVacuumLevel": "2",
    ]
    setModel(model)
  }

  /// The metadata of a file without a property list.
  init() { values = [:] }

  /// The metadata of an existing store; empty if the bytes are not a property list.
  init(propertyList: UnsafeRawBufferPointer) {
    let list = try? PropertyListSerialization.propertyList(
      from: Data(propertyList), format: nil)
    values = list as? [String: Any] ?? [:]
  }

  /// Nil for a store that Core Data made, or this library before it kept hashes.
  var versionHashes: [String: Data]? { values[Self.hashes] as? [String: Data] }

  /// Columns with values that have the mark of external storage, such as `ZPHOTO.ZBLOB`.
  private static let externalColumnsKey = "ObjectStoreExternalDataColumns"
  private var externalColumns: Set<String> {
    Set(values[Self.externalColumnsKey] as? [String] ?? [])
  }

  /// Whether values of a column of the file have the mark of external storage.
  func hasExternalData(_ table: String, _ column: String) -> Bool {
    externalColumns.contains("\(table).\(column)")
  }

  /// Ours: columns that are not where a new file has them, by property: `Message.text`.
  private static let columnsKey = "ObjectStoreColumns"
  /// Ours: Core Data's hashes when ours were written.
  private static let seenHashesKey = "ObjectStoreSeenVersionHashes"

  private var appleHashes: [String: Data]? { values[Self.coreDataHashes] as? [String: Data] }

  /// Whether another library wrote the file, and this one has never opened it for writing.
  var isGuest: Bool {
    versionHashes == nil && values["NSPersistenceFrameworkVersion"] != nil
  }

  /// Our hashes, unless another library has adapted the file since they were written.
  var validHashes: [String: Data]? {
    guard let ours = versionHashes else { return nil }
    let apples = appleHashes
    guard apples == ours || apples == values[Self.seenHashesKey] as? [String: Data] else {
      return nil
    }
    return ours
  }

  /// Whether the file was last adapted to this very model.
  func isChecked(_ model: ManagedObjectModel) -> Bool { validHashes == model.versionHashes }

  /// Whether the file was adapted to a model that had an entity of the very same hash.
  func hasEntity(of model: ManagedObjectModel) -> Bool {
    let known = validHashes ?? [:]
    return model.versionHashes.contains { known[$0.key] == $0.value }
  }

  var columns: [String: String] { values[Self.columnsKey] as? [String: String] ?? [:] }

  /// Stores the model that the file now fits.
  ///
  /// - Parameter changesStructure: whether tables or columns changed. The file then no longer fits
  ///   the model of Core Data's hashes; otherwise they stay.
  /// - Parameter leftovers: contents of the file that the model lacks.
  mutating func setModel(
    _ model: ManagedObjectModel, changesStructure: Bool = true, leftovers: Set<String> = []
  ) {
    // Columns that the model does not have stay in the file unchanged.
    var external = externalColumns
    for root in model.roots {
      for attribute in root.attributes { external.subtract(root.columnNames(of: attribute)) }
      external.formUnion(root.externalSlots.map { "\(root.table).\(root.attributes[$0].column)" })
    }
    values[Self.externalColumnsKey] = external.sorted()
    let hashes = model.versionHashes
    keepDestinations(of: model, hashes)
    keepRecord(of: model, hashes, leftovers)
    let keepsApples = !changesStructure && appleHashes != nil && appleHashes != versionHashes
    values[Self.hashes] = hashes
    values[Self.columnsKey] = model.mappedColumns
    values["ObjectStoreSeal"] = StoreSeal.blank
    if keepsApples {
      values[Self.seenHashesKey] = appleHashes
    } else {
      values[Self.seenHashesKey] = nil
      values[Self.coreDataHashes] = hashes
      values["NSStoreModelVersionHashesVersion"] = 3
    }
  }

  /// Entities that are kept in another way than the model has it; none in a store without hashes.
  func changedEntities(_ model: ManagedObjectModel) -> Set<String> {
    guard let old = validHashes else { return [] }
    let new = model.versionHashes
    return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
  }

  /// Attributes that allow external storage in the model and not in the file, or the other way round.
  ///
  /// A store that Core Data wrote has none, and is assumed to match the model.
  func movedAttributes(_ model: ManagedObjectModel, in file: FileStructure) -> [MovedAttribute] {
    guard versionHashes != nil else { return [] }
    let external = externalColumns
    var moved: [MovedAttribute] = []
    for root in model.roots {
      for attribute in root.attributes where attribute.type == .data {
        let names = root.columnNames(of: attribute)
        guard names.contains(where: external.contains) != attribute.allowsExternalBinaryDataStorage,
          names.contains(where: file.hasColumn)
        else { continue }
        moved.append(MovedAttribute(entity: root, attribute: attribute))
      }
    }
    return moved
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

extension FileStructure {
  /// Whether there is a column such as `ZPHOTO.ZBLOB`.
  fileprivate func hasColumn(_ name: String) -> Bool {
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    return parts.count == 2 && tables[parts[0]]?.has(parts[1]) == true
  }
}

extension ManagedObjectModel {
  /// By property, such as `Message.text`: columns that differ from those of a new file.
  fileprivate var mappedColumns: [String: String] {
    let new = try? copy()
    var columns: [String: String] = [:]
    for root in roots {
      let defaults = new?.entity(named: root.name).map { StoredProperty.all(of: $0) } ?? []
      for (property, other) in zip(StoredProperty.all(of: root), defaults)
      where property.defaultColumn != other.defaultColumn {
        columns[property.label] = property.defaultColumn
      }
    }
    return columns
  }
}
