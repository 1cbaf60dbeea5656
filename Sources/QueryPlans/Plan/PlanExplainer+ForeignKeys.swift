// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension PlanExplainer {
  /// The columns without an index by which a deletion, or an update of a key, finds the rows that
  /// refer to its own; also the columns that refer to rows deleted by a cascade.
  ///
  /// See section 3 of <https://www.sqlite.org/foreignkeys.html>.
  func unindexedReferences(of sql: String) -> [PlanJudgement.Reference] {
    let writes = WrittenTable.all(in: sql) + WrittenTable.replaced(by: sql)
    return writes.filter { $0.kind != .insert }.reduce(into: []) { found, write in
      found += unindexedReferences(of: write).filter { !found.contains($0) }
    }
  }

  private func unindexedReferences(of write: WrittenTable) -> [PlanJudgement.Reference] {
    var found: [PlanJudgement.Reference] = []
    var deleted = [write.table.lowercased()]
    var position = 0
    while position < deleted.count {
      for (reference, cascades) in references(to: deleted[position], updating: write.columns) {
        if !found.contains(reference), isLarge(reference.table), !isIndexed(reference) {
          found.append(reference)
        }
        let table = reference.table.lowercased()
        if cascades, write.kind == .delete, !deleted.contains(table) { deleted.append(table) }
      }
      position += 1
    }
    return found
  }

  private func isLarge(_ table: String) -> Bool {
    size(of: table).map { $0.isAtLeast || Double($0.rows) >= ScanBound.minRows } ?? false
  }

  /// - Parameter columns: the columns that an UPDATE sets; nil for all.
  func references(
    to table: String, updating columns: [String]?
  ) -> [(PlanJudgement.Reference, cascades: Bool)] {
    let updated = columns.map { Set($0.map { $0.lowercased() }) }
    guard
      let query = try? connection.cachedStatement(
        """
        SELECT m.name, f.id, f."from", f.on_delete, coalesce(f."to", (SELECT p.name FROM \
        pragma_table_info(f."table") p WHERE p.pk = f.seq + 1)) FROM sqlite_schema m, \
        pragma_foreign_key_list(m.name) f WHERE m.type = 'table' AND f."table" = ?1 COLLATE NOCASE \
        AND m.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY m.name, f.id DESC, f.seq
        """)
    else { return [] }
    defer { connection.recycle(query) }
    query.bind(table, at: 1)
    var keys: [(PlanJudgement.Reference, id: Int64, cascades: Bool, isWritten: Bool)] = []
    while (try? query.step()) == true {
      let (table, id, column) = (query.string(0), query.int64(1), query.string(2))
      let isWritten = updated?.contains(query.string(4).lowercased()) ?? true
      if let last = keys.indices.last, keys[last].0.table == table, keys[last].id == id {
        keys[last].0.columns.append(column)
        keys[last].isWritten = keys[last].isWritten || isWritten
      } else {
        keys.append(
          (.init(table: table, columns: [column]), id, query.string(3) == "CASCADE", isWritten))
      }
    }
    return keys.filter(\.isWritten).map { ($0.0, $0.cascades) }
  }

  private func isIndexed(_ reference: PlanJudgement.Reference) -> Bool {
    let columns = Set(reference.columns.map { $0.lowercased() })
    let indexes = (try? DatabaseIndex.all(of: reference.table, connection)) ?? []
    let isKey =
      (try? connection.texts(
        "SELECT name FROM pragma_table_info(?1) WHERE pk = 1 AND type = 'INTEGER' COLLATE NOCASE",
        reference.table))?.map { $0.lowercased() } == Array(columns)
    return isKey
      || indexes.contains { index in
        !index.isPartial
          && Set(index.terms.prefix(columns.count).compactMap { $0.column?.lowercased() })
            == columns
      }
  }
}
