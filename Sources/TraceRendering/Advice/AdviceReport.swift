// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
import StoreEvents

/// Index advice, ready to be drawn.
public struct AdviceReport {
  public var database: String
  public var sqliteVersion: String
  public var advice: IndexAdvice
  /// What limits the report, one sentence each.
  public var doubts: [String]

  public init(
    database: String, sqliteVersion: String, advice: IndexAdvice, doubts: [String] = []
  ) {
    self.database = database
    self.sqliteVersion = sqliteVersion
    self.advice = advice
    self.doubts = doubts
  }

  /// The version 1 of the JSON.
  public var json: AdviceV1 {
    AdviceV1(
      database: database, sqliteVersion: sqliteVersion, indexesTried: advice.tried,
      beforeNs: advice.before, afterNs: advice.after,
      create: advice.creations.map(AdviceV1.Creation.init),
      drop: advice.removals.map(AdviceV1.Removal.init),
      statements: advice.effects.map {
        .init(id: $0.statement, runs: $0.runs, beforeNs: $0.before, afterNs: $0.after)
      },
      storeNames: advice.storeNames,
      unmeasured: advice.unmeasured.map { .init(id: $0.statement, reason: $0.reason) },
      doubts: doubts + cancellation)
  }

  /// What a search that ended early leaves open.
  var cancellation: [String] {
    advice.wasCancelled
      ? ["interrupted: not every index was tried, neither to make nor to drop"] : []
  }
}

extension IndexAdvice.Creation {
  /// `Index(\.longitude, \.latitude)`, or nil where a column is of no property.
  var declaration: String? {
    guard undeclarable == nil else { return nil }
    let paths = candidate.columns.map { column in
      "\\."
        + LogText.escaped(
          (column.hasPrefix("Z") ? String(column.dropFirst()) : column).lowercased())
    }
    return "Index(\(paths.joined(separator: ", ")))"
  }
}

extension IndexAdvice.Creation {
  /// The first of its columns that an object store keeps for itself: `Z_OPT`, `Z_ENT`.
  private var undeclarable: String? { candidate.columns.first { $0.hasPrefix("Z_") } }

  /// What to do without a declaration.
  var undeclarableSentence: String? {
    undeclarable.map {
      "\($0) is of no property: no declaration makes it, the SQL does, each time a store is made"
    }
  }
}

extension AdviceV1.Creation {
  fileprivate init(_ creation: IndexAdvice.Creation) {
    self.init(
      table: creation.candidate.table, columns: creation.candidate.columns,
      entity: creation.entity, sql: creation.candidate.sql, declaration: creation.declaration,
      savingNs: creation.saving, bytes: creation.bytes,
      writes: .init(creation.writeBefore, creation.writeAfter))
  }
}

extension AdviceV1.Removal {
  fileprivate init(_ removal: IndexAdvice.Removal) {
    var servedBy: String?
    if case .redundant(let other) = removal.reason { servedBy = other }
    self.init(
      index: removal.index.name, table: removal.index.table,
      sql: "DROP INDEX \(SQLName.quotedIfNeeded(removal.index.name))",
      reason: servedBy == nil ? "unused" : "redundant", servedBy: servedBy,
      bytes: removal.index.bytes, writes: .init(removal.writeBefore, removal.writeAfter))
  }
}

extension AdviceV1.Writes {
  /// Nil unless both were measured.
  fileprivate init?(_ before: WriteCost?, _ after: WriteCost?) {
    guard let before, let after else { return nil }
    self.init(
      insertBeforeNs: before.insert, insertAfterNs: after.insert, updateBeforeNs: before.update,
      updateAfterNs: after.update)
  }
}
