// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import SQLiteDriver

/// The contents of the file, by a connection without contexts.
extension ContextRun {
  /// Compares the file with the expected contents, and takes over the versions of its rows.
  func checkStore() throws {
    let read = try readStore()
    let (missing, extra) = (
      Set(store.rows.keys).subtracting(read.rows.keys),
      Set(read.rows.keys).subtracting(store.rows.keys)
    )
    try expect(
      missing.isEmpty && extra.isEmpty,
      "the file lacks rows of \(missing.sorted()), and has those of \(extra.sorted())")
    for (node, row) in store.rows {
      guard let shown = read.rows[node] else { continue }
      try expect(
        shown.values == row.values.merging(["blob": shown.values["blob"] ?? .null]) { $1 },
        "the row of \(node) holds \(shown.values) and was to hold \(row.values)")
      try expect(
        shown.references == row.references,
        "the row of \(node) refers to \(shown.references) and was to refer to \(row.references)")
      try expect(
        (shown.values["blob"] == .null) == (row.values["blob"] == .null),
        "the row of \(node) has another blob than \(String(describing: row.values["blob"]))")
      store.rows[node]?.version = shown.version
    }
    for table in NodePairs.allCases {
      let (shown, expected) = (read.pairs[table] ?? [], store.pairs[table] ?? [])
      try expect(
        shown == expected, "pairs of \(table) are \(shown) and were to be \(expected)")
    }
  }

  /// The contents of the file; for blobs only whether there is one.
  func readStore() throws -> NodeImage {
    var image = NodeImage()
    var numbers: [Int64: Int] = [:]
    let columns = NodeReference.allCases.map { "Z\($0.rawValue.uppercased())" }
    let sql =
      "SELECT Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZNAME, ZRANK, ZWEIGHT, ZBLOB, "
      + columns.joined(separator: ", ") + " FROM ZNODE"
    var references: [(Int, NodeReference, Int64)] = []
    try rows(sql) { row in
      let number = Int(row.int64(3))
      numbers[row.int64(0)] = number
      let isLeaf = !row.isNull(6)
      var values: [String: StoreValue] = [
        "name": row.isNull(4) ? .null : .string(row.string(4)), "rank": .integer(row.int64(5)),
        "blob": row.isNull(7) ? .null : .bool(true),
      ]
      if isLeaf { values["weight"] = .double(row.double(6)) }
      image.rows[number] = NodeImage.Row(isLeaf: isLeaf, version: row.int64(2), values: values)
      for (index, reference) in NodeReference.allCases.enumerated()
      where !row.isNull(Int32(8 + index)) {
        references.append((number, reference, row.int64(Int32(8 + index))))
      }
    }
    for (node, reference, key) in references {
      image.rows[node]?.references[reference] = numbers[key] ?? gone(key)
    }
    for (table, sql) in pairStatements {
      try rows(sql) { row in
        let (first, second) = (row.int64(0), row.int64(1))
        image.pairs[table, default: []].insert(
          .init(first: numbers[first] ?? gone(first), second: numbers[second] ?? gone(second)))
      }
    }
    return image
  }

  /// The number of a node without a row.
  private func gone(_ key: Int64) -> Int {
    numbers.first { $0.key.primaryKey == key }?.value ?? -1
  }

  private var pairStatements: [(NodePairs, String)] {
    [
      (.tags, "SELECT Z_1TAGGED, Z_1TAGS FROM Z_1TAGGED"),
      (.route, "SELECT Z_1ROUTES, Z_1ROUTE FROM Z_1ROUTE"),
      (.friends, "SELECT Z_1FRIENDS, REFLEXIVE FROM Z_1FRIENDS"),
    ]
  }

  func rows(_ sql: String, _ body: (Statement) throws -> Void) throws {
    let statement = try database.prepare(sql)
    while try statement.step() { try body(statement) }
  }

  // MARK: - At the end

  /// Saves and merges all, and looks at it once more: in the contexts, in the file, in a new
  /// container.
  func finish() throws {
    for participant in participants.reversed() {
      try participant.context.performAndWait {
        do {
          try update(participant)
          try checkAll(participant)
        } catch { throw Discrepancy("at the end, \(participant.context.name): \(error)") }
      }
    }
    try rows("PRAGMA integrity_check") { row in
      try expect(row.string(0) == "ok", "integrity_check: \(row.string(0))")
    }
    try rows("PRAGMA foreign_key_check") { _ in throw Discrepancy("foreign_key_check tells a row") }
    try checkStore()
    let fresh = Participant(container.newBackgroundContext(name: "fresh"))
    fresh.base = store
    fresh.view = store
    try fresh.context.performAndWait { try checkAll(fresh) }
    let orphans = try container.orphanedExternalFiles()
    try expect(orphans.isEmpty, "files that no row refers to: \(orphans)")
  }
}

extension NodeImage {
  /// Whether both show the same values and relationships.
  func shows(like other: NodeImage) -> Bool {
    rows.count == other.rows.count && NodeChanges(from: self, to: other).isEmpty
  }

  func with(blobsOf other: NodeImage) -> NodeImage {
    var image = self
    for (node, row) in rows where row.values["blob"] != .null {
      image.rows[node]?.values["blob"] = other.rows[node]?.values["blob"]
    }
    return image
  }
}
