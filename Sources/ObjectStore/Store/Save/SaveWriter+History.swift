// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

/// Rows that a transaction wrote in one way.
struct HistoryEntry {
  var kind: HistoryChange.Kind
  var entity: EntityDescription
  var keys: RowKeys
  /// For an update, the changed properties.
  var properties: [String] = []
}

extension SaveWriter {
  /// Records the changes of a save.
  mutating func recordHistory(_ plan: SavePlan) {
    guard tracksHistory else { return }
    let toManys = Dictionary(
      plan.links.map { ($0.owner, $0.properties) }, uniquingKeysWith: { a, _ in a })
    for (row, key) in zip(plan.insertions, outcome.keys) {
      guard outcome.resolutions[row.id] == nil else {
        recordUpdate(of: row, toManys[row.id] ?? [])
        continue
      }
      recordHistory(.insert, row.entity, .range(first: key, count: 1))
    }
    var recorded: Set<SavePlan.RowID> = Set(plan.insertions.map(\.id))
    for row in plan.updates {
      recorded.insert(row.id)
      recordUpdate(of: row, toManys[row.id] ?? [])
    }
    for links in plan.links where recorded.insert(links.owner).inserted {
      recordHistory(
        .update, links.entity, .range(first: links.owner.key, count: 1), links.properties)
    }
    for row in plan.deletions {
      if case .kept? = outcome.resolutions[row.id] { continue }
      recordHistory(.delete, row.entity, .range(first: row.key, count: 1))
    }
  }

  /// The values that were written after another writer had changed the row.
  private mutating func recordUpdate(of row: SavePlan.Row, _ toManys: [String]) {
    let key = RowKeys.range(first: row.key, count: 1)
    switch outcome.resolutions[row.id] {
    case nil:
      let properties = row.entity.properties(changedBy: row.changes, toManys)
      if !properties.isEmpty { recordHistory(.update, row.entity, key, properties) }
    case .merged(_, let changes)?:
      recordHistory(
        .update, row.entity, key, row.entity.properties(changedBy: changes, toManys))
    case .inserted?: recordHistory(.insert, row.entity, key)
    case .kept?, .gone?: break
    }
  }

  mutating func recordHistory(
    _ kind: HistoryChange.Kind, _ entity: EntityDescription, _ keys: RowKeys,
    _ properties: [String] = []
  ) {
    guard tracksHistory else { return }
    history.append(
      HistoryEntry(kind: kind, entity: entity, keys: keys, properties: properties))
  }

  /// Writes the recorded changes as one transaction of the history.
  mutating func writeHistory() throws {
    let count = history.reduce(0) { $0 + $1.keys.count }
    guard count > 0 else { return }
    let transaction = try reserveKeys(of: "TRANSACTION", count: 1)
    let author = try stringKey(origin.author)
    let name = try stringKey(origin.contextName.isEmpty ? nil : origin.contextName)
    try run(
      "INSERT INTO ATRANSACTION(Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZCONTEXTNAMETS, ZTIMESTAMP) "
        + "VALUES(?, ?, 1, ?, ?, ?)",
      [.integer(transaction.first), .integer(transaction.entity), author, name, .date(Date())])
    let changes = try reserveKeys(of: "CHANGE", count: count)
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
      statement.bind(entry.entity.entityID, at: 4)
      if entry.properties.isEmpty {
        statement.bindNull(at: 7)
      } else {
        let columns = store.history?.encoded(entry.properties, of: entry.entity) ?? Data()
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

  /// Assigns keys that were never used before, not even by purged rows.
  private mutating func reserveKeys(
    of name: String, count: Int
  ) throws -> (first: Int64, entity: Int64) {
    var taken: (last: Int64, entity: Int64)?
    try run(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + ? WHERE Z_NAME = ? AND Z_ENT > ? "
        + "AND typeof(Z_MAX) = 'integer' RETURNING Z_MAX, Z_ENT",
      [.integer(Int64(count)), .string(name), .integer(HistorySchema.firstEntity)]
    ) {
      // After the largest integer SQLite continues with reals.
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
    let new = try reserveKeys(of: "TRANSACTIONSTRING", count: 1)
    try run(
      "INSERT INTO ATRANSACTIONSTRING(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, ?, 1, ?)",
      [.integer(new.first), .integer(new.entity), .string(name)])
    return .integer(new.first)
  }
}

extension EntityDescription {
  /// The names of the properties that changes write, sorted, including to-manys.
  fileprivate func properties(changedBy changes: [StoreValue?], _ toManys: [String]) -> [String] {
    var names = toManys
    for (slot, change) in changes.enumerated() where change != nil {
      let toOne = slot - attributes.count
      if toOne < 0 {
        names.append(attributes[slot].name)
      } else if toOne < toOnes.count {
        names.append(toOnes[toOne].name)
      }
    }
    return names.sorted()
  }
}
