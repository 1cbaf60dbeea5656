// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceAnalysis

extension Document {
  static func statements(of profile: Profile, options: SummaryOptions) -> [Block] {
    let groups = profile.statementGroups(by: options.order)
    guard !groups.isEmpty else { return [] }
    let whole = groups.reduce(0.0) { $0 + Double($1.work.totalTime) }
    let listed = groups.prefix(options.top)
    let rows = listed.map { group in
      Table.Row(
        Self.cells(group.work, group.latency, share: whole), notes: group.notes)
    }
    let rest = rest(groups.count, listed.count)
    return [
      .heading("Statements by \(options.order.title)\(rest)"),
      .table(Table(columns: Self.workColumns, rows: rows)),
    ]
  }

  static func groups(
    of profile: Profile, by grouping: Grouping, options: SummaryOptions
  ) -> [Block] {
    let groups = profile.groups(by: grouping).sorted(by: options.order)
    guard !groups.isEmpty else { return [] }
    let whole = groups.reduce(0.0) { $0 + Double($1.work.totalTime) }
    let listed = groups.prefix(options.top)
    let rows = listed.map { group in
      Table.Row(
        Self.cells(group.work, group.latency, share: whole),
        notes: [
          grouping == .statement ? .sql(group.name) : .text(group.name),
          group.work.notes(misses: 0), .text(group.work.timeSplit ?? ""),
          .text(group.others),
        ].filter { $0.text != "" })
    }
    let rest = rest(groups.count, listed.count)
    return [
      .heading("By \(grouping.rawValue), \(options.order.title) first\(rest)"),
      .table(Table(columns: Self.workColumns, rows: rows)),
    ]
  }

  static let workColumns: [Table.Column] =
    ["total", "share", "runs", "rows", "mean", "p50", "p95", "p99", "max"].map { .number($0) }

  static func cells(_ work: Work, _ latency: Latency, share whole: Double) -> [Cell] {
    [
      .duration(work.totalTime),
      whole > 0 ? .ratio(Double(work.totalTime) / whole) : .none,
      .count(work.count), .count(work.rows),
      work.count > 0 ? .duration(Nanoseconds(clamping: work.meanTime)) : .none,
      .duration(latency.p50), .duration(latency.p95), .duration(latency.p99),
      .duration(latency.max),
    ]
  }

  /// One entity says nothing that the totals do not.
  static func entities(of profile: Profile, options: SummaryOptions) -> [Block] {
    guard profile.entities.count > 1 else { return [] }
    let listed = profile.entities.prefix(options.top)
    let rows = listed.map { entity in
      Table.Row([
        .text(entity.name), .count(entity.fetches), .count(entity.rows), .count(entity.faults),
        .count(entity.cacheMisses),
        entity.faults > 0
          ? .ratio(
            Double(entity.faults - min(entity.cacheMisses, entity.faults)) / Double(entity.faults))
          : .none,
        .duration(entity.totalTime),
      ])
    }
    return [
      .heading("Entities\(rest(profile.entities.count, listed.count))"),
      .table(
        Table(
          columns: [
            .text("entity"), .number("fetches"), .number("rows"), .number("faults"),
            .number("misses"), .number("hits"), .number("total"),
          ], rows: rows)),
    ]
  }

  static func faults(of profile: Profile, options: SummaryOptions) -> [Block] {
    guard !profile.faults.isEmpty else { return [] }
    let listed = profile.faults.prefix(options.top)
    let rows = listed.map { fault in
      Table.Row([
        .count(fault.misses), .count(fault.hits), .count(fault.rows),
        profile.fetches(at: fault.origin.location).map {
          .number((Double(fault.misses) + Double(fault.hits)) / $0)
        } ?? .none,
        .duration(fault.missTime),
        .text(fault.origin.name), .text(fault.origin.location.text ?? "unknown"),
      ])
    }
    return [
      .heading("Faults by the line that fetched\(rest(profile.faults.count, listed.count))"),
      .table(
        Table(
          columns: [
            .number("misses"), .number("hits"), .number("rows"), .number("/fetch"),
            .number("time"), .text("fault"), .text("fetched at"),
          ], rows: rows)),
    ]
  }

  static func saves(of profile: Profile, options: SummaryOptions) -> [Block] {
    guard !profile.saves.isEmpty else { return [] }
    let listed = profile.saves.prefix(options.top)
    let rows = listed.map { save in
      Table.Row(
        [
          .duration(save.totalTime), .count(save.count), .count(save.inserted),
          .count(save.updated), .count(save.deleted), .duration(save.waitTime),
          .duration(save.writeTime), .duration(save.commitTime),
          .text(save.location.text ?? "unknown"),
        ], notes: [.text(save.anatomy)])
    }
    return [
      .heading("Saves\(rest(profile.saves.count, listed.count))"),
      .table(
        Table(
          columns: ["total", "saves", "ins", "upd", "del", "wait", "write", "commit"]
            .map { .number($0) } + [.text("saved at")], rows: rows)),
    ] + waits(of: profile)
  }

  static func waits(of profile: Profile) -> [Block] {
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
  static func rest(_ all: Int, _ listed: Int) -> String {
    all > listed ? " (\(listed) of \(all))" : ""
  }
}

extension StatementGroup {
  /// The SQL, and below it who asked and which id `--statement` takes.
  fileprivate var notes: [Cell] {
    let sql: Cell =
      statement.sql.map { .sql($0) } ?? .text("the text of this statement was not in the trace")
    var callers = callers.prefix(3).map { caller in
      "\(caller.location.text ?? "unknown caller") ×\(caller.work.count.grouped)"
    }
    if self.callers.count > 3 { callers.append("\(self.callers.count - 3) more") }
    let texts = texts > 1 ? " and \(texts - 1) more of its form" : ""
    return [
      sql, .text("\(statement.id)\(texts) · " + callers.joined(separator: ", ")),
      work.notes(misses: misses), .text(work.timeSplit ?? ""),
    ].filter { $0.text != "" }
  }
}

extension Work {
  /// What a run asked of SQLite; "" where nothing is known.
  func notes(misses: UInt64) -> Cell {
    func perRun(_ path: KeyPath<Work, UInt64>, _ name: String) -> String? {
      self[keyPath: path] > 0 ? "\(Cell.number(self.perRun(path)).text) \(name)" : nil
    }
    let work = [
      rows != count ? perRun(\.rows, "rows") : nil, perRun(\.vmSteps, "VM steps"),
      perRun(\.fullScanSteps, "scan steps"), perRun(\.sorts, "sorts"),
      perRun(\.autoIndexRows, "auto-index rows"),
    ].compactMap(\.self)
    return .text(
      [
        work.isEmpty ? nil : "per run \(work.joined(separator: ", "))",
        misses > 0 ? "\(misses.grouped) for faults" : nil,
        errors > 0 ? "\(errors.grouped) failed" : nil,
      ].compactMap(\.self).joined(separator: " · "))
  }
}

extension GroupProfile {
  /// Faults and saves, where there are any.
  var others: String {
    let (faults, _) = cacheHits.addingReportingOverflow(cacheMisses)
    let hits = Cell.ratio(Double(cacheHits) / Double(faults)).text
    return [
      faults > 0
        ? "\(faults.grouped) faults, \(hits) from the "
          + "row cache, \(Cell.duration(faultTime).text)" : nil,
      saves > 0 ? "\(saves.grouped) saves, \(Cell.duration(saveTime).text)" : nil,
    ].compactMap(\.self).joined(separator: " · ")
  }
}

extension SaveProfile {
  /// `8 statements a save, p50 9 ms, p95 12 ms, max 30 ms; 1 failed`.
  fileprivate var anatomy: String {
    let perSave = Cell.number(count > 0 ? Double(statements) / Double(count) : 0).text
    let times = [("p50", latency.p50), ("p95", latency.p95), ("max", latency.max)]
      .map { "\($0) \(Cell.duration($1).text)" }.joined(separator: ", ")
    return "\(perSave) statements a save, \(times)"
      + (errors > 0 ? "; \(errors.grouped) failed" : "")
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

extension SummaryOptions.Order {
  var title: String {
    switch self {
    case .total: "total time"
    case .count: "runs"
    case .rows: "rows"
    case .mean: "mean time"
    case .p50: "median"
    case .p95: "95th percentile"
    case .p99: "99th percentile"
    case .max: "longest run"
    case .misses: "cache misses"
    case .vmSteps: "VM steps"
    case .fullScanSteps: "full-scan steps"
    }
  }
}

extension Profile {
  /// The statements, largest first; equal ones stay in the order of their total time.
  func statements(by order: SummaryOptions.Order) -> [StatementProfile] {
    statements.sorted(byLargest: { order.amount($0.work, $0.latency, misses: $0.misses) })
  }

  /// The statements of one form together, largest first.
  func statementGroups(by order: SummaryOptions.Order) -> [StatementGroup] {
    statementGroups.values
      .sorted { ($1.work.totalTime, $0.fingerprint) < ($0.work.totalTime, $1.fingerprint) }
      .sorted(byLargest: { order.amount($0.work, $0.latency, misses: $0.misses) })
  }

  /// How many fetches a line of code made; nil if it made none.
  fileprivate func fetches(at location: SourceLocation) -> Double? {
    // A saved report may tell any numbers, whose sum is no integer.
    var count = 0.0
    for statement in statements {
      for caller in statement.callers where caller.location == location {
        count += Double(caller.work.count - min(caller.misses, caller.work.count))
      }
    }
    return count > 0 ? count : nil
  }
}

extension [GroupProfile] {
  fileprivate func sorted(by order: SummaryOptions.Order) -> Self {
    order == .total
      ? self : sorted(byLargest: { order.amount($0.work, $0.latency, misses: $0.cacheMisses) })
  }
}

extension Sequence {
  /// Sorts by an amount, largest first; equal ones keep their order.
  fileprivate func sorted(byLargest amount: (Element) -> Double) -> [Element] {
    enumerated().map { (offset: $0.offset, element: $0.element, amount: amount($0.element)) }
      .sorted { ($1.amount, $0.offset) < ($0.amount, $1.offset) }
      .map(\.element)
  }
}

extension SummaryOptions.Order {
  func amount(_ work: Work, _ latency: Latency, misses: UInt64) -> Double {
    switch self {
    case .total: Double(work.totalTime)
    case .count: Double(work.count)
    case .rows: Double(work.rows)
    case .mean: work.meanTime
    case .p50: Double(latency.p50)
    case .p95: Double(latency.p95)
    case .p99: Double(latency.p99)
    case .max: Double(latency.max)
    case .misses: Double(misses)
    case .vmSteps: Double(work.vmSteps)
    case .fullScanSteps: Double(work.fullScanSteps)
    }
  }
}
