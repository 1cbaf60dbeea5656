// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

extension Document {
  static func statements(of profile: Profile, options: SummaryOptions) -> [Block] {
    guard !profile.statements.isEmpty else { return [] }
    let whole = profile.statements.reduce(0.0) { $0 + Double($1.work.totalTime) }
    let listed = profile.statements(by: options.order).prefix(options.top)
    let rows = listed.map { statement in
      Table.Row(
        [
          .duration(statement.work.totalTime),
          whole > 0 ? .ratio(Double(statement.work.totalTime) / whole) : .none,
          .count(statement.work.count), .count(statement.work.rows),
          .duration(statement.latency.p50), .duration(statement.latency.p95),
          .duration(statement.latency.p99), .duration(statement.latency.max),
        ], notes: statement.notes)
    }
    let table = Table(
      columns: ["total", "share", "runs", "rows", "p50", "p95", "p99", "max"].map { .number($0) },
      rows: rows)
    let rest = rest(profile.statements.count, listed.count)
    return [.heading("Statements by \(options.order.title)\(rest)"), .table(table)]
  }

  static func faults(of profile: Profile, options: SummaryOptions) -> [Block] {
    guard !profile.faults.isEmpty else { return [] }
    let listed = profile.faults.prefix(options.top)
    let rows = listed.map { fault in
      Table.Row([
        .count(fault.misses), .count(fault.hits), .count(fault.rows),
        .duration(fault.missTime),
        .text(fault.origin.name), .text(fault.origin.location.text ?? "unknown"),
      ])
    }
    return [
      .heading("Faults by the line that fetched\(rest(profile.faults.count, listed.count))"),
      .table(
        Table(
          columns: [
            .number("misses"), .number("hits"), .number("rows"), .number("time"),
            .text("fault"), .text("fetched at"),
          ], rows: rows)),
    ]
  }

  static func saves(of profile: Profile, options: SummaryOptions) -> [Block] {
    guard !profile.saves.isEmpty else { return [] }
    let listed = profile.saves.prefix(options.top)
    let rows = listed.map { save in
      Table.Row([
        .duration(save.totalTime), .count(save.count), .count(save.inserted),
        .count(save.updated), .count(save.deleted), .duration(save.waitTime),
        .duration(save.writeTime), .duration(save.commitTime),
        .text(save.location.text ?? "unknown"),
      ])
    }
    return [
      .heading("Saves\(rest(profile.saves.count, listed.count))"),
      .table(
        Table(
          columns: ["total", "saves", "ins", "upd", "del", "wait", "write", "commit"]
            .map { .number($0) } + [.text("saved at")], rows: rows)),
    ] + waits(of: profile)
  }

  private static func waits(of profile: Profile) -> [Block] {
    let waits = profile.waits
    var sentences: [String] = []
    if waits.busyWaits > 0 {
      sentences.append(
        "\(waits.busyWaits.grouped) waits for another connection's lock took "
          + "\(Cell.duration(waits.busyTime).text); \(waits.busyFailures.grouped) gave up.")
    }
    if waits.checkpoints > 0 {
      sentences.append(
        "\(waits.checkpoints.grouped) checkpoints moved "
          + "\(waits.checkpointedFrames.grouped) frames in "
          + "\(Cell.duration(waits.checkpointTime).text).")
    }
    if waits.rollbacks > 0 {
      sentences.append("\(waits.rollbacks.grouped) transactions were rolled back.")
    }
    return sentences.map { .paragraph($0, .quiet) }
  }

  /// ` (10 of 23)`, where not all are listed.
  private static func rest(_ all: Int, _ listed: Int) -> String {
    all > listed ? " (\(listed) of \(all))" : ""
  }
}

extension StatementProfile {
  /// The SQL, and below it who asked and which id `--statement` takes.
  fileprivate var notes: [Cell] {
    let sql: Cell = sql.map { .sql($0) } ?? .text("the text of this statement was not in the trace")
    var callers = callers.prefix(3).map { caller in
      "\(caller.location.text ?? "unknown caller") ×\(caller.work.count.grouped)"
    }
    if self.callers.count > 3 { callers.append("\(self.callers.count - 3) more") }
    return [sql, .text("\(id) · " + callers.joined(separator: ", "))]
  }
}

extension FaultProfile.Origin {
  /// `Stop`, or `Stop.stopTimes`.
  var name: String { relationship.isEmpty ? entity : "\(entity).\(relationship)" }
}

extension SummaryOptions.Order {
  var title: String {
    switch self {
    case .total: "total time"
    case .count: "runs"
    case .rows: "rows"
    case .p95: "95th percentile"
    case .max: "longest run"
    }
  }
}

extension Profile {
  /// The statements, largest first; equal ones stay in the order of their total time.
  func statements(by order: SummaryOptions.Order) -> [StatementProfile] {
    func amount(_ statement: StatementProfile) -> UInt64 {
      switch order {
      case .total: UInt64(clamping: statement.work.totalTime)
      case .count: statement.work.count
      case .rows: statement.work.rows
      case .p95: UInt64(clamping: statement.latency.p95)
      case .max: UInt64(clamping: statement.latency.max)
      }
    }
    return statements.enumerated().sorted { a, b in
      let (x, y) = (amount(a.element), amount(b.element))
      return x != y ? x > y : a.offset < b.offset
    }.map(\.element)
  }
}
