// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
import TraceAnalysis

/// Writes a trace for <https://ui.perfetto.dev> and `chrome://tracing`, event by event.
///
/// Fetches, faults, cache misses, saves and waits are slices on the track of their thread; the
/// stores' counters are counter tracks. Times count from the first event.
///
/// See the Trace Event Format:
/// <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.
public struct PerfettoTrace {
  private let write: (String) throws -> Void
  private var start: Nanoseconds?
  private var end: Nanoseconds = 0
  private var isFirst = true
  private var texts = StatementTexts()
  private var pending = PendingFetches()
  private var lanes: [Track: SliceLanes] = [:]
  private var named: Set<Track> = []
  private var processes: [ProcessIdentity: Int64] = [:]

  /// A thread of a process; each lane after its first has its own number.
  private struct Track: Hashable {
    var process: Int64
    var thread: Int64
  }

  public init(write: @escaping (String) throws -> Void) throws {
    self.write = write
    try write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")
  }

  /// Ends the text; each sentence on missing data is a mark over all tracks, at the end.
  public mutating func finish(missing: [String] = []) throws {
    for sentence in missing {
      try event("incomplete: \(sentence)", "i", process: 0, thread: 0, at: end) {
        $0.field("s", "g")
      }
    }
    try write("\n]}\n")
  }

  public mutating func add(_ record: EventRecord) throws {
    start = start ?? record.timestamp
    end = max(end, time(record))
    switch record.event {
    case .statement(let event): texts.add(event)
    case .fetchBegin(let event): pending.begin(event, of: record)
    case .fetchEnd(let event): try add(event, record)
    case .fault(let event): try add(event, record)
    case .cacheMiss(let event): try add(event, record)
    case .saveEnd(let event): try add(event, record)
    case .checkpoint(let event):
      try slice("checkpoint", "wal", record.known(event.totalTime, .checkpoints), record) {
        $0.field("mode", event.mode)
        $0.field("frames", known: record.known(event.checkpointedFrames, .checkpoints))
      }
    case .busy(let event):
      try slice("waits for a lock", "wait", event.waitTime, record) {
        $0.field("attempts", event.attempts)
        $0.field("gave_up", event.gaveUp)
      }
    case .poolWaited(let event):
      try slice("waits for a pool", "wait", event.waitTime, record) {
        $0.field("gave_up", event.gaveUp)
      }
    case .counters(let event): try add(event, record)
    case .storeOpened(let event): try instant("opens \(event.path)", record)
    case .connectionOpened(let event): try instant("opens \(event.path)", record)
    case .databaseFileTouched(let event): try instant("\(event.operation) of \(event.path)", record)
    case .statementRun(let event): try add(event, record)
    case .contextCreated, .saveBegin, .transaction, .connectionClosed, .copyNotObserved, .caller,
      .values, .statementIO, .commitIO:
      break
    }
  }

  // MARK: - Slices

  private mutating func add(_ run: StatementRun, _ record: EventRecord) throws {
    let sql = texts[run.statementID]
    let duration = record.known(max(run.openTime, run.stepTime), .totalTime)
    try slice("statement", "sqlite", duration, record) {
      if let sql { $0.field("sql", sql) }
      $0.field("statement", "\(run.statementID)")
      $0.field("rows", known: record.known(run.rows, .rows))
      $0.field("changes", known: record.known(run.changes, .changes))
      for metric in WorkMetric.all {
        $0.field(metric.column, known: metric.run?.known(run, metric, record))
      }
      if !run.error.isEmpty { $0.field("error", run.error) }
    }
  }

  private mutating func add(_ fetch: FetchEnd, _ record: EventRecord) throws {
    let begun = pending.end(fetch, of: record)
    let duration = record.known(fetch.totalTime, .totalTime).map { time in
      begun.map { max(time, record.timestamp &- $0.timestamp) } ?? time
    }
    let sql = texts[fetch.statementID]
    let kind = fetch.kind == .objects ? "fetch" : fetch.kind.rawValue
    try slice("\(kind) \(fetch.entity)", "fetch", duration, record) {
      if let sql { $0.field("sql", sql) }
      $0.field("statement", "\(fetch.statementID)")
      if let caller = begun?.location.text { $0.field("caller", caller) }
      $0.field("rows", known: record.known(fetch.rows, .rows))
      for metric in WorkMetric.all {
        $0.field(metric.column, known: metric.fetch?.known(fetch, metric, record))
      }
      if record.contextID != 0 { $0.field("context", record.contextID) }
      if !fetch.error.isEmpty { $0.field("error", fetch.error) }
    }
  }

  private mutating func add(_ fault: FaultFired, _ record: EventRecord) throws {
    try slice(
      "fault \(Self.name(fault.entity, fault.relationship))", "fault",
      record.known(fault.duration, .totalTime), record
    ) {
      $0.field("pk", fault.pk)
      $0.field("source", fault.source.rawValue)
      $0.field("rows", known: record.known(fault.rows, .rows))
      if let caller = fault.origin.text { $0.field("fetched_at", caller) }
    }
  }

  private mutating func add(_ miss: CacheMiss, _ record: EventRecord) throws {
    let sql = texts[miss.statementID]
    try slice(
      "miss \(Self.name(miss.entity, miss.relationship))", "miss",
      record.known(miss.duration, .totalTime), record
    ) {
      $0.field("pk", miss.pk)
      if let sql { $0.field("sql", sql) }
      for metric in WorkMetric.all {
        $0.field(metric.column, known: metric.miss?.known(miss, metric, record))
      }
    }
  }

  /// The save, and its wait, write and commit within it.
  private mutating func add(_ save: SaveEnd, _ record: EventRecord) throws {
    var part = record
    part.timestamp = record.timestamp &- save.totalTime
    let isWithin = save.waitTime &+ save.writeTime &+ save.commitTime <= save.totalTime
    for (name, duration) in [
      ("wait", save.waitTime), ("write", save.writeTime), ("commit", save.commitTime),
    ] where isWithin && duration > 0 {
      part.timestamp &+= duration
      try slice(name, "save", duration, part) { _ in }
    }
    try slice("save", "save", record.known(save.totalTime, .saveTime), record) {
      $0.field("inserted", save.inserted)
      $0.field("updated", save.updated)
      $0.field("deleted", save.deleted)
      $0.field("statements", save.statements)
      if let caller = save.location.text { $0.field("caller", caller) }
      if !save.error.isEmpty { $0.field("error", save.error) }
    }
  }

  private static func name(_ entity: String, _ relationship: String) -> String {
    relationship.isEmpty ? entity : "\(entity).\(relationship)"
  }

  /// A slice that ends with the event; a mark where the input has no duration.
  private mutating func slice(
    _ name: String, _ category: String, _ duration: Nanoseconds?, _ record: EventRecord,
    arguments: (inout JSONWriter) -> Void
  ) throws {
    guard let duration else {
      return try instant(name, record, of: category, arguments: arguments)
    }
    let end = time(record)
    let begin = max(0, end &- max(0, duration))
    let process = try self.process(record)
    let track = Track(process: process, thread: record.threadID)
    let lane = lanes[track, default: SliceLanes()].lane(from: begin, to: end)
    let thread = try self.thread(record, lane: lane, process: process)
    try event(name, "X", process: process, thread: thread, at: begin) {
      $0.field("cat", category)
      $0.field("dur", microseconds: end - begin)
      $0.field("args", object: arguments)
    }
  }

  // MARK: - Other events

  private mutating func instant(
    _ name: String, _ record: EventRecord, of category: String? = nil,
    arguments: (inout JSONWriter) -> Void = { _ in }
  ) throws {
    let process = try self.process(record)
    let thread = try self.thread(record, lane: 0, process: process)
    try event(name, "i", process: process, thread: thread, at: time(record)) {
      $0.field("s", category == nil ? "p" : "t")
      guard let category else { return }
      $0.field("cat", category)
      $0.field("args", object: arguments)
    }
  }

  private mutating func add(_ counters: CountersSampled, _ record: EventRecord) throws {
    let process = try self.process(record)
    for (name, value) in [
      ("fetches", counters.fetches), ("faults", counters.faults),
      ("cache misses", counters.cacheMisses), ("saves", counters.saves),
    ] {
      try event(name, "C", process: process, thread: 0, at: time(record)) {
        $0.field("args", object: { $0.field("value", value) })
      }
    }
  }

  private func time(_ record: EventRecord) -> Nanoseconds {
    max(0, record.timestamp &- (start ?? record.timestamp))
  }

  private mutating func event(
    _ name: String, _ phase: String, process: Int64, thread: Int64, at time: Nanoseconds,
    _ rest: (inout JSONWriter) -> Void
  ) throws {
    var object = JSONWriter()
    object.field("name", name)
    object.field("ph", phase)
    object.field("pid", process)
    object.field("tid", thread)
    object.field("ts", microseconds: time)
    rest(&object)
    try write((isFirst ? "" : ",\n") + object.finished)
    isFirst = false
  }

  // MARK: - Tracks

  /// The process's number: its id, or another one where two hosts have the same.
  private mutating func process(_ record: EventRecord) throws -> Int64 {
    if let known = processes[record.process] { return known }
    let isTaken = processes.values.contains(record.process.id)
    let number = isTaken ? (processes.values.max() ?? 0) &+ 1_000_000 : record.process.id
    processes[record.process] = number
    try event("process_name", "M", process: number, thread: 0, at: 0) {
      $0.field("args", object: { $0.field("name", record.process.title) })
    }
    return number
  }

  /// The number of a thread's lane; each is named when it is first used.
  private mutating func thread(
    _ record: EventRecord, lane: Int, process: Int64
  ) throws -> Int64 {
    // Linux's thread ids are below 2^22.
    let number = record.threadID &+ Int64(lane) << 32
    guard named.insert(Track(process: process, thread: number)).inserted else { return number }
    try event("thread_name", "M", process: process, thread: number, at: 0) {
      let turn = lane > 0 ? ", task \(lane + 1)" : ""
      $0.field("args", object: { $0.field("name", "thread \(record.threadID)\(turn)") })
    }
    return number
  }
}
