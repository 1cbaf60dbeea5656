// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// How an existing file numbers its entities, without those of the history, and how a model's entities are found among them.
struct EntityNumbers {
  /// By name: the file's.
  private(set) var inFile: [String: Int64] = [:]
  /// `Z_SUPER` by `Z_ENT`.
  private(set) var superIDs: [Int64: Int64] = [:]
  /// By name: those of the model's entities, new ones behind the file's.
  private(set) var ofModel: [String: Int64] = [:]
  /// Entities of the model whose renaming identifier the file knows.
  private(set) var renamed: [(old: String, entity: EntityDescription)] = []

  init(_ model: ManagedObjectModel, in connection: Connection) throws(SQLiteError) {
    let rows = try connection.prepare("SELECT Z_NAME, Z_ENT, Z_SUPER FROM Z_PRIMARYKEY")
    while try rows.step() {
      guard rows.int64(1) < HistorySchema.firstEntity else { continue }
      inFile[rows.string(0)] = rows.int64(1)
      superIDs[rows.int64(1)] = rows.int64(2)
    }
    for entity in model.entities {
      if let known = inFile[entity.name] {
        ofModel[entity.name] = known
      } else if let old = entity.renamingIdentifier, let known = inFile[old],
        model.entity(named: old) == nil
      {
        ofModel[entity.name] = known
        renamed.append((old, entity))
      }
    }
    var next = inFile.values.max() ?? 0
    for entity in model.entities where ofModel[entity.name] == nil {
      next += 1
      ofModel[entity.name] = next
    }
  }

  /// Entities of the file that the model lacks.
  var gone: [(name: String, entityID: Int64)] {
    let known = Set(ofModel.values)
    return inFile.filter { !known.contains($0.value) }
      .map { ($0.key, $0.value) }.sorted { $0.1 < $1.1 }
  }
}
