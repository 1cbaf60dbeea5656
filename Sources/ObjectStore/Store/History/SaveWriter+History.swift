// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

/// Rows that a transaction wrote in one way.
struct HistoryEntry {
  var kind: HistoryChange.Kind
  var entityID: Int64
  var keys: BatchInsertResult.Keys
  /// Of an update, what it changed.
  var properties: [String] = []
}

extension SaveWriter {
  /// Records what a save writes, while the objects still hold it.
  mutating func recordHistory(_ changes: ChangeSet) {
    guard tracksHistory else { return }
    for object in changes.inserted {
      guard resolutions[ObjectIdentifier(object)] == nil else {
        recordUpdate(of: object)
        continue
      }
      recordHistory(.insert, object.entity, .range(first: object.newPrimaryKey, count: 1))
    }
    var seen: Set<ObjectIdentifier> = []
    for object in changes.updated + changes.linked
    where !object.isInserted && seen.insert(ObjectIdentifier(object)).inserted {
      recordUpdate(of: object)
    }
    for object in changes.deleted {
      if case .kept? = resolutions[ObjectIdentifier(object)] { continue }
      recordHistory(.delete, object.entity, .range(first: object.primaryKey, count: 1))
    }
  }

  /// What was written after all, where another writer had changed the row meanwhile.
  private mutating func recordUpdate(of object: AnyManagedObject) {
    let key = BatchInsertResult.Keys.range(first: object.primaryKey, count: 1)
    switch resolutions[ObjectIdentifier(object)] {
    case nil:
      let properties = object.changedProperties(object.changes)
      if !properties.isEmpty { recordHistory(.update, object.entity, key, properties) }
    case .merged(_, let changes)?:
      recordHistory(.update, object.entity, key, object.changedProperties(changes))
    case .inserted?: recordHistory(.insert, object.entity, key)
    case .kept?, .gone?: break
    }
  }

  mutating func recordHistory(
    _ kind: HistoryChange.Kind, _ entity: EntityDescription, _ keys: BatchInsertResult.Keys,
    _ properties: [String] = []
  ) {
    guard tracksHistory else { return }
    history.append(
      HistoryEntry(kind: kind, entityID: entity.entityID, keys: keys, properties: properties))
  }

  /// Writes the recorded changes as one transaction of the history.
  mutating func writeHistory() throws {
    let count = history.reduce(0) { $0 + $1.keys.count }
    guard count > 0 else { return }
    let transaction = try takeKeys(of: "TRANSACTION", count: 1)
    let author = try stringKey(context.transactionAuthor)
    let name = try stringKey(context.name.isEmpty ? nil : context.name)
    try run(
      "INSERT INTO ATRANSACTION(Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZCONTEXTNAMETS, ZTIMESTAMP) "
        + "VALUES(?, ?, 1, ?, ?, ?)",
      [.integer(transaction.first), .integer(transaction.entity), author, name, .date(Date())])
    let changes = try takeKeys(of: "CHANGE", count: count)
    let insert =
      "INSERT INTO ACHANGE(Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, "
      + "ZCOLUMNS) VALUES(?, ?, 1, ?, ?, ?, ?, ?)"
    report(insert, [])
    let statement = try connection.cachedStatement(insert)
    defer { connection.recycle(statement) }
    statement.bind(changes.entity, at: 2)
    statement.bind(transaction.first, at: 6)
    var next = changes.first
    for entry in history {
      statement.bind(entry.kind.rawValue, at: 3)
      statement.bind(entry.entityID, at: 4)
      if entry.properties.isEmpty {
        statement.bindNull(at: 7)
      } else {
        let columns = Data(entry.properties.joined(separator: "\n").utf8)
        columns.withUnsafeBytes { statement.bind(blob: $0, at: 7) }
      }
      for index in 0..<entry.keys.count {
        statement.bind(next, at: 1)
        statement.bind(entry.keys[index], at: 5)
        try statement.run()
        next += 1
      }
    }
    history = []
  }

  /// Takes keys that were never given before, not even to what was purged since.
  private mutating func takeKeys(
    of name: String, count: Int
  ) throws -> (first: Int64, entity: Int64) {
    var taken: (last: Int64, entity: Int64)?
    try run(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + ? WHERE Z_NAME = ? AND Z_ENT > ? "
        + "AND typeof(Z_MAX) = 'integer' RETURNING Z_MAX, Z_ENT",
      [.integer(Int64(count)), .string(name), .integer(HistorySchema.firstEntity)]
    ) {
      // Behind the last integer SQLite goes on with reals.
      if $0.columnType(0) == .integer { taken = ($0.int64(0), $0.int64(1)) }
    }
    guard let taken, taken.last >= Int64(count) else { throw try numberDamage(history: name) }
    return (taken.last - Int64(count) + 1, taken.entity)
  }

  /// The row of an author's or a context's name, each name being kept once.
  private mutating func stringKey(_ name: String?) throws -> StoreValue {
    guard let name else { return .null }
    var key = StoreValue.null
    try run("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?", [.string(name)]) {
      key = .integer($0.int64(0))
    }
    guard key == .null else { return key }
    let new = try takeKeys(of: "TRANSACTIONSTRING", count: 1)
    try run(
      "INSERT INTO ATRANSACTIONSTRING(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, ?, 1, ?)",
      [.integer(new.first), .integer(new.entity), .string(name)])
    return .integer(new.first)
  }
}

extension BatchInsertResult.Keys {
  var count: Int {
    switch self {
    case .range(_, let count): count
    case .list(let keys): keys.count
    }
  }

  /// Those below a key, and the others.
  func parted(at key: Int64) -> (Self, Self) {
    guard case .list(let keys) = self else { return (.range(first: 0, count: 0), self) }
    let all = keys[0..<keys.count]
    return (.list(KeyList(all.filter { $0 < key })), .list(KeyList(all.filter { $0 >= key })))
  }

  subscript(index: Int) -> Int64 {
    switch self {
    case .range(let first, _): first + Int64(index)
    case .list(let keys): keys[index]
    }
  }
}

extension AnyManagedObject {
  /// The names of the properties that changes write, sorted.
  fileprivate func changedProperties(_ changes: [StoreValue?]) -> [String] {
    var names: [String] = []
    for (slot, change) in changes.enumerated() where change != nil {
      let toOne = slot - entity.attributes.count
      if toOne < 0 {
        names.append(entity.attributes[slot].name)
      } else if toOne < entity.toOnes.count {
        names.append(entity.toOnes[toOne].name)
      }
    }
    for (slot, toMany) in entity.toManys.enumerated()
    where links?.toManys[slot]?.hasChanges == true { names.append(toMany.name) }
    return names.sorted()
  }
}
