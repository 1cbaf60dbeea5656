// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Rows that take unique values which another row still had when they were written.
struct PostponedRows {
  /// Whether another row may lose its values in the same save.
  var mayTake = false
  /// Their indices in the plan.
  fileprivate(set) var insertions: [Int] = []
  fileprivate(set) var updates: [SavePlan.Row] = []

  var isEmpty: Bool { insertions.isEmpty && updates.isEmpty }
}

extension SaveWriter {
  /// Puts off a row that violates a uniqueness constraint; false if the violation is an error.
  ///
  /// - Parameter index: that in the plan of a row that is inserted.
  mutating func postpone(
    _ row: SavePlan.Row, _ error: SQLiteError, at index: Int? = nil
  ) -> Bool {
    guard error.isNotUnique, postponed.mayTake else { return false }
    discardExternalData(of: row)
    if let index { postponed.insertions.append(index) } else { postponed.updates.append(row) }
    return true
  }

  /// Writes the rows that were put off, now that all others are written.
  ///
  ///     UPDATE ZSTOP SET ZIDENTIFIER = NULL WHERE Z_PK = ? AND Z_OPT = ?
  mutating func writePostponed(_ plan: SavePlan) throws {
    let rows = postponed
    postponed = PostponedRows()
    for row in rows.updates { try clearUniqueValues(of: row) }
    try update(rows.updates, plan.mergePolicy)
    try insert(rows.insertions.map { (plan.insertions[$0].entity, [$0]) }, of: plan)
  }

  /// Sets the unique values to NULL that the row's update replaces.
  private mutating func clearUniqueValues(of row: SavePlan.Row) throws {
    let unique = Set(row.entity.uniquenessConstraints.joined())
    let columns = zip(row.entity.columns, row.changes)
      .filter { $1 != nil && unique.contains($0) }.map { "\($0.0) = NULL" }
    guard !columns.isEmpty else { return }
    try run(
      "UPDATE \(row.entity.table) SET \(columns.joined(separator: ", ")) "
        + "WHERE Z_PK = ? AND Z_OPT = ?", [.integer(row.key), .integer(row.version)])
  }

  /// The error of a row that a trigger of the file has left as it was, without an error of its own.
  func ignored(_ row: SavePlan.Row, key: Int64) throws -> StoreError {
    try ignored(row.entity, key)
  }

  func ignored(_ entity: EntityDescription, _ key: Int64) throws -> StoreError {
    let find = try connection.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE "
        + "AND sql LIKE '%RAISE%(%IGNORE%)%'")
    find.bind(entity.table, at: 1)
    let name = try find.step() ? find.string(0) : ""
    return .ignoredByTrigger(
      ManagedObjectID(reference: entity.reference, primaryKey: key), trigger: name)
  }
}
