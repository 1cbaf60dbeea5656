// SPDX-License-Identifier: Apache-2.0

import QueryPlans

extension JudgedStatement {
  /// The fix for a view or a common table, which cannot be indexed; nil if the statement names none.
  var fixOfView: String? {
    let views = ComparedColumns.all(in: qualifiedSQL).filter(isView)
    if let view = views.first { return fix(of: view, "view") }
    return ComparedColumns.ofCommonTables(in: qualifiedSQL).first {
      !($0.filtered + $0.sorted).isEmpty
    }.flatMap { fix(of: $0, "common table") }
  }

  private func fix(of view: ComparedColumns, _ kind: String) -> String? {
    let sorted = view.sorted.filter { !view.filtered.contains($0) }
    let columns = (view.filtered + sorted).map { "'\($0)'" }.joined(separator: ", ")
    let isWhole =
      plan?.nodes.contains {
        ($0.fact == .materialize(view.table) || $0.fact == .coroutine(view.table)) && $0.scans
      }
      ?? false
    if !isWhole, judgement.largestScan?.indexes != nil {
      // Of one table there is no join to leave out.
      guard readTables.count > 1 else { return nil }
      return """
        '\(view.table)' is a \(kind), and no index of its tables finds its rows: select from its \
        tables, with only the joins and columns that are needed
        """
    }
    guard isWhole, !columns.isEmpty else {
      return "'\(view.table)' is a \(kind): index the columns of its tables behind \(columns)"
    }
    return """
      all of the \(kind) '\(view.table)' is computed before its rows are compared: write the WHERE \
      in its SELECT, and index the columns behind \(columns)
      """
  }

  private var readTables: [TableAccess] {
    (plan?.nodes ?? []).compactMap { node in
      switch node.fact {
      case .scan(let access), .search(let access): access.isSubquery ? nil : access
      default: nil
      }
    }
  }

  /// Whether the plan reads other tables instead of one that the SQL names.
  private func isView(_ columns: ComparedColumns) -> Bool {
    // A name that is not resolved might be the table's.
    let tables = readTables.map(\.table)
    return !tables.isEmpty && !tables.contains(nil)
      && !tables.contains { $0.map(columns.areOf) == true }
  }
}

extension QueryPlan.Node {
  /// Whether a step below reads all of a table.
  fileprivate var scans: Bool {
    children.contains { child in
      if case .scan(let access) = child.fact, !access.isSubquery { return true }
      return child.scans
    }
  }
}
