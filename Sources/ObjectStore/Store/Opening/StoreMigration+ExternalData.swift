// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

/// An attribute that allows external storage in the model and did not in the file, or the other way
/// round.
struct MovedAttribute {
  let entity: EntityDescription
  let attribute: AttributeDescription

  var column: String { "\(entity.table).\(attribute.column)" }
  var difference: String {
    attribute.allowsExternalBinaryDataStorage
      ? "\(column) is kept in its rows, the model allows external storage"
      : "\(column) is kept with external storage, the model does not allow it"
  }
}

extension StoreMigration {
  /// Adds the mark of external storage to values of attributes, or removes it; large ones go to
  /// files, or come from there.
  mutating func move(_ moved: MovedAttribute, threshold: Int) throws {
    let (table, column) = (moved.entity.table, moved.attribute.column)
    let select = try connection.prepare("SELECT \(column) FROM \(table) WHERE Z_PK = ?")
    let update = try connection.prepare("UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?")
    let keys = try keys(of: table, with: column)
    for key in keys {
      select.bind(key, at: 1)
      guard try select.step() else { continue }
      let value: StoreValue
      if moved.attribute.allowsExternalBinaryDataStorage {
        let data = Data(select.blob(0))
        value =
          data.count > threshold
          ? .external(try files.write(data)) : moved.attribute.inlineColumnValue(.data(data))
      } else {
        guard let data = data(in: select.blob(0), moved.column) else { return }
        value = .data(data)
      }
      select.reset()
      update.bind(value, at: 1)
      update.bind(key, at: 2)
      try update.run()
    }
    guard !keys.isEmpty else { return }
    remark(
      moved.attribute.allowsExternalBinaryDataStorage
        ? "allowed external storage of \(moved.column)" : "brought \(moved.column) into its rows")
  }

  private mutating func data(
    in column: UnsafeRawBufferPointer, _ name: String
  ) -> Data? {
    switch ExternalDataColumn(column) {
    case .inline(let bytes): return Data(bytes)
    case .reference(let reference):
      do throws(ExternalDataProblem) {
        let data = try files.read(reference)
        files.replace(reference)
        return data
      } catch {
        note("data of \(name) cannot be read: \(error)")
        return nil
      }
    }
  }

  private func keys(of table: String, with column: String) throws(SQLiteError) -> [Int64] {
    let select = try connection.prepare("SELECT Z_PK FROM \(table) WHERE \(column) IS NOT NULL")
    var keys: [Int64] = []
    while try select.step() { keys.append(select.int64(0)) }
    return keys
  }
}

extension EntityDescription {
  /// `ZPHOTO.ZBLOB`, and its name before the entity or the attribute was renamed.
  func columnNames(of attribute: AttributeDescription) -> [String] {
    let tables = [table] + [renamingIdentifier].compactMap { $0.map { "Z" + $0.uppercased() } }
    let columns =
      [attribute.column]
      + [attribute.renamingIdentifier].compactMap { $0.map { "Z" + $0.uppercased() } }
    return tables.flatMap { table in columns.map { table + "." + $0 } }
  }
}
