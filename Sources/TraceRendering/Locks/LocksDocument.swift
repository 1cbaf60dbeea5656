// SPDX-License-Identifier: Apache-2.0

public import DatabaseLocks
import StoreEvents

extension Document {
  /// One screen: the writer, the waiting processes, the readers and the log; then the locks that
  /// were held before.
  public init(locks report: LocksReport, time: String, moment: (Int64) -> String) {
    let state = report.state
    self.init(title: "\(time)  \(state.sample.path): \(report.headline)")
    blocks.append(.facts(report.facts))
    let hazards = state.sample.hazards
    blocks += hazards.filter { $0.severity == .warning }.flatMap { $0.blocks(moment) }
    blocks += report.writerBlocks + report.waiterBlocks + report.readerBlocks
    blocks += report.checkpointBlocks + report.historyBlocks
    blocks += hazards.filter { $0.severity == .note }.flatMap { $0.blocks(moment) }
    let spots = state.sample.blindSpots
    if !spots.isEmpty { blocks.append(.heading("Not seen")) }
    blocks += spots.map { .paragraph("  - \($0)", $0.mayHideHolder ? .bad : .quiet) }
  }

  /// All databases that are open on a host: a table, then the hazards of each.
  public init(allLocks reports: [LocksReport], unreadable: Int, moment: (Int64) -> String) {
    let warnings = reports.flatMap(\.state.sample.hazards).count { $0.severity == .warning }
    self.init(
      title: "\(reports.count.counted("open database")), \(warnings.counted("warning"))")
    if !reports.isEmpty {
      add(Table.columns("database", "mode", "SQLite", "programs"), reports.map(\.row))
    }
    for report in reports {
      let blocks = report.state.sample.hazards.flatMap { $0.blocks(moment) }
      guard !blocks.isEmpty else { continue }
      self.blocks.append(.heading(report.state.sample.path))
      self.blocks += blocks
    }
    guard unreadable > 0 else { return }
    blocks.append(.heading("Not seen"))
    add("  - \(BlindSpot.otherUsers(count: unreadable))", .quiet)
  }
}

extension LocksReport {
  fileprivate var row: Table.Row {
    let sample = state.sample
    let versions = Set(sample.images.values.joined().map { $0.version ?? $0.date }).sorted()
    // 3 is arbitrary: the others are in --json.
    let names = sample.users.prefix(3).map(\.name).joined(separator: ", ")
    let rest = sample.users.count > 3 ? " and \(sample.users.count - 3) more" : ""
    return Table.Row([
      .text(sample.path), .text(sample.header.journalMode.rawValue),
      .text(versions.joined(separator: ", ")), .text(names + rest),
    ])
  }

  /// Who holds the writer lock.
  public var headline: String {
    guard let writer = state.writers.first else {
      if let process = state.recovering.first { return "\(process.name) recovers the log" }
      if state.sample.hazards.contains(.noDatabase) {
        return "no SQLite database, or an encrypted one"
      }
      // "No process holds it" is true of a writer with cancelled locks, and misleading.
      return state.sample.hazards.lazy.compactMap(\.headline).first
        ?? "no process holds the writer lock"
    }
    let time = hold(of: writer).map { ", seen for \(Cell.duration($0.duration).text)" } ?? ""
    return "the writer lock is held by \(writer.process.name)\(time)"
  }

  fileprivate var facts: [Document.Fact] {
    let sample = state.sample
    var facts = [Document.Fact("journal mode", .text(sample.header.journalMode.rawValue))]
    facts.append(.init("programs with it open", .count(UInt64(sample.users.count))))
    if sample.isWAL {
      facts.append(.init("log", sample.walSize.map { .bytes($0) } ?? .none))
      if let checkpoint = state.checkpoint {
        facts.append(.init("frames", .count(UInt64(checkpoint.frames))))
        facts.append(.init("checkpointed", .count(UInt64(checkpoint.checkpointed))))
      }
    } else if let size = sample.journalSize {
      facts.append(.init("journal", .bytes(size)))
    }
    return facts
  }

  fileprivate var writerBlocks: [Document.Block] {
    state.writers.map { writer in
      let time = hold(of: writer).map { [Document.Fact("seen for", .text($0.words))] } ?? []
      return .item(
        .init(
          tone: .bad, headline: "Writer: \(writer.process.name)", location: "",
          lines: [.init("lock", .text(writer.lock.name))] + time + writer.process.lines))
    }
      + state.checkpointers.map {
        .item(
          .init(tone: .plain, headline: "Checkpoint: \($0.name)", location: "", lines: $0.lines))
      }
  }

  private func hold(of writer: LockState.Writer) -> Hold? {
    isObservedOverTime ? history.hold(of: writer.process, isWriter: true) : nil
  }

  fileprivate var waiterBlocks: [Document.Block] {
    guard !state.waiters.isEmpty else { return [] }
    return [.heading("Waiting")]
      + state.waiters.map { .paragraph("  \($0.process.name) \($0.evidence.words)") }
  }

  fileprivate var readerBlocks: [Document.Block] {
    guard !state.readers.isEmpty else { return [] }
    let pinning = Set(state.pinningReaders)
    let rows = state.readers.map { reader in
      Table.Row(
        [
          reader.slot.map { .count(UInt64($0)) } ?? .none,
          reader.mark.map { .count(UInt64($0)) } ?? .none,
          .text(pinning.contains(reader) ? "pins the log" : ""),
          .text(reader.process.name),
        ],
        notes: reader.process.details.isEmpty ? [] : [.text(reader.process.details)])
    }
    return [
      .heading("Readers"),
      .table(Table.columns(numbers: "mark", "frame", texts: "effect", "process"), rows),
    ]
  }

  fileprivate var checkpointBlocks: [Document.Block] {
    guard let obstacle = state.checkpoint?.obstacle else { return [] }
    let names = state.pinningReaders.map(\.process.name).joined(separator: ", ")
    return [.paragraph(""), .paragraph("The checkpoint \(obstacle.words) by \(names).", .bad)]
  }

  fileprivate var historyBlocks: [Document.Block] {
    // 10 is arbitrary: with the state above it fits a screen.
    let holds = history.current.filter { $0.samples > 1 } + pastHolds(atMost: 10)
    guard isObservedOverTime, !holds.isEmpty else { return [] }
    return [.heading("Held")]
      + holds.map { .paragraph("  \($0.isOver ? "" : "now: ")\($0.sentence)") }
  }
}

extension Hazard {
  /// For a process that may write although no lock shows it.
  fileprivate var headline: String? {
    switch self {
    case .lostLocks(_, let user, _): "\(user.process.name) has lost its locks"
    case .usedAfterFork(let user): "\(user.process.name) uses an inherited connection"
    default: nil
    }
  }

  fileprivate func blocks(_ moment: (Int64) -> String) -> [Document.Block] {
    let isWarning = severity == .warning
    let start = "\(isWarning ? "Warning" : "Note"): \(fact)"
    return [.paragraph(""), .paragraph(start, isWarning ? .bad : .quiet)]
      + [.paragraph("  " + advice, isWarning ? .plain : .quiet)]
      + users.map { user in
        var parts = [user.process.name]
        if let since { parts.append("since \(moment(since))") }
        if let started = user.started { parts.append("started \(moment(started))") }
        if !user.process.details.isEmpty { parts.append(user.process.details) }
        return .paragraph("  " + parts.joined(separator: " · "), .quiet)
      }
  }
}

extension LockingProcess {
  fileprivate var lines: [Document.Fact] {
    details.isEmpty ? [] : [.init("", .text(details))]
  }
}

extension Hold {
  /// `12.4 s, in 124 samples`.
  var words: String {
    "\(Cell.duration(duration).text), in \(samples.counted("sample"))"
  }

  /// `writer lock, held for 12.4 s by python3[4711]`.
  public var sentence: String {
    let what =
      switch role {
      case .writer: "writer lock"
      case .pinningReader(let slot, _): "read mark \(slot)"
      }
    guard samples > 1 else { return "\(what), seen once, held by \(process.name)" }
    return "\(what), held for \(Cell.duration(duration).text) by \(process.name)"
  }
}
