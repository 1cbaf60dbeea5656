// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents
import TraceAnalysis

/// Writes the events of a trace as OpenTelemetry's spans, in lines of OTLP/JSON.
///
/// Each line is an `ExportTraceServiceRequest`. Statements, fetches and cache misses are client spans
/// with the attributes of OpenTelemetry's conventions for databases; saves and transactions are spans
/// around them. Values are in no line. Ids are hashes of the process and of the event's own number, so
/// that one trace, sent twice, has the same spans.
///
/// See <https://opentelemetry.io/docs/specs/semconv/database/database-spans/>.
public struct OTLPSpans {
  private let write: (String) throws -> Void
  private let version: String
  private var origins: EventOrigins
  private var texts = StatementTexts()
  private var callers = CallerNames()
  private var pending = PendingFetches()
  private var shared: [StatementID: SharedStatement] = [:]
  /// By fetch: the outermost fetch that contains it.
  private var roots: [FetchKey: UInt64] = [:]
  private var misses: UInt64 = 0
  private var spans: [OTLPResource: [String]] = [:]
  private var count = 0
  /// The number of spans that were written.
  public private(set) var written: UInt64 = 0

  private struct FetchKey: Hashable {
    var process: ProcessIdentity
    var fetch: UInt64
  }

  // 512 is OpenTelemetry's own default of a batch.
  private static let batch = 512
  // Arbitrary: far more than run at once, and as many texts as a trace distinguishes.
  private static let maxRoots = 100_000
  private static let maxShared = 20_000

  public init(
    labels: [String: String], version: String, write: @escaping (String) throws -> Void
  ) {
    self.write = write
    self.version = version
    origins = EventOrigins(labels: labels)
  }

  /// Writes the remaining spans.
  public mutating func finish() throws {
    for resource in spans.keys.sorted(by: { $0.text < $1.text }) { try flush(resource) }
  }

  public mutating func add(_ record: EventRecord) throws {
    let origin = origins.origin(of: record)
    switch record.event {
    case .statement(let event): texts.add(event)
    case .caller(let event): callers.add(event, of: record)
    case .fetchBegin(let event): begin(event, record)
    case .fetchEnd(let event): try add(event, record, origin)
    case .statementRun(let event): try add(event, record, origin)
    case .cacheMiss(let event): try add(event, record, origin)
    case .transaction(let event): try add(event, record, origin)
    case .saveEnd(let event): try add(event, record, origin)
    case .busy(let event):
      try add(Span("wait for a lock", event.waitTime, kind: .internal), record, origin) {
        $0.add("storescope.lock.gave_up", event.gaveUp != 0)
        $0.add("storescope.lock.attempts", event.attempts)
      }
    case .checkpoint(let event):
      try add(Span("checkpoint", event.totalTime, kind: .internal), record, origin) {
        $0.add("storescope.wal.mode", event.mode)
        guard record.measures.contains(.checkpoints) else { return }
        $0.add("storescope.wal.frames", event.logFrames)
        $0.add("storescope.wal.checkpointed_frames", event.checkpointedFrames)
      }
    case .poolWaited(let event):
      try add(Span("wait for a pool", event.waitTime, kind: .internal), record, origin) {
        $0.add("storescope.pool.gave_up", event.gaveUp != 0)
      }
    case .storeOpened, .connectionOpened, .connectionClosed, .contextCreated, .saveBegin, .counters,
      .copyNotObserved, .databaseFileTouched, .values, .fault, .statementIO, .commitIO:
      break
    }
  }

  // MARK: - Spans

  /// The properties that distinguish one span from another.
  private struct Span {
    enum Kind: Int { case `internal` = 1, client = 3 }
    var name: String
    var duration: Nanoseconds
    var kind: Kind
    /// The number of the span within its process, after its kind; "" for a span without children.
    var id = ""
    /// The span at the top, and the one above.
    var root: String?
    var parent: String?
    var link: String?
    var error = ""

    init(_ name: String, _ duration: Nanoseconds, kind: Kind) {
      self.name = name
      self.duration = duration
      self.kind = kind
    }
  }

  private mutating func begin(_ fetch: FetchBegin, _ record: EventRecord) {
    pending.begin(fetch, of: record)
    guard fetch.parentID != 0 else { return }
    if roots.count >= Self.maxRoots { roots.removeAll() }
    let parent = FetchKey(process: record.process, fetch: fetch.parentID)
    roots[FetchKey(process: record.process, fetch: fetch.fetchID)] =
      roots[parent] ?? fetch.parentID
  }

  private mutating func add(
    _ fetch: FetchEnd, _ record: EventRecord, _ origin: EventOrigins.Origin
  ) throws {
    let begun = pending.end(fetch, of: record)
    let root =
      roots.removeValue(forKey: FetchKey(process: record.process, fetch: fetch.fetchID))
      ?? (fetch.parentID == 0 ? fetch.fetchID : fetch.parentID)
    let statement = sharedStatement(fetch.statementID)
    let duration = begun.map { max(fetch.totalTime, record.timestamp &- $0.timestamp) }
    var span = Span(
      statement?.summary ?? "\(fetch.kind.rawValue) \(fetch.entity)",
      duration ?? fetch.totalTime, kind: .client)
    span.id = "fetch \(fetch.fetchID)"
    span.root = "fetch \(root)"
    if fetch.parentID != 0 { span.parent = "fetch \(fetch.parentID)" }
    span.error = fetch.error
    try add(span, record, origin) {
      Self.describe(statement, fetch.statementID, origin, &$0)
      if let rows = record.known(fetch.rows, .rows) { $0.add("db.response.returned_rows", rows) }
      $0.add("storescope.entity", fetch.entity)
      $0.add("storescope.fetch.kind", fetch.kind.rawValue)
      if let begun { $0.add(begun.location) }
      $0.add { $0.fetch?.of(fetch) }
    }
  }

  private mutating func add(
    _ run: StatementRun, _ record: EventRecord, _ origin: EventOrigins.Origin
  ) throws {
    let statement = sharedStatement(run.statementID)
    var span = Span(
      statement?.summary ?? "statement", max(run.openTime, run.stepTime), kind: .client)
    span.id = "run \(run.runID)"
    if run.transactionID != 0 {
      span.root = "transaction \(run.transactionID)"
      span.parent = span.root
    }
    span.error = run.error
    let location = callers.location(of: run, in: record)
    try add(span, record, origin) {
      Self.describe(statement, run.statementID, origin, &$0)
      if let rows = record.known(run.rows, .rows) { $0.add("db.response.returned_rows", rows) }
      $0.add(location)
      $0.addNonzero("storescope.changed_rows", run.changes)
      $0.add { $0.run?.of(run) }
    }
  }

  /// A row that a fault read; the fetch that made the fault may have ended long ago.
  private mutating func add(
    _ miss: CacheMiss, _ record: EventRecord, _ origin: EventOrigins.Origin
  ) throws {
    misses &+= 1
    let statement = sharedStatement(miss.statementID)
    var span = Span(
      statement?.summary ?? "fault \(miss.entity)", miss.duration, kind: .client)
    span.id = "miss \(misses)"
    if miss.originFetchID != 0 { span.link = "fetch \(miss.originFetchID)" }
    try add(span, record, origin) {
      Self.describe(statement, miss.statementID, origin, &$0)
      $0.add("storescope.entity", miss.entity)
      $0.add("storescope.relationship", miss.relationship)
      $0.add { $0.miss?.of(miss) }
    }
  }

  /// The statements of a transaction refer to it; in autocommit mode there is none.
  private mutating func add(
    _ transaction: TransactionEnded, _ record: EventRecord, _ origin: EventOrigins.Origin
  ) throws {
    guard transaction.transactionID != 0, transaction.kind != "autocommit" else { return }
    var span = Span("transaction", transaction.totalTime, kind: .internal)
    span.id = "transaction \(transaction.transactionID)"
    if transaction.saveID != 0 {
      span.root = "save \(transaction.saveID)"
      span.parent = span.root
    }
    try add(span, record, origin) {
      $0.add("db.system.name", "sqlite")
      $0.add("db.namespace", origin.profile.database)
      $0.add("storescope.transaction.outcome", transaction.outcome)
      $0.add("storescope.transaction.kind", transaction.kind)
      $0.addNonzero("storescope.statements", transaction.statements)
      $0.addNonzero("storescope.wait_ns", transaction.waitTime)
      $0.addNonzero("storescope.idle_ns", transaction.idleTime)
      $0.addNonzero("storescope.wal.bytes", transaction.logBytes)
    }
  }

  private mutating func add(
    _ save: SaveEnd, _ record: EventRecord, _ origin: EventOrigins.Origin
  ) throws {
    var span = Span("save", save.totalTime, kind: .internal)
    span.id = "save \(save.saveID)"
    span.error = save.error
    try add(span, record, origin) {
      $0.add("db.system.name", "sqlite")
      $0.add("db.namespace", origin.profile.database)
      $0.add(save.location)
      $0.addNonzero("storescope.save.inserted", save.inserted)
      $0.addNonzero("storescope.save.updated", save.updated)
      $0.addNonzero("storescope.save.deleted", save.deleted)
      $0.addNonzero("storescope.wait_ns", save.waitTime)
      $0.addNonzero("storescope.write_ns", save.writeTime)
      $0.addNonzero("storescope.commit_ns", save.commitTime)
    }
  }

  private static func describe(
    _ statement: SharedStatement?, _ id: StatementID, _ origin: EventOrigins.Origin,
    _ attributes: inout OTLPAttributes
  ) {
    attributes.add("db.system.name", "sqlite")
    attributes.add("db.namespace", origin.profile.database)
    attributes.add("storescope.sqlite.version", origin.profile.sqliteVersion)
    attributes.add("storescope.statement.id", "\(statement?.id ?? id)")
    guard let statement else { return }
    attributes.add("db.query.summary", statement.summary)
    attributes.add("db.query.text", statement.text)
    attributes.add("db.operation.name", statement.operation)
    if statement.tables.count == 1 { attributes.add("db.collection.name", statement.tables[0]) }
  }

  private mutating func sharedStatement(_ id: StatementID) -> SharedStatement? {
    if let known = shared[id] { return known }
    guard let sql = texts[id] else { return nil }
    if shared.count >= Self.maxShared { shared.removeAll() }
    let statement = SharedStatement(sql: sql)
    shared[id] = statement
    return statement
  }

  // MARK: - Text

  private mutating func add(
    _ span: Span, _ record: EventRecord, _ origin: EventOrigins.Origin,
    _ describe: (inout OTLPAttributes) -> Void
  ) throws {
    // A span has two dates.
    guard record.measures.contains(.timeOfDay) else { return }
    var attributes = OTLPAttributes()
    describe(&attributes)
    attributes.addNonzero("thread.id", record.threadID)
    if !span.error.isEmpty { attributes.add("error.type", OTLPText.errorType(span.error)) }
    let process = Self.key(record.process, origin)
    // An event without a number is identified by its end and its thread.
    let own =
      span.id.isEmpty ? "\(span.name) \(record.timestamp) \(record.threadID)" : span.id
    let end = max(record.timestamp, 0)
    let start = max(0, end &- max(0, span.duration))
    var text = "{\"traceId\":\"\(Self.traceID(process, span.root ?? own))\""
    text += ",\"spanId\":\"\(Self.spanID(process, own))\""
    if let parent = span.parent {
      text += ",\"parentSpanId\":\"\(Self.spanID(process, parent))\""
    }
    text += ",\"name\":\(JSONWriter.quoted(span.name)),\"kind\":\(span.kind.rawValue)"
    text += ",\"startTimeUnixNano\":\"\(start)\",\"endTimeUnixNano\":\"\(end)\""
    text += ",\"attributes\":[\(attributes.text)]"
    if let link = span.link {
      text += ",\"links\":[{\"traceId\":\"\(Self.traceID(process, link))\""
      text += ",\"spanId\":\"\(Self.spanID(process, link))\"}]"
    }
    if !span.error.isEmpty {
      text += ",\"status\":{\"code\":2,\"message\":\"\(OTLPText.errorType(span.error))\"}"
    }
    text += "}"
    let resource = OTLPResource(
      service: record.process.name, process: record.process.id, host: origin.profile.host,
      labels: origin.profile.labels)
    spans[resource, default: []].append(text)
    count += 1
    written &+= 1
    if spans[resource]?.count ?? 0 >= Self.batch { try flush(resource) }
    // With very many processes, a single batch may take too long to become full.
    if count >= 16 * Self.batch { try finish() }
  }

  private mutating func flush(_ resource: OTLPResource) throws {
    guard let batch = spans.removeValue(forKey: resource), !batch.isEmpty else { return }
    count -= batch.count
    try write(
      "{\"resourceSpans\":[{\(resource.text),\"scopeSpans\":[{"
        + "\(OTLPText.scope(version: version)),\"spans\":[\(batch.joined(separator: ","))]}]}]}\n")
  }

  private static func key(_ process: ProcessIdentity, _ origin: EventOrigins.Origin) -> String {
    "\(process.host)\u{0}\(process.id)\u{0}\(origin.processStart)"
  }

  private static func spanID(_ process: String, _ id: String) -> String {
    hash(process, id, "span")
  }

  private static func traceID(_ process: String, _ id: String) -> String {
    hash(process, id, "trace") + hash(process, id, "trace, second half")
  }

  /// Sixteen digits, never all zero, which would be no id.
  private static func hash(_ parts: String...) -> String {
    var hash = ContentHash()
    for part in parts { hash.add(part) }
    return hash.value == 0 ? "0000000000000001" : hash.text
  }
}
