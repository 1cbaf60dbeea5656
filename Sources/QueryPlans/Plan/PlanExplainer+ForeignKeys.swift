// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension PlanExplainer {
  /// The columns without an index by which a deletion finds the rows that refer to its own, and
  /// those that refer to the rows that it deletes along with them.
  ///
  /// See section 3 of <https://www.sqlite.org/foreignkeys.html>.
  func unindexedReferences(of sql: String) -> [PlanJudgement.Reference] {
    guard let write = WrittenTable(sql: sql), write.kind == .delete else { return [] }
    var found: [PlanJudgement.Reference] = []
    var deleted = [write.table.lowercased()]
    var place = 0
    while place < deleted.count {
      for (reference, cascades) in references(to: deleted[place]) {
        if !found.contains(reference), isLarge(reference.table), !isIndexed(reference) {
          found.append(reference)
        }
        let table = reference.table.lowercased()
        if cascades, !deleted.contains(table) { deleted.append(table) }
      }
      place += 1
    }
    return found
  }

  private func isLarge(_ table: String) -> Bool {
    size(of: table).map { $0.isAtLeast || Double($0.rows) >= ScanBound.minRows } ?? false
  }

  private func references(to table: String) -> [(PlanJudgement.Reference, cascades: Bool)] {
    guard
      let query = try? connection.cachedStatement(
        """
        SELECT m.name, f.id, f."from", f.on_delete FROM sqlite_schema m, \
        pragma_foreign_key_list(m.name) f WHERE m.type = 'table' AND f."table" = ?1 COLLATE NOCASE \
        AND m.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY m.name, f.id DESC, f.seq
        """)
    else { return [] }
    defer { connection.recycle(query) }
    query.bind(table, at: 1)
    var keys: [(PlanJudgement.Reference, id: Int64, cascades: Bool)] = []
    while (try? query.step()) == true {
      let (table, id, column) = (query.string(0), query.int64(1), query.string(2))
      if let last = keys.indices.last, keys[last].0.table == table, keys[last].id == id {
        keys[last].0.columns.append(column)
      } else {
        keys.append((.init(table: table, columns: [column]), id, query.string(3) == "CASCADE"))
      }
    }
    return keys.map { ($0.0, $0.cascades) }
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
