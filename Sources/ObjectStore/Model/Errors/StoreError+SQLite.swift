// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension StoreError {
  /// The error of a save: the entity and its properties where SQLite names columns.
  init(_ error: SQLiteError, path: String, waited: Duration, model: ManagedObjectModel) {
    self =
      Self.notUnique(error, model) ?? StoreError(ofOwnStatement: error, path: path, waited: waited)
  }

  /// The error of a statement that the store has written: its tables and columns were there when the file
  /// was opened.
  init(ofOwnStatement error: SQLiteError, path: String, waited: Duration = .zero) {
    self = StoreError(error, path: path, waited: waited)
    if case .sqlite = self, error.namesMissingColumn {
      self = .changedElsewhere(path: path, reason: error.message)
    }
  }

  /// Reads `UNIQUE constraint failed: ZSTOP.ZFEED, ZSTOP.ZIDENTIFIER`.
  private static func notUnique(_ error: SQLiteError, _ model: ManagedObjectModel) -> StoreError? {
    guard error.isNotUnique, let colon = error.message.firstIndex(of: ":") else { return nil }
    let columns = error.message[colon...].dropFirst(2).split(separator: ", ").map {
      $0.split(separator: ".", maxSplits: 1).map(String.init)
    }
    guard let table = columns.first?.first,
      let entity = model.roots.first(where: { $0.table == table })
    else { return nil }
    let properties = columns.compactMap { $0.last }.map { entity.property(ofColumn: $0) ?? $0 }
    return .notUnique(entity: entity.name, properties: properties)
  }
}

extension EntityDescription {
  fileprivate func property(ofColumn column: String) -> String? {
    attributes.first { $0.column == column }?.name ?? toOnes.first { $0.column == column }?.name
  }
}

extension SQLiteError {
  fileprivate var namesMissingColumn: Bool {
    isMistake
      && (message.hasPrefix("no such column: ") || message.hasPrefix("no such table: ")
        || message.contains(" has no column named "))
  }

  /// Describes the failure by the extended code; SQLite's message is always `disk I/O error`.
  var inputOutputReason: String {
    let call: String? =
      switch extendedCode >> 8 {
      case 1, 2, 33: "reading"
      case 3: "writing"
      case 4, 5: "syncing"
      case 6: "truncating"
      case 7: "reading the size of a file"
      case 8, 9, 14, 15: "locking"
      case 10, 23: "deleting a file"
      case 13: "looking for a file"
      case 18, 19, 20, 21: "sharing the write-ahead log's index"
      default: nil
      }
    return "\(message)\(call.map { " while \($0)" } ?? "") (SQLite code \(extendedCode))"
  }
}
