// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
import TraceAnalysis

extension Document {
  /// Who waited for whom, most failures first.
  static func lockWaits(of profile: Profile, options: SummaryOptions) -> [Block] {
    let columns = Table.columns(
      numbers: "waits", "failed", "time", "longest", texts: "program", "line")
    let waits = profile.locks?.waits ?? []
    return table("Lock waits", waits, top: options.top, columns) { wait in
      Table.Row(
        [
          .count(wait.count), .count(wait.failures), .duration(wait.time),
          .duration(wait.longest), .text(wait.waiterProcess), .known(wait.waiter.location),
        ], notes: wait.notes)
    }
  }
}

extension LockWait {
  /// The statement that waited, and the holder with its statements.
  fileprivate var notes: [Cell] {
    var notes: [Cell] = []
    if let sql = waiter.sql { notes.append(.sql(sql)) }
    guard let holder else {
      // In WAL mode a COMMIT does not wait for readers.
      let isCommit =
        waiter.sql.map { ["COMMIT", "END"].contains(StatementCommand.name(of: $0)) } ?? false
      notes.append(
        .text(
          isCommit
            ? "waited for readers: \(Self.commitsAndReads)"
            : "waited for a connection that reads, or for a program that was not recorded, or "
              + "whose end is missing"))
      return notes
    }
    let locationText = holder.location.text.map { " at \($0)" } ?? ""
    guard holder.kind != LockHolder.waiting else {
      notes.append(
        .text("waited beside \(holder.process)\(locationText), which waited for the lock as well"))
      return notes
    }
    guard holder.kind != LockHolder.reading else {
      let reason =
        waiter.sql.flatMap(StatementCommand.pragma(of:)) == "wal_checkpoint"
        ? "a checkpoint that resets the log waits until no connection reads it"
        : Self.commitsAndReads
      notes.append(
        .text("waited for a read transaction of \(holder.process)\(locationText): \(reason)"))
      return notes + holder.steps
    }
    let idle =
      holder.time > 0
      ? ", \(Cell.ratio(Double(holder.idleTime) / Double(holder.time)).text) of it between statements"
      : ""
    let kind = holder.kind.isEmpty ? "transaction" : "\(holder.kind) transaction"
    let article = "aeiou".contains(kind.prefix(1)) ? "an" : "a"
    let end = holder.kind.isEmpty && holder.time == 0 ? ", whose end is missing" : ""
    notes.append(
      .text("waited for \(article) \(kind) of \(holder.process)\(locationText)\(idle)\(end)"))
    return notes + holder.steps
  }

  private static let commitsAndReads =
    "with a rollback journal a COMMIT waits until no connection reads; "
    + "with PRAGMA journal_mode = WAL it does not"
}

extension LockHolder {
  /// Its statements, one a line.
  fileprivate var steps: [Cell] {
    statements.map { site in
      let line = site.location.text.map { "\($0): " } ?? ""
      let times = site.count > 1 ? " (\(site.count.counted("time")))" : ""
      return .text("- \(line)\(site.sql ?? "\(site.statement)")\(times)")
    }
  }
}
