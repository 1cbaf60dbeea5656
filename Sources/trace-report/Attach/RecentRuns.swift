// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// The statements of one process: how often each ran at its line, and the last one of each open connection.
struct RecentRuns {
  struct Site: Hashable {
    var sql: String
    var line: String
  }

  struct Use {
    var line: String
    var time: Nanoseconds
  }

  /// The inode of the database whose statements are counted; nil for all.
  let inode: UInt64?
  let process: Int64
  private(set) var counts: [Site: UInt64] = [:]
  /// By connection.
  private(set) var lastUses: [UInt64: Use] = [:]
  private var texts: [StatementID: String] = [:]
  private var lines: [UInt64: String] = [:]
  private var others: Set<UInt64> = []

  // Arbitrary: a line of a terminal.
  private static let maxSQL = 100
  // Arbitrary: a program with values in its SQL has new texts all the time.
  private static let maxSites = 10_000

  init(of process: Int32, inode: UInt64? = nil) {
    self.process = Int64(process)
    self.inode = inode
  }

  mutating func add(_ record: EventRecord) {
    guard record.process.id == process else { return }
    switch record.event {
    case .connectionOpened(let event):
      if let inode, event.inode != inode { others.insert(event.connectionID) }
    case .connectionClosed(let event): lastUses[event.connectionID] = nil
    case .statement(let event): texts[event.statementID] = event.sql
    case .caller(let event):
      lines[event.callerID] = event.file.isEmpty ? "" : "\(event.file):\(event.line)"
    case .statementRun(let event): add(event, record.timestamp)
    default: break
    }
  }

  private mutating func add(_ run: StatementRun, _ time: Nanoseconds) {
    guard !others.contains(run.connectionID) else { return }
    let line = lines[run.callerID].flatMap { $0.isEmpty ? nil : $0 } ?? "an unknown line"
    lastUses[run.connectionID] = Use(line: line, time: time)
    let site = Site(sql: texts[run.statementID] ?? "", line: line)
    guard counts.count < Self.maxSites || counts[site] != nil else { return }
    counts[site, default: 0] += 1
  }

  /// `120 × SELECT … at app.py:33`, the most frequent ones first, without values.
  func sentences(atMost count: Int) -> [String] {
    let sorted = counts.sorted {
      ($1.value, $0.key.line, $0.key.sql) < ($0.value, $1.key.line, $1.key.sql)
    }
    return sorted.prefix(count).map { site, runs in
      let text = FoldedSQL(SharedStatement(sql: site.sql).template).text
      let sql = text.count > Self.maxSQL ? "\(text.prefix(Self.maxSQL))…" : text
      return "\(runs.grouped) × \(sql) at \(site.line)"
    }
  }
}
