// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// The events of one debug log.
final class LogEventSource: EventSource {
  private let file: any ByteSource
  private let lines: LineReader
  /// Whether the last batch took all that there was.
  @exclusivity(unchecked) private(set) var isDry = false
  private let ledger: SourceLedger
  private let strings = StringCache()
  private var processes: [String: LogProcess] = [:]
  // Unchecked: one thread reads, each line.
  @exclusivity(unchecked) private var parser = LogLineParser()
  @exclusivity(unchecked) private var statements = LogStatements()
  @exclusivity(unchecked) private var shortLines = ShortLogLines()
  private let names = LogEventNames()
  @exclusivity(unchecked) private var current: LogProcess?
  @exclusivity(unchecked) private var lineNumber: UInt64 = 0
  @exclusivity(unchecked) private var isAtEnd = false
  /// Whether the line lacks its line feed, so that an event may lack its last fields: it is not used.
  @exclusivity(unchecked) private var isCut = false
  @exclusivity(unchecked) private var bindings = LogBindings()
  private lazy var coreData = CoreDataLogParser(ledger: ledger)
  @exclusivity(unchecked) private var hasCoreDataLines = false
  private lazy var statementLog = StatementLogParser(ledger: ledger)
  @exclusivity(unchecked) private var hasStatementLines = false

  // 1 GiB is arbitrary: another program's output may be endless.
  private static let longestSearch = 1 << 30
  // 10,000 is arbitrary: evicted processes announce their statements once more.
  private static let maxProcesses = 10_000
  private var isKnown: Bool { ledger.isRecognized || hasCoreDataLines || hasStatementLines }

  init(_ file: any ByteSource, ledger: SourceLedger) {
    self.file = file
    lines = LineReader(file)
    self.ledger = ledger
  }

  func readBatch(_ body: (EventRecord) throws -> Void) throws -> Bool {
    repeat {
      guard !isAtEnd else { return false }
      try readLine(body)
    } while !isDry && lines.hasBufferedLine
    return true
  }

  func extent(after elapsed: Nanoseconds) -> ReadingExtent? {
    file.byteCount.map { ReadingExtent(read: Double(lines.byteCount), all: Double($0)) }
  }

  private func readLine(_ body: (EventRecord) throws -> Void) throws {
    let next: LineReader.Line?
    do {
      next = try lines.next()
    } catch {
      isAtEnd = true
      ledger.addProblem("reading stopped after line \(lineNumber): \(error.reason)")
      return
    }
    isDry = next == nil
    if !isDry { lineNumber += 1 }
    if !isKnown, lines.byteCount > Self.longestSearch {
      isAtEnd = true
      ledger.addProblem(
        "none of its first \(Self.longestSearch >> 20) MiB is a line of ObjectStore's or of "
          + "Core Data's")
      return
    }
    switch next {
    case .complete(let line):
      try withoutColours(line) { try consume($0, body) }
      if hasCoreDataLines { try emit(coreData.drainRecords(), body) }
      if hasStatementLines { try emit(statementLog.drainRecords(), body) }
    case .cut(let line):
      isAtEnd = !file.mayGrow
      if withoutColours(line, isWhole) {
        isCut = true
        defer { isCut = false }
        try withoutColours(line) { try consume($0, body) }
      } else if !isKnown, lineNumber > 1 {
        // A picture, for example: nothing before it was a line of a log.
        ledger.countUnrecognized("line \(self.lineNumber), the last one")
      } else {
        ledger.addProblem(
          "line \(lineNumber), the last one, is cut and was not used: \(line.sample)")
      }
      if isAtEnd { try finish(body) }
    case .tooLong:
      if isKnown {
        ledger.addProblem(
          "line \(lineNumber) is longer than \(LineReader.longestLine >> 20) MiB and was not used")
      }
      ledger.countUnrecognized("line \(self.lineNumber): too long")
    case nil:
      isAtEnd = !file.mayGrow
      if isAtEnd {
        try emitValues(body)
        try finish(body)
      }
    }
  }

  /// Whether the last line of a file, which has no line feed, is nevertheless complete.
  private func isWhole(_ line: UnsafeRawBufferPointer) -> Bool {
    if CoreDataLogParser.isWhole(line) { return true }
    return !ledger.isRecognized && !hasCoreDataLines && StatementLogParser.isWhole(line)
  }

  private func finish(_ body: (EventRecord) throws -> Void) throws {
    endProcesses()
    if hasCoreDataLines { try emit(coreData.finish(), body) }
    if hasStatementLines { try emit(statementLog.finish(), body) }
  }

  private func endProcesses() {
    for (_, process) in processes.sorted(by: { $0.key < $1.key }) { process.end(ledger) }
    processes.removeAll()
  }

  /// Ends the statement after its values; not counted, since the store did not write them as an
  /// event.
  private func emitValues(_ body: (EventRecord) throws -> Void) rethrows {
    if bindings.isStarted, let values = bindings.finish() { try body(values) }
  }

  private func emit(_ records: [EventRecord], _ body: (EventRecord) throws -> Void) rethrows {
    for record in records {
      ledger.count(record)
      try body(record)
    }
  }

  /// Reads a line, and passes its event on if it contains one.
  private func consume(
    _ line: UnsafeRawBufferPointer, _ body: (EventRecord) throws -> Void
  ) throws {
    let line = lineNumber == 1 ? line.withoutByteOrderMark : line
    guard !line.isEmpty else { return }
    if line.first == ShortLogLines.mark, let current {
      guard shortLines.read(line) else {
        return countUnrecognized(line, "no line of the log states its fields")
      }
      return try shortLines.withLine { try consume($0, line, current, body) }
    }
    if let parsed = parser.line(line), let process = process(parsed.process) {
      shortLines.consume(parsed)
      return try consume(parsed, line, process, body)
    }
    guard !line.hasMark else { return try consumePrefixed(line, body) }
    let isCoreData = coreData.read(line, number: lineNumber, isMarkedOnly: ledger.isRecognized)
    hasCoreDataLines = hasCoreDataLines || isCoreData
    if isCoreData { return }
    let isStatement =
      !ledger.isRecognized && !hasCoreDataLines
      && statementLog.read(line, isFirst: ledger.report.unrecognizedLines == 0)
    hasStatementLines = hasStatementLines || isStatement
    if !isStatement, !PastedText.isFrame(line) { countUnrecognized(line, "not a log line") }
  }

  /// Reads a line of ours before which another tool wrote something.
  private func consumePrefixed(
    _ line: UnsafeRawBufferPointer, _ body: (EventRecord) throws -> Void
  ) throws {
    let isConsumed = try LinePrefix.split(line).map { own, named in
      try named.withUnsafeBytes { named in
        guard let parsed = parser.line(named), let process = process(parsed.process) else {
          return false
        }
        try consume(parsed, own, process, body)
        return true
      }
    }
    if isConsumed != true { countUnrecognized(line, "not a log line") }
  }

  /// - Parameter line: as the program wrote it.
  @inline(__always)
  private func consume(
    _ parsed: LogLine, _ line: UnsafeRawBufferPointer, _ process: LogProcess,
    _ body: (EventRecord) throws -> Void
  ) throws {
    ledger.isRecognized = true
    process.check(parsed, line, ledger: ledger)
    if parsed.category == .details, bindings.consume(parsed, process) { return }
    try emitValues(body)
    switch parsed.category {
    case .sql: try consumeStatement(parsed, process, body)
    case .annotation: try consumeAnnotation(parsed, process, line, body)
    case .warning: countLostLines(parsed.text)
    case .details: consumePlan(parsed.text)
    case .error: break
    }
  }

  /// Reads the plan of level 4: the statement, then its steps, which are indented.
  private func consumePlan(_ text: UnsafeRawBufferPointer) {
    let isStep = text.hasPrefix("  ")
    guard isStep || text.hasPrefix("SQLite: EXPLAIN QUERY PLAN ") else { return }
    let line = LogText.unescaped(String(decoding: text, as: UTF8.self)[...])
    if isStep { ledger.addToPlan(line) } else { ledger.startPlan(line) }
  }

  private func consumeStatement(
    _ line: LogLine, _ process: LogProcess, _ body: (EventRecord) throws -> Void
  ) throws {
    let isEscaped =
      line.text.baseAddress.flatMap { memchr($0, CInt(UInt8(ascii: "\\")), line.text.count) } != nil
    let sql: String? = isEscaped ? strings.string(line.text, isEscaped: true) : nil
    let id = sql.map(StatementID.init(sql:)) ?? statements.id(ofSQL: line.text)
    bindings.start(id, line, process)
    guard process.announces(id) else { return }
    let announced = StatementAnnounced(
      storeID: 0, statementID: id, sql: sql ?? strings.string(line.text, isEscaped: false))
    try pass(.statement(announced), contextID: 0, line, process, body)
  }

  private func consumeAnnotation(
    _ line: LogLine, _ process: LogProcess, _ whole: UnsafeRawBufferPointer,
    _ body: (EventRecord) throws -> Void
  ) throws {
    var cursor = ByteCursor(line.text)
    let name = cursor.consume { $0.isNameByte }
    if let kind = names.kind(name), cursor.consumeBeginOfFields() {
      return try consumeEvent(kind, cursor.rest, line, process, whole, body)
    }
    if cursor.consume(" context_id=") { return countUnrecognized(whole, "unknown event") }
    note(line.text, process)
  }

  private func consumeEvent(
    _ kind: StoreEvent.Kind, _ fields: UnsafeRawBufferPointer, _ line: LogLine,
    _ process: LogProcess, _ whole: UnsafeRawBufferPointer, _ body: (EventRecord) throws -> Void
  ) throws {
    let event: StoreEvent
    let contextID: UInt64
    do throws(EventFieldError) {
      (event, contextID) = try read(kind, fields, process)
    } catch {
      return countUnrecognized(whole, error.sentence)
    }
    try pass(event, contextID: contextID, line, process, body)
  }

  /// Reads the fields of an event, first in the order in which this version writes them.
  @inline(__always)
  private func read(
    _ kind: StoreEvent.Kind, _ fields: UnsafeRawBufferPointer, _ process: LogProcess
  ) throws(EventFieldError) -> (StoreEvent, contextID: UInt64) {
    if var inOrder = InOrderLogFieldReader(fields, strings: strings) {
      let contextID = try inOrder.uint64("context_id")
      if let event = try? StoreEvent(kind, from: &inOrder), inOrder.isAtEnd {
        if case .statement(let announced) = event { _ = process.announces(announced.statementID) }
        return (event, contextID)
      }
    }
    var anyOrder = try AnyOrderLogFieldReader(fields, strings: strings)
    let event = try StoreEvent(kind, from: &anyOrder)
    return (event, try anyOrder.uint64("context_id"))
  }

  /// Handles the log's reports about itself; any other annotation is a remark for people.
  private func note(_ text: UnsafeRawBufferPointer, _ process: LogProcess) {
    if let opening = LogOpening(text) {
      process.reopen(utcOffset: opening.utcOffset)
      if opening.vocabulary > StoreEvent.vocabularyVersion {
        ledger.addProblem(
          "the log has vocabulary \(opening.vocabulary), this version reads "
            + "\(StoreEvent.vocabularyVersion): update trace-report")
      }
    }
  }

  /// Parses `12 lines of this log were lost: they could not be written`.
  private func countLostLines(_ text: UnsafeRawBufferPointer) {
    var cursor = ByteCursor(text)
    let count = cursor.consume { $0 != UInt8(ascii: " ") }
    if cursor.consume(" lines of this log were lost"), let count = UInt64(decimal: count) {
      ledger.countLost(count)
    }
  }

  @inline(__always)
  private func pass(
    _ event: StoreEvent, contextID: UInt64, _ line: LogLine, _ process: LogProcess,
    _ body: (EventRecord) throws -> Void
  ) throws {
    let utcOffset = process.utcOffset ?? assumeUTC(process)
    guard !isCut else { return }
    let record = EventRecord(
      timestamp: line.localTime - utcOffset, process: process.identity,
      threadID: line.threadID, contextID: contextID, event: event)
    ledger.count(record)
    try body(record)
  }

  private func assumeUTC(_ process: LogProcess) -> Nanoseconds {
    ledger.addProblem(
      "the log lacks its line 'log opened', so its time zone is unknown and UTC was assumed")
    process.utcOffset = 0
    return 0
  }

  private func process(_ head: UnsafeRawBufferPointer) -> LogProcess? {
    if let current, current.wrote(head) { return current }
    if let known = processes[strings.string(head)] {
      current = known
      return known
    }
    // A log that lost its first lines is most likely of the time zone of the others in it.
    guard let new = LogProcess(head, utcOffset: current?.utcOffset) else { return nil }
    if processes.count >= Self.maxProcesses { endProcesses() }
    processes[strings.string(head)] = new
    current = new
    return new
  }

  private func countUnrecognized(_ line: UnsafeRawBufferPointer, _ reason: String) {
    ledger.countUnrecognized("line \(lineNumber): \(reason): \(line.sample)")
  }

  /// Runs a closure on a line without its colours.
  private func withoutColours<Result>(
    _ line: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    guard let base = line.baseAddress, memchr(base, 0x1b, line.count) != nil else {
      return try body(line)
    }
    let plain = ColourCode.removed(from: line, isEscaped: true)
    return try plain.withUnsafeBytes(body)
  }
}

extension UnsafeRawBufferPointer {
  /// The line without the mark that some editors write at the beginning of a file.
  fileprivate var withoutByteOrderMark: Self {
    starts(with: [0xef, 0xbb, 0xbf]) ? Self(rebasing: self[3...]) : self
  }

  /// Whether ObjectStore wrote it: behind a prefix, as of docker compose, it is still not Core Data's.
  fileprivate var hasMark: Bool {
    var cursor = ByteCursor(self)
    return cursor.consumeThrough("] ObjectStore: ") != nil
  }

  /// The line's beginning, to be shown.
  fileprivate var sample: String { String(decoding: prefix(100), as: UTF8.self) }
}

extension ByteCursor {
  /// Whether nothing or a field follows, as in `fault context_id=1` and not in `fault fulfilled from
  /// database for : <x-coredata:///Stop/p12>`; consumes the space before it.
  fileprivate mutating func consumeBeginOfFields() -> Bool {
    // The order that the store writes comes first.
    var known = self
    if known.consume(" context_id=") {
      skip()
      return true
    }
    if isAtEnd { return true }
    guard consume(" ") else { return false }
    var ahead = self
    return !ahead.consume { $0.isNameByte }.isEmpty && ahead.consume("=")
  }
}
