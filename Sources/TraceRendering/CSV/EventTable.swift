// SPDX-License-Identifier: Apache-2.0

public import StoreEvents
import TraceAnalysis

/// Writes the fetches, faults, saves and waits of a trace as comma-separated values, one by one.
public struct EventTable {
  private let write: (String) throws -> Void
  private var texts = StatementTexts()
  private var pending = PendingFetches()
  private var callers = CallerNames()

  static let columns =
    [
      "time_ns", "host", "process", "pid", "tid", "context", "event", "kind", "entity",
      "relationship", "caller", "duration_ns", "rows",
    ] + WorkMetric.all.map(\.column) + [
      "limit", "offset", "batch_size", "inserted", "updated", "deleted", "statements",
      "statement_id", "sql", "error",
    ]

  /// Writes the line with the columns' names.
  public init(write: @escaping (String) throws -> Void) throws {
    self.write = write
    var row = CSVRow()
    for column in Self.columns { row.append(column) }
    try write(row.finished)
  }

  public mutating func add(_ record: EventRecord) throws {
    var row = CSVRow()
    switch record.event {
    case .statement(let event): return texts.add(event)
    case .fetchBegin(let event): return pending.begin(event, of: record)
    case .fetchEnd(let event): append(event, record, to: &row)
    case .fault(let event): append(event, record, to: &row)
    case .cacheMiss(let event): append(event, record, to: &row)
    case .saveEnd(let event): append(event, record, to: &row)
    case .checkpoint(let event):
      append(record, kind: event.mode, to: &row)
      let isCounted = record.measures.contains(.checkpoints)
      row.append(known: isCounted ? event.totalTime : nil)
      row.append(known: isCounted ? event.checkpointedFrames : nil)
      row.skip(WorkMetric.all.count + 10)
    case .busy(let event):
      append(record, kind: event.gaveUp == 0 ? "" : "gave up", to: &row)
      row.append(event.waitTime)
      row.skip(WorkMetric.all.count + 11)
    case .caller(let event): return callers.add(event, of: record)
    case .statementRun(let event): append(event, record, to: &row)
    case .storeOpened, .contextCreated, .saveBegin, .transaction, .counters, .connectionOpened,
      .connectionClosed, .copyNotObserved, .databaseFileTouched, .poolWaited, .values, .statementIO,
      .commitIO:
      return
    }
    try write(row.finished)
  }

  /// Ends the table with a row of the event `incomplete` for each sentence on missing data.
  public func finish(missing: [String] = []) throws {
    for sentence in missing {
      var row = CSVRow()
      for column in Self.columns {
        switch column {
        case "event": row.append("incomplete")
        case "error": row.append(sentence)
        default: row.skip()
        }
      }
      try write(row.finished)
    }
  }

  private func append(
    _ record: EventRecord, kind: String, entity: String = "", relationship: String = "",
    caller: SourceLocation = .unknown, to row: inout CSVRow
  ) {
    row.append(known: record.known(record.timestamp, .timeOfDay))
    row.append(record.process.host)
    row.append(record.process.name)
    // A log may have none of them.
    let hasContext = record.contextID != 0 || record.measures.contains(.cacheHits)
    row.append(known: record.process.id > 0 ? record.process.id : nil)
    row.append(known: record.threadID != 0 ? record.threadID : nil)
    row.append(known: hasContext ? record.contextID : nil)
    row.append(record.event.name)
    row.append(kind)
    row.append(entity)
    row.append(relationship)
    row.append(caller.text ?? "")
  }

  private mutating func append(_ fetch: FetchEnd, _ record: EventRecord, to row: inout CSVRow) {
    let caller = pending.end(fetch, of: record)?.location ?? .unknown
    append(record, kind: fetch.kind.rawValue, entity: fetch.entity, caller: caller, to: &row)
    row.append(known: record.known(fetch.totalTime, .totalTime))
    row.append(known: record.known(fetch.rows, .rows))
    for metric in WorkMetric.all { row.append(known: metric.fetch?.known(fetch, metric, record)) }
    row.append(known: record.known(fetch.limit, .batchSize))
    row.append(known: record.known(fetch.offset, .batchSize))
    row.append(known: record.known(fetch.batchSize, .batchSize))
    row.skip(4)
    append(fetch.statementID, error: fetch.error, to: &row)
  }

  private mutating func append(_ run: StatementRun, _ record: EventRecord, to row: inout CSVRow) {
    append(record, kind: "", caller: callers.location(of: run, in: record), to: &row)
    row.append(known: record.known(run.openTime, .totalTime))
    row.append(known: record.known(run.rows, .rows))
    for metric in WorkMetric.all { row.append(known: metric.run?.known(run, metric, record)) }
    row.skip(7)
    append(run.statementID, error: run.error, to: &row)
  }

  private func append(_ fault: FaultFired, _ record: EventRecord, to row: inout CSVRow) {
    append(
      record, kind: fault.source.rawValue, entity: fault.entity,
      relationship: fault.relationship, caller: fault.origin, to: &row)
    row.append(known: record.known(fault.duration, .totalTime))
    row.append(known: record.known(fault.rows, .rows))
    row.skip(WorkMetric.all.count + 10)
  }

  private func append(_ miss: CacheMiss, _ record: EventRecord, to row: inout CSVRow) {
    append(
      record, kind: "", entity: miss.entity, relationship: miss.relationship, to: &row)
    row.append(known: record.known(miss.duration, .totalTime))
    row.skip()
    for metric in WorkMetric.all { row.append(known: metric.miss?.known(miss, metric, record)) }
    row.skip(7)
    append(miss.statementID, error: "", to: &row)
  }

  private func append(_ save: SaveEnd, _ record: EventRecord, to row: inout CSVRow) {
    append(record, kind: "", caller: save.location, to: &row)
    row.append(known: record.known(save.totalTime, .saveTime))
    row.skip()
    row.append(known: record.known(save.waitTime, .waitTime))
    row.skip(WorkMetric.all.count + 2)
    for count in [save.inserted, save.updated, save.deleted, save.statements] { row.append(count) }
    row.skip(2)
    row.append(save.error)
  }

  private func append(_ statement: StatementID, error: String, to row: inout CSVRow) {
    row.append("\(statement)")
    row.append(texts[statement] ?? "")
    row.append(error)
  }
}

extension Amount {
  /// The number; nil where the input does not have it.
  func known(_ event: Root, _ metric: WorkMetric, _ record: EventRecord) -> Int128? {
    record.known(of(event), metric.measure)
  }
}
