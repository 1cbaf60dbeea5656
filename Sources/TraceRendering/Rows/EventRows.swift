// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents
import TraceAnalysis

/// Writes events as JSON lines for engines that read them as a table; see ``EventRowV1``.
public struct EventRows {
  private let write: (RowPartition, String) throws -> Void
  private var origins: EventOrigins
  private var texts = StatementTexts()
  private var callers = CallerNames()
  private var pending = PendingFetches()
  private var forms: [StatementID: (form: String, summary: String)] = [:]
  private var date = RowDate()
  private var labels = RowLabels()
  private var measured = RowMeasures(names: RowMeasures.ofEvents)
  public private(set) var written: UInt64 = 0

  // As many as a profile distinguishes.
  private static let maxForms = 20_000

  public init(labels: [String: String], write: @escaping (RowPartition, String) throws -> Void) {
    self.write = write
    origins = EventOrigins(labels: labels)
  }

  public mutating func add(_ record: EventRecord) throws {
    let origin = origins.origin(of: record)
    var row = EventRowV1()
    switch record.event {
    case .statement(let event): return texts.add(event)
    case .caller(let event): return callers.add(event, of: record)
    case .fetchBegin(let event): return pending.begin(event, of: record)
    case .fetchEnd(let event): fill(&row, event, record)
    case .statementRun(let event): fill(&row, event, record)
    case .cacheMiss(let event):
      fill(&row, statement: event.statementID)
      (row.entity, row.relationship) = (event.entity, event.relationship)
      (row.durationNs, row.stepNs) = (event.duration, event.duration)
      row.counters = CounterValues { $0.miss?.count(event) ?? 0 }
    case .fault(let event):
      (row.kind, row.entity) = (event.source.rawValue, event.entity)
      row.relationship = event.relationship
      (row.durationNs, row.rows) = (event.duration, event.rows)
      fill(&row, event.origin)
    case .saveEnd(let event):
      (row.durationNs, row.waitNs) = (event.totalTime, event.waitTime)
      row.changes = event.inserted &+ event.updated &+ event.deleted
      row.error = Self.error(event.error)
      fill(&row, event.location)
    case .transaction(let event):
      (row.kind, row.durationNs, row.waitNs) = (event.kind, event.totalTime, event.waitTime)
      row.walBytes = event.logBytes
      row.error = event.outcome == "rollback" ? "rollback" : ""
    case .busy(let event):
      (row.durationNs, row.waitNs, row.gaveUp) = (event.waitTime, event.waitTime, event.gaveUp)
    case .checkpoint(let event):
      (row.kind, row.durationNs, row.walFrames) = (event.mode, event.totalTime, event.logFrames)
    case .storeOpened, .contextCreated, .saveBegin, .counters, .connectionOpened, .connectionClosed,
      .copyNotObserved, .databaseFileTouched, .poolWaited, .values, .statementIO, .commitIO:
      return
    }
    if record.measures.contains(.timeOfDay) {
      (row.timeNs, row.date) = (record.timestamp, date.text(record.timestamp))
    }
    row.measured = measured.columns(of: record.event.measures.intersection(record.measures))
    (row.process, row.pid, row.tid) = (record.process.name, record.process.id, record.threadID)
    row.event = "\(record.event.name)"
    (row.host, row.version) = (origin.profile.host, origin.profile.version)
    row.labels = labels.text(origin.profile.labels)
    (row.database, row.sqliteVersion) = (origin.profile.database, origin.profile.sqliteVersion)
    written &+= 1
    try write(RowPartition(table: "events", date: row.date, host: row.host), row.line)
  }

  private mutating func fill(_ row: inout EventRowV1, _ fetch: FetchEnd, _ record: EventRecord) {
    fill(&row, statement: fetch.statementID)
    fill(&row, pending.end(fetch, of: record)?.location ?? .unknown)
    (row.kind, row.entity, row.rows) = (fetch.kind.rawValue, fetch.entity, fetch.rows)
    (row.durationNs, row.waitNs, row.stepNs) = (fetch.totalTime, fetch.waitTime, fetch.stepTime)
    row.counters = CounterValues { $0.fetch?.count(fetch) ?? 0 }
    row.error = Self.error(fetch.error)
  }

  private mutating func fill(_ row: inout EventRowV1, _ run: StatementRun, _ record: EventRecord) {
    fill(&row, statement: run.statementID)
    fill(&row, callers.location(of: run, in: record))
    (row.rows, row.changes) = (run.rows, run.changes)
    (row.durationNs, row.stepNs) = (max(run.openTime, run.stepTime), run.stepTime)
    row.counters = CounterValues { $0.run?.count(run) ?? 0 }
    row.error = Self.error(run.error)
  }

  private func fill(_ row: inout EventRowV1, _ location: SourceLocation) {
    (row.callerFile, row.callerLine) = (location.file, location.line)
  }

  private mutating func fill(_ row: inout EventRowV1, statement id: StatementID) {
    if let known = forms[id] {
      (row.form, row.summary) = known
      return
    }
    let sql = texts[id]
    let form = FormProfile.form(ofStatement: id, sql: sql)
    let known = (form: "\(form)", summary: sql.map { SharedStatement(sql: $0).summary } ?? "")
    if sql != nil, forms.count < Self.maxForms { forms[id] = known }
    (row.form, row.summary) = known
  }

  /// The code alone: the text of an error may hold values.
  private static func error(_ text: String) -> String {
    text.isEmpty ? "" : OTLPText.errorType(text)
  }
}

extension StoreEvent {
  /// The columns of a row that an event of its kind can fill.
  fileprivate var measures: Measures {
    switch self {
    case .fetchEnd: .fetch
    case .cacheMiss: Measures.miss.subtracting(.rows)
    case .fault: [.rows, .totalTime, .timeOfDay]
    case .saveEnd: [.changes, .waitTime, .totalTime, .timeOfDay]
    case .statementRun: .run
    default: [.waitTime, .totalTime, .timeOfDay]
    }
  }
}

extension EventRowV1 {
  /// The row as a line of JSON; a test compares it with Codable's output.
  var line: String {
    var row = JSONWriter()
    row.field("schema_version", fields.schemaVersion)
    row.field("date", fields.date)
    row.field("host", fields.host)
    row.field("version", fields.version)
    row.field("labels", fields.labels)
    row.field("time_ns", fields.timeNs)
    row.field("process", fields.process)
    row.field("pid", fields.pid)
    row.field("tid", fields.tid)
    row.field("event", fields.event)
    row.field("kind", fields.kind)
    row.field("database", fields.database)
    row.field("sqlite_version", fields.sqliteVersion)
    row.field("form", fields.form)
    row.field("summary", fields.summary)
    row.field("entity", fields.entity)
    row.field("relationship", fields.relationship)
    row.field("caller_file", fields.callerFile)
    row.field("caller_line", fields.callerLine)
    row.field("duration_ns", fields.durationNs)
    row.field("wait_ns", fields.waitNs)
    row.field("step_ns", fields.stepNs)
    row.field("rows", fields.rows)
    row.field("changes", fields.changes)
    for (name, value) in counters.named { row.field(name, value) }
    row.field("wal_bytes", fields.walBytes)
    row.field("wal_frames", fields.walFrames)
    row.field("gave_up", fields.gaveUp)
    row.field("error", fields.error)
    row.field("measured", fields.measured)
    return row.finished + "\n"
  }
}
