// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents
import TraceAnalysis

/// Writes events as JSON lines for engines that read them as a table; see ``EventRowV1``.
public struct EventRows {
  private let write: (RowPlace, String) throws -> Void
  private var origins: EventOrigins
  private var texts = StatementTexts()
  private var callers = CallerNames()
  private var pending = PendingFetches()
  private var forms: [StatementID: (form: String, summary: String)] = [:]
  private var date = RowDate()
  private var labels = RowLabels()
  private var measured = RowMeasures(names: RowMeasures.ofEvents)
  /// The number of rows that were written.
  public private(set) var written: UInt64 = 0

  // As many as a profile distinguishes.
  private static let maxForms = 20_000

  /// - Parameters:
  ///   - labels: what `record --label` noted.
  ///   - write: takes each line and its place.
  public init(labels: [String: String], write: @escaping (RowPlace, String) throws -> Void) {
    self.write = write
    origins = EventOrigins(labels: labels)
  }

  public mutating func add(_ record: EventRecord) throws {
    let place = origins.place(of: record)
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
      (row.vmSteps, row.fullscanSteps) = (event.vmSteps, event.fullScanSteps)
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
      .copyNotObserved, .values, .statementIO, .commitIO:
      return
    }
    if record.measures.contains(.timeOfDay) {
      (row.timeNs, row.date) = (record.timestamp, date.text(record.timestamp))
    }
    row.measured = measured.columns(of: record.event.measures.intersection(record.measures))
    (row.process, row.pid, row.tid) = (record.process.name, record.process.id, record.threadID)
    row.event = "\(record.event.name)"
    (row.host, row.version) = (place.origin.host, place.origin.version)
    row.labels = labels.text(place.origin.labels)
    (row.database, row.sqliteVersion) = (place.origin.database, place.origin.sqliteVersion)
    written &+= 1
    try write(RowPlace(table: "events", date: row.date, host: row.host), row.line)
  }

  private mutating func fill(_ row: inout EventRowV1, _ fetch: FetchEnd, _ record: EventRecord) {
    fill(&row, statement: fetch.statementID)
    fill(&row, pending.end(fetch, of: record)?.location ?? .unknown)
    (row.kind, row.entity, row.rows) = (fetch.kind.rawValue, fetch.entity, fetch.rows)
    (row.durationNs, row.waitNs, row.stepNs) = (fetch.totalTime, fetch.waitTime, fetch.stepTime)
    (row.vmSteps, row.fullscanSteps) = (fetch.vmSteps, fetch.fullScanSteps)
    (row.sorts, row.autoindexRows) = (fetch.sorts, fetch.autoIndexRows)
    row.error = Self.error(fetch.error)
  }

  private mutating func fill(_ row: inout EventRowV1, _ run: StatementRun, _ record: EventRecord) {
    fill(&row, statement: run.statementID)
    fill(&row, callers.location(of: run, in: record))
    (row.rows, row.changes) = (run.rows, run.changes)
    (row.durationNs, row.stepNs) = (max(run.openTime, run.stepTime), run.stepTime)
    (row.vmSteps, row.fullscanSteps) = (run.vmSteps, run.fullScanSteps)
    (row.sorts, row.autoindexRows) = (run.sorts, run.autoIndexRows)
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
  /// The row as a line of JSON; a test compares it with what Codable writes.
  var line: String {
    var row = JSONWriter()
    row.field("schema_version", schemaVersion)
    row.field("date", date)
    row.field("host", host)
    row.field("version", version)
    row.field("labels", labels)
    row.field("time_ns", timeNs)
    row.field("process", process)
    row.field("pid", pid)
    row.field("tid", tid)
    row.field("event", event)
    row.field("kind", kind)
    row.field("database", database)
    row.field("sqlite_version", sqliteVersion)
    row.field("form", form)
    row.field("summary", summary)
    row.field("entity", entity)
    row.field("relationship", relationship)
    row.field("caller_file", callerFile)
    row.field("caller_line", callerLine)
    row.field("duration_ns", durationNs)
    row.field("wait_ns", waitNs)
    row.field("step_ns", stepNs)
    row.field("rows", rows)
    row.field("changes", changes)
    row.field("vm_steps", vmSteps)
    row.field("fullscan_steps", fullscanSteps)
    row.field("sorts", sorts)
    row.field("autoindex_rows", autoindexRows)
    row.field("wal_bytes", walBytes)
    row.field("wal_frames", walFrames)
    row.field("gave_up", gaveUp)
    row.field("error", error)
    row.field("measured", measured)
    return row.finished + "\n"
  }
}
