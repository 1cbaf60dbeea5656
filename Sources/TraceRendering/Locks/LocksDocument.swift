// SPDX-License-Identifier: Apache-2.0

public import DatabaseLocks
import StoreEvents

extension Document {
  /// One screen: the writer, those who wait, the readers and the log; then what was held before.
  ///
  /// - Parameter time: of day of the sample.
  public init(locks report: LocksReport, time: String) {
    let state = report.state
    self.init(title: "\(time)  \(state.sample.path): \(report.headline)")
    blocks.append(.facts(report.facts))
    blocks += state.sample.fileWarnings.flatMap {
      [.paragraph(""), .paragraph("\($0)", .bad)] as [Document.Block]
    }
    blocks += report.writerBlocks + report.waiterBlocks + report.readerBlocks
    blocks += report.checkpointBlocks + report.historyBlocks
    let spots = state.sample.blindSpots
    if !spots.isEmpty { blocks.append(.heading("Not seen")) }
    blocks += spots.map { .paragraph("  - \($0)", $0.mayHideHolder ? .bad : .quiet) }
  }
}

extension LocksReport {
  /// Who holds the writer lock.
  public var headline: String {
    guard let writer = state.writers.first else {
      if let process = state.recovering.first { return "\(process.name) recovers the log" }
      return state.sample.fileWarnings.contains(.noDatabase)
        ? "no SQLite database, or an encrypted one" : "no process holds the writer lock"
    }
    var words = "the writer lock is held by \(writer.process.name)"
    if let hold = history.hold(of: writer.process, isWriter: true), isObservedOverTime {
      words += ", seen for \(Cell.duration(hold.duration).text)"
    }
    return words
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
      var lines = [Document.Fact("lock", .text(writer.lock.name))]
      if let hold = history.hold(of: writer.process, isWriter: true), isObservedOverTime {
        lines.append(.init("seen for", .text(hold.words)))
      }
      return .item(
        .init(
          tone: .bad, headline: "Writer: \(writer.process.name)", place: "",
          lines: lines + writer.process.lines))
    } + checkpointerItems
  }

  private var checkpointerItems: [Document.Block] {
    state.checkpointers.map {
      .item(.init(tone: .plain, headline: "Checkpoint: \($0.name)", place: "", lines: $0.lines))
    }
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
      .table(
        Table(
          columns: [.number("mark"), .number("frame"), .text("effect"), .text("process")],
          rows: rows)),
    ]
  }

  fileprivate var checkpointBlocks: [Document.Block] {
    guard let obstacle = state.checkpoint?.obstacle else { return [] }
    let names = state.pinningReaders.map(\.process.name).joined(separator: ", ")
    return [
      .paragraph(""), .paragraph("The checkpoint \(obstacle.words) by \(names).", .bad),
    ]
  }

  fileprivate var historyBlocks: [Document.Block] {
    // 10 is arbitrary: with the state above it fits a screen.
    let holds = history.current.filter { $0.samples > 1 } + pastHolds(atMost: 10)
    guard isObservedOverTime, !holds.isEmpty else { return [] }
    return [.heading("Held")]
      + holds.map { .paragraph("  \($0.isOver ? "" : "now: ")\($0.sentence)") }
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
