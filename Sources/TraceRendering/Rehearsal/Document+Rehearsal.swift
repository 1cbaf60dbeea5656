// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StatementReplay
import StoreEvents

extension Document {
  // Arbitrary: a screen of them.
  private static let maxStatements = 10
  private static let maxWaits = 8

  /// The costs of each size, the slowest statements, the statements that wait, and the writes to
  /// split.
  public init(rehearsal report: RehearsalReport) {
    let rehearsal = report.rehearsal
    self.init(title: "rehearse: \(report.headline)")
    add(report.surroundings, .quiet)
    if let failure = rehearsal.failure {
      let lineText = failure.line > 0 ? ", line \(failure.line)" : ""
      add("Statement \(failure.number)\(lineText) failed: \(failure.message)", .bad)
      blocks.append(.excerpt(failure.sql, .plain, lines: 6))
      return
    }
    blocks.append(.table(report.costs))
    if let range = rehearsal.longestLockRange {
      let (low, high) = (range.lowerBound, range.upperBound)
      add(
        "By the parts, the lock is held for \(Cell.duration(Nanoseconds(low)).text) to "
          + "\(Cell.duration(Nanoseconds(high)).text) where a processor is free and the files are in memory.",
        .quiet)
    }
    if let omission = rehearsal.omission {
      add("Not run on all rows: \(omission).", .quiet)
    }
    if let run = rehearsal.runs.last, run.statements.count > 1 {
      blocks.append(.heading("Statements, slowest first"))
      let slowest = run.statements.sorted { ($0.time, $1.line) > ($1.time, $0.line) }
      add(
        Table.columns("line", numbers: "time", "rows changed", texts: "statement"),
        slowest.prefix(Self.maxStatements).map {
          Table.Row([
            .text("\($0.line)"), .duration(Nanoseconds($0.time)), .count($0.changes),
            .text(String($0.sql.prefix(60))),
          ])
        })
    }
    for batch in rehearsal.batches {
      add(batch.sentence)
      blocks.append(.excerpt(batch.batched, .plain, lines: 6))
    }
    add(report)
  }

  private mutating func add(_ report: RehearsalReport) {
    for doubt in report.doubts { add(doubt, .bad) }
    guard !report.waits.isEmpty else { return }
    let timeout = Cell.duration(Nanoseconds(report.busyTimeout * 1_000_000)).text
    blocks.append(.heading("Recorded statements that meet the lock, at their recorded rate"))
    add(
      Table.columns(numbers: "wait", "longer than \(timeout)", texts: "statement"),
      report.waits.prefix(Self.maxWaits).map {
        Table.Row([
          .count(UInt64($0.waiting.rounded(.up))), .count(UInt64($0.failing.rounded(.up))),
          .text(String($0.form.description.prefix(60))),
        ])
      })
  }
}

extension RehearsalReport {
  fileprivate var headline: String {
    if rehearsal.failure != nil { return "the migration failed" }
    let lock = Cell.duration(Nanoseconds(rehearsal.estimate.longestLock)).text
    let about = rehearsal.isMeasured ? "" : "about "
    return "the lock of the writer is held for \(about)\(lock)"
      + (exceedsTimeout ? ", longer than recorded statements wait" : "")
  }

  fileprivate var surroundings: String {
    let mode = rehearsal.journalMode == "wal" ? "write-ahead log" : "rollback journal"
    return
      "\(rehearsal.rows.counted("row")) in \(rehearsal.pages.counted("page")), with a \(mode); run on private "
      + "copies with SQLite \(SQLiteLibrary.own.version)."
  }

  fileprivate var costs: Table {
    let runs = rehearsal.runs
    var columns: [(name: String, costs: Rehearsal.Costs)] = runs.map {
      ($0.oneOf == 1 ? "all rows" : "1/\($0.oneOf)", $0.costs)
    }
    if !rehearsal.isMeasured { columns.append(("all rows, extrapolated", rehearsal.estimate)) }
    func row(_ name: String, _ cell: (Rehearsal.Costs) -> Cell) -> Table.Row {
      Table.Row([.text(name)] + columns.map { cell($0.costs) })
    }
    let rows = [
      row("lock of the writer") { .duration(Nanoseconds($0.lock)) },
      row("longest without a pause") { .duration(Nanoseconds($0.longestLock)) },
      row("peak of the log") { .bytes($0.log) },
      row("peak of the journal") { .bytes($0.journal) },
      row("free disk needed") { .bytes($0.disk) },
      row("checkpoints") { .duration(Nanoseconds($0.checkpoint)) },
    ]
    let isLog = rehearsal.journalMode == "wal"
    let others = isLog ? ["peak of the journal"] : ["peak of the log", "checkpoints"]
    return Table(
      columns: [.text("")] + columns.map { .number($0.name) },
      rows: rows.filter { row in !others.contains { row.cells[0] == .text($0) } })
  }
}

extension BatchedWrite {
  fileprivate var sentence: String {
    "Line \(line) writes most of '\(table)' (\(rows.counted("row"))) in one transaction. In parts of "
      + "\(batch.counted("row")), each a transaction of its own, other writers get the lock between them, and the log "
      + "stays small:"
  }
}
