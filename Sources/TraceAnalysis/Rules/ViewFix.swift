// SPDX-License-Identifier: Apache-2.0

import QueryPlans

extension JudgedStatement {
  /// The fix for a view or a common table, which cannot be indexed; nil if the statement names none.
  var fixOfView: String? {
    let compared = ComparedColumns.all(in: qualifiedSQL)
    guard let view = compared.first(where: { isView($0.table) }) else { return nil }
    let sorted = view.sorted.filter { !view.filtered.contains($0) }
    let columns = (view.filtered + sorted).map { "'\($0)'" }.joined(separator: ", ")
    let kind = qualifiedSQL.uppercased().hasPrefix("WITH ") ? "common table" : "view"
    return "'\(view.table)' is a \(kind): index the columns of its tables behind \(columns)"
  }

  /// Whether the plan reads other tables in place of one that the SQL names.
  private func isView(_ table: String) -> Bool {
    let accesses = (plan?.nodes ?? []).compactMap { node -> TableAccess? in
      switch node.fact {
      case .scan(let access), .search(let access): access.isSubquery ? nil : access
      default: nil
      }
    }
    // A name that is not resolved might be the table's.
    let tables = accesses.map { $0.table?.lowercased() }
    return !tables.isEmpty && !tables.contains(nil) && !tables.contains(table.lowercased())
  }
}
