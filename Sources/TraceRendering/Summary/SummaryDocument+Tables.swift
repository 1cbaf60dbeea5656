// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

extension Document {
  static func statements(of profile: Profile, options: SummaryOptions) -> [Block] {
    let groups = profile.statementGroups(by: options.order)
    let whole = groups.reduce(0.0) { $0 + Double($1.work.totalTime) }
    return table("Statements by \(options.order.title)", groups, top: options.top, workColumns) {
      Table.Row(cells($0.work, $0.latency, share: whole), notes: $0.notes)
    }
  }

  static func groups(
    of profile: Profile, by grouping: Grouping, options: SummaryOptions
  ) -> [Block] {
    let groups = profile.groups(by: grouping).sorted(by: options.order)
    let whole = groups.reduce(0.0) { $0 + Double($1.totalTime) }
    let title = "By \(grouping.rawValue), \(options.order.title) first"
    return table(title, groups, top: options.top, workColumns) { group in
      Table.Row(
        cells(group, share: whole),
        notes: [
          grouping == .statement ? .sql(group.name) : .text(group.name),
          group.work.notes(misses: 0), .text(group.work.timeSplit ?? ""),
          .text(group.others),
        ].filter { $0.text != "" })
    }
  }

  static let workColumns = Table.columns(
    numbers: "total", "share", "runs", "rows", "mean", "p50", "p95", "p99", "max")

  static func cells(_ work: StatementCounts, _ latency: Latency, share whole: Double) -> [Cell] {
    let total = work.known(\.totalTime)
    func time(_ time: Nanoseconds) -> Cell { .known(total == nil ? nil : time) }
    return [
      .known(total),
      whole > 0 ? .known(total).share(of: whole) : .none,
      .count(work.count), .known(work.known(\.rows)),
      work.count > 0 ? time(Nanoseconds(clamping: work.meanTime)) : .none,
      time(latency.p50), time(latency.p95), time(latency.p99), time(latency.max),
    ]
  }

  /// Saves are in the total, and in no other column.
  static func cells(_ group: GroupProfile, share whole: Double) -> [Cell] {
    let time = Cell.known(group.known(\.totalTime))
    let total = [time, whole > 0 ? time.share(of: whole) : .none]
    return total + cells(group.work, group.latency, share: whole).dropFirst(total.count)
  }

  /// A table of one entity would repeat the totals.
  static func entities(of profile: Profile, options: SummaryOptions) -> [Block] {
    guard profile.entities.count > 1 else { return [] }
    let columns = Table.columns(
      "entity", numbers: "fetches", "rows", "faults", "misses", "hits", "total")
    return table("Entities", profile.entities, top: options.top, columns) { entity in
      Table.Row([
        .text(entity.name), .count(entity.fetches), .known(entity.known(\.rows)),
        .known(entity.known(\.faults)), .known(entity.known(\.cacheMisses)),
        entity.hitRatio.map { .ratio($0) } ?? .none, .known(entity.known(\.totalTime)),
      ])
    }
  }

  static func faults(of profile: Profile, options: SummaryOptions) -> [Block] {
    let columns = Table.columns(
      numbers: "misses", "hits", "rows", "/fetch", "time", texts: "fault", "fetched at")
    let title = "Faults by the line that fetched"
    return table(title, profile.faults, top: options.top, columns) { fault in
      Table.Row([
        .count(fault.misses), .known(fault.known(\.hits)), .known(fault.known(\.rows)),
        profile.fetches(at: fault.origin.location).map {
          .number((Double(fault.misses) + Double(fault.hits)) / $0)
        } ?? .none,
        .known(fault.known(\.missTime)),
        .text(fault.origin.name), .location(fault.origin.location.text ?? "unknown"),
      ])
    }
  }

  static func saves(of profile: Profile, options: SummaryOptions) -> [Block] {
    guard !profile.saves.isEmpty else { return [] }
    let columns = Table.columns(
      numbers: "total", "saves", "ins", "upd", "del", "wait", "write", "commit", texts: "saved at")
    return table("Saves", profile.saves, top: options.top, columns) { save in
      Table.Row(
        [
          .known(save.known(\.totalTime)), .count(save.count), .count(save.inserted),
          .count(save.updated), .count(save.deleted), .known(save.known(\.waitTime)),
          .known(save.known(\.writeTime)), .known(save.known(\.commitTime)),
          .location(save.location.text ?? "unknown"),
        ], notes: [.text(save.anatomy)])
    } + waits(of: profile)
  }

  /// The tests that markers named, by scanned rows, each with the statement that scans.
  static func tests(of profile: Profile, options: SummaryOptions) -> [Block] {
    let columns = Table.columns(
      numbers: "statements", "rows", "changes", "scan steps", "in SQLite", texts: "test")
    let tests = profile.observed?.tests ?? []
    return table("Tests by full-scan steps", tests, top: options.top, columns) { test in
      let scanning = test.scanning.flatMap { profile.statement($0)?.sql }
      return Table.Row(
        [
          .count(test.work.count), .count(test.work.rows), .count(test.work.changes ?? 0),
          .count(test.work.fullScanSteps), .duration(test.work.stepTime), .text(test.name),
        ], notes: scanning.map { [Cell.sql($0)] } ?? [])
    }
  }

  static func waits(of profile: Profile) -> [Block] {
    let waits = profile.waits
    var sentences: [String] = []
    if waits.busyWaits > 0 {
      sentences.append(
        "\(waits.busyWaits.counted("wait")) for another connection's lock took "
          + "\(Cell.duration(waits.busyTime).text); \(waits.busyFailures.grouped) gave up.")
    }
    if waits.checkpoints > 0 {
      let work = profile.known(\.waits.checkpointedFrames).map {
        " moved \($0.counted("frame")) in \(Cell.duration(waits.checkpointTime).text)"
      }
      sentences.append("\(waits.checkpoints.counted("checkpoint"))\(work ?? "").")
    }
    if waits.rollbacks > 0 {
      sentences.append(
        "\(waits.rollbacks.counted("transaction was", "transactions were")) rolled back.")
    }
    return sentences.map { .paragraph($0, .quiet) }
  }

  /// ` (10 of 23)`, where not all are listed.
  static func rest(_ all: Int, _ listed: Int) -> String {
    all > listed ? " (\(UInt64(listed).grouped) of \(UInt64(all).grouped))" : ""
  }
}

extension Cell {
  /// A time as a part of all times; a dash where it is unknown.
  fileprivate func share(of whole: Double) -> Cell {
    if case .duration(let time) = self { .ratio(Double(time) / whole) } else { .none }
  }
}

extension Nanoseconds {
  fileprivate init(clamping value: Double) {
    self = Int64(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
  }
}

extension FaultProfile.Origin {
  /// `Stop`, or `Stop.stopTimes`.
  var name: String { relationship.isEmpty ? entity : "\(entity).\(relationship)" }
}

extension Profile {
  /// The number of fetches of a line of code; nil if there are none.
  fileprivate func fetches(at location: SourceLocation) -> Double? {
    // A saved report may contain any numbers, with a sum that may be no integer.
    var count = 0.0
    for statement in statements {
      for caller in statement.callers where caller.location == location {
        count += Double(caller.work.count - min(caller.misses, caller.work.count))
      }
    }
    return count > 0 ? count : nil
  }
}
