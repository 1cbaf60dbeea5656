// SPDX-License-Identifier: Apache-2.0

extension PlanExplainer {
  /// The indexes that a statement uses, including its triggers and foreign keys; nil if one of
  /// these statements does not compile.
  public func usedIndexes(by sql: String) -> Set<String>? {
    var used: Set<String> = []
    var seen: Set<String> = [sql]
    var waiting = [sql]
    while let sql = waiting.popLast() {
      guard StatementOutline(sql).hasPlan else { continue }
      guard let plan = plan(of: sql) else { return nil }
      used.formUnion(plan.indexNames)
      waiting += actions(of: sql).filter { seen.insert($0).inserted }
    }
    return used
  }

  /// The statements of the triggers that a write fires, and the statements by which foreign keys
  /// extend it to other tables.
  private func actions(of sql: String) -> [String] {
    (WrittenTable.all(in: sql) + WrittenTable.replaced(by: sql)).flatMap { write in
      let triggered = triggers(of: write.table).flatMap {
        TriggeredStatement.all(inTrigger: $0, firedBy: write).map(\.sql)
      }
      return triggered + keyActions(of: write)
    }
  }

  /// Its own plan shows the searches for the rows that refer to it, but not their changes.
  private func keyActions(of write: WrittenTable) -> [String] {
    guard write.kind != .insert else { return [] }
    return references(to: write.table, updating: write.columns).map { reference, cascades in
      let table = Self.quoted(reference.table)
      let columns = reference.columns.map(Self.quoted)
      let condition = columns.map { "\($0) = ?" }.joined(separator: " AND ")
      if cascades, write.kind == .delete { return "DELETE FROM \(table) WHERE \(condition)" }
      let values = columns.map { "\($0) = NULL" }.joined(separator: ", ")
      return "UPDATE \(table) SET \(values) WHERE \(condition)"
    }
  }
}

extension QueryPlan {
  /// The names of the indexes that it uses.
  var indexNames: Set<String> {
    Set(
      nodes.compactMap { node in
        guard case .named(let name, _) = node.fact.access?.index else { return nil }
        return name
      })
  }
}
