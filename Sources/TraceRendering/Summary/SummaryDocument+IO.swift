// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

extension Document {
  /// The parts of the time of commits, and the statements that used files.
  static func io(of profile: Profile, options: SummaryOptions) -> [Block] {
    guard let io = profile.io else { return [] }
    return commits(io, options) + files(io, options)
  }

  private static func commits(_ io: IOProfile, _ options: SummaryOptions) -> [Block] {
    let columns = Table.columns(
      numbers: "total", "commits", "wait", "body", "log", "file", "sync", "checkpoint", "commit",
      texts: "line")
    return table("Time of commits", io.commits, top: options.top, columns) { commits in
      Table.Row(
        [
          .duration(commits.totalTime), .count(commits.site.count), .duration(commits.waitTime),
          .duration(commits.bodyTime), .duration(commits.logTime),
          .duration(commits.fileTime), .duration(commits.syncTime),
          .duration(commits.checkpointTime), .duration(commits.commitTime),
          .known(commits.site.location),
        ], notes: (commits.site.sql.map { [.sql($0)] } ?? []) + [.text(commits.sentence)])
    }
  }

  private static func files(_ io: IOProfile, _ options: SummaryOptions) -> [Block] {
    let listed = io.statements.prefix(options.top)
    let rows = listed.map { statement in
      Table.Row(
        statement.work.cells + [.count(statement.site.count), .known(statement.site.location)],
        notes: statement.site.sql.map { [.sql($0)] } ?? [])
    }
    let columns = Table.columns(
      numbers: "in I/O", "cached", "not", "reads", "bytes", "writes", "bytes", "syncs", "runs",
      texts: "line")
    return [
      .heading("Files by the statements that use them\(rest(io.statements.count, listed.count))"),
      .paragraph(io.total.sentence, .quiet),
    ] + (rows.isEmpty ? [] : [.table(columns, rows)])
  }
}

extension CommitProfile {
  /// `62% syncing, 30% running statements; 1 sync, 24 log writes and 40 rows a commit`.
  fileprivate var sentence: String {
    let shares = parts.map { (name: $0.name, ratio: Double($0.time) / Double(max(totalTime, 1))) }
      .filter { $0.ratio >= 1 / 200 }.sorted { $0.ratio > $1.ratio }
      .map { "\(Cell.ratio($0.ratio).text) \($0.name)" }.joined(separator: ", ")
    func each(_ count: UInt64, _ name: String) -> String {
      let mean = Double(count) / Double(max(site.count, 1))
      return "\(Cell.number(mean).text) \(name)\(mean == 1 ? "" : "s")"
    }
    let checkpoints =
      checkpoints > 0
      ? "; \(checkpoints.counted("checkpoint")) of \(checkpointWrites.counted("page"))" : ""
    return "\(shares); a commit: \(each(changes, "row")), \(each(logWrites, "log write")), "
      + "\(each(syncs, "sync"))\(checkpoints)"
  }
}

extension IOWork {
  fileprivate var cells: [Cell] {
    [
      .duration(time), .count(cacheHits), .count(cacheMisses), .count(reads), .bytes(readBytes),
      .count(writes), .bytes(writeBytes), .count(syncs),
    ]
  }

  fileprivate var sentence: String {
    "All together: \(reads.counted("read")) of \(Cell.bytes(readBytes).text) in "
      + "\(Cell.duration(readTime).text), \(writes.counted("write")) of "
      + "\(Cell.bytes(writeBytes).text) in \(Cell.duration(writeTime).text), "
      + "\(syncs.counted("sync")) in \(Cell.duration(syncTime).text); of the pages "
      + "\(cacheHits.grouped) were in the cache and \(cacheMisses.grouped) were not."
  }
}
