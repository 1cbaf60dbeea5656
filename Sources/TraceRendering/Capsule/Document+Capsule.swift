// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
import StoreEvents

extension CapsuleV1 {
  /// Its contents, by numbers.
  public var extent: String {
    let samples = samples.map { ", \($0.count.counted("sample"))" } ?? ""
    return
      "\(schema.count.counted("object")) of the schema, \(statistics?.count.counted("row") ?? "no rows") of "
      + "sqlite_stat1\(samples), \(statements.count.counted("statement"))"
  }
}

extension Document {
  /// All that a capsule contains, for a review before it is passed on.
  public init(capsule: CapsuleV1) {
    self.init(title: "capsule: \(capsule.extent)")
    add(
      "SQLite \(capsule.sqliteVersion); pages of \(capsule.pageSize) bytes. "
        + (capsule.statistics == nil
          ? "The database was never analyzed: SQLite plans by its defaults." : ""),
      .quiet)
    let literals = capsule.schemaLiterals
    if !literals.isEmpty {
      blocks.append(.heading("Literals of the schema, as they are"))
      blocks += literals.map { .excerpt($0, .plain, lines: 2) }
    }
    blocks.append(.heading("Schema, as it is"))
    blocks += capsule.schema.map { .excerpt($0.sql, .plain, lines: .max) }
    blocks.append(.heading("Sizes"))
    add(
      Table.columns("table or index", numbers: "rows", "pages"),
      capsule.sizes.map { size in
        Table.Row([
          .text(size.name), size.rows.map { .count(UInt64(clamping: $0)) } ?? .none,
          size.pages.map { .count(UInt64(clamping: $0)) } ?? .none,
        ])
      })
    if let statistics = capsule.statistics {
      blocks.append(.heading("sqlite_stat1"))
      blocks += statistics.map {
        .excerpt(
          "\($0.table ?? "NULL") \($0.index ?? "NULL") \($0.stat ?? "NULL")", .plain, lines: 1)
      }
    }
    if let samples = capsule.samples, !samples.isEmpty {
      blocks.append(.heading("Samples of indexes: pseudonyms"))
      blocks += samples.map {
        .excerpt("\($0.index): \($0.values.joined(separator: ", "))", .plain, lines: 2)
      }
    }
    guard !capsule.statements.isEmpty else { return }
    blocks.append(.heading("Statements: pseudonyms"))
    for statement in capsule.statements {
      let values =
        statement.values.isEmpty ? "" : "  -- \(statement.values.joined(separator: ", "))"
      blocks.append(.excerpt(statement.sql + values, .plain, lines: .max))
    }
  }
}
