// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// The events of one debug log.
///
/// Lines for people are recognized and skipped: the lines of fields contain the same facts,
/// exactly.
final class LogEventSource: LiveSource {
  private let file: any ByteSource
  private let lines: LineReader
  private(set) var isDry = false
  private let ledger: SourceLedger
  private let strings = StringCache()
  private var processes: [String: LogProcess] = [:]
  private var current: LogProcess?
  private var lineNumber: UInt64 = 0
  private var isAtEnd = false
  private var plain: [UInt8] = []
  private var bindings = LogBindings()
  /// The values of the statement before the line that was read last.
  private var finishedValues: EventRecord?
  private lazy var coreData = CoreDataLogParser(ledger: ledger)
  private var hasCoreDataLines = false

  // 1 GiB is arbitrary: another program's output may be endless.
  private static let longestSearch = 1 << 30
  // 10,000 is arbitrary: those that were evicted announce their statements once more.
  private static let maxProcesses = 10_000
  private var isKnown: Bool { ledger.isRecognized || hasCoreDataLines }

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
      let record = withoutColours(line, record)
      try emitValues(body)
      if let record {
        ledger.count(record)
        try body(record)
      }
      if hasCoreDataLines { try emit(coreData.takeRecords(), body) }
    case .cut(let line):
      isAtEnd = !file.mayGrow
      if withoutColours(line, CoreDataLogParser.isWhole) {
        _ = withoutColours(line, record)
      } else if !isKnown, lineNumber > 1 {
        // A picture, for example: nothing before it was a line of a log.
        ledger.countUnrecognized("line \(self.lineNumber), the last one")
      } else {
        ledger.addProblem(
          "line \(lineNumber), the last one, is cut and was not used: \(line.sample)")
      }
      if hasCoreDataLines, isAtEnd { try emit(coreData.finish(), body) }
      if isAtEnd { endProcesses() }
    case .tooLong:
      if isKnown {
        ledger.addProblem(
          "line \(lineNumber) is longer than \(LineReader.longestLine >> 20) MiB and was not used")
      }
      ledger.countUnrecognized("line \(self.lineNumber): too long")
    case nil:
      isAtEnd = !file.mayGrow
      if isAtEnd {
        finishedValues = bindings.finish()
        try emitValues(body)
        endProcesses()
      }
      if hasCoreDataLines, isAtEnd { try emit(coreData.finish(), body) }
    }
  }

  private func endProcesses() {
    for (_, process) in processes.sorted(by: { $0.key < $1.key }) { process.end(ledger) }
    processes.removeAll()
  }

  /// Not counted: the store did not write them as an event.
  private func emitValues(_ body: (EventRecord) throws -> Void) rethrows {
    guard let values = finishedValues else { return }
    finishedValues = nil
    try body(values)
  }

  private func emit(_ records: [EventRecord], _ body: (EventRecord) throws -> Void) rethrows {
    for record in records {
      ledger.count(record)
      try body(record)
    }
  }

  /// Reads a line; `nil` if it contains no event.
  private func record(_ line: UnsafeRawBufferPointer) -> EventRecord? {
    guard !line.isEmpty else { return nil }
    guard let parsed = LogLine(line), let process = process(parsed.process) else {
      let isCoreData = coreData.read(
        line, number: lineNumber, isMarkedOnly: ledger.isRecognized)
      hasCoreDataLines = hasCoreDataLines || isCoreData
      return isCoreData ? nil : unrecognized(line, "not a line of ObjectStore")
    }
    ledger.isRecognized = true
    process.check(parsed, line, ledger: ledger)
    if parsed.category == .details, bindings.take(parsed, process) { return nil }
    finishedValues = bindings.finish()
    switch parsed.category {
    case .sql: return statement(parsed, process)
    case .annotation: return annotation(parsed, process, line)
    case .warning: countLostLines(parsed.text)
    case .details, .error: break
    }
    return nil
  }

  private func statement(_ line: LogLine, _ process: LogProcess) -> EventRecord? {
    let isEscaped = line.text.contains { $0 == UInt8(ascii: "\\") }
    let sql: String? = isEscaped ? strings.string(line.text, isEscaped: true) : nil
    let id = sql.map(StatementID.init(sql:)) ?? StatementID(sqlBytes: line.text)
    bindings.start(id, line, process)
    guard process.announces(id) else { return nil }
    let announced = StatementAnnounced(
      storeID: 0, statementID: id, sql: sql ?? strings.string(line.text, isEscaped: false))
    return record(.statement(announced), contextID: 0, line, process)
  }

  private func annotation(
    _ line: LogLine, _ process: LogProcess, _ whole: UnsafeRawBufferPointer
  ) -> EventRecord? {
    var cursor = ByteCursor(line.text)
    let name = cursor.take { $0.isNameByte }
    if let kind = StoreEvent.Kind(wireName: name), cursor.takeBeginOfFields() {
      do throws(EventFieldError) {
        return try event(kind, cursor.rest, line, process)
      } catch {
        return unrecognized(whole, error.sentence)
      }
    }
    if cursor.take(" context_id=") { return unrecognized(whole, "unknown event") }
    note(line.text, process)
    return nil
  }

  /// Reads the fields of an event, first in the order in which this version writes them.
  private func event(
    _ kind: StoreEvent.Kind, _ fields: UnsafeRawBufferPointer, _ line: LogLine,
    _ process: LogProcess
  ) throws(EventFieldError) -> EventRecord {
    var inOrder = InOrderLogFieldReader(fields, strings: strings)
    let contextID = try inOrder.uint64("context_id")
    if let event = try? StoreEvent(kind, from: &inOrder), inOrder.isAtEnd {
      if case .statement(let announced) = event { _ = process.announces(announced.statementID) }
      return record(event, contextID: contextID, line, process)
    }
    var anyOrder = try AnyOrderLogFieldReader(fields, strings: strings)
    return record(
      try StoreEvent(kind, from: &anyOrder), contextID: try anyOrder.uint64("context_id"), line,
      process)
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
    let count = cursor.take { $0 != UInt8(ascii: " ") }
    if cursor.take(" lines of this log were lost"), let count = UInt64(decimal: count) {
      ledger.countLost(count)
    }
  }

  private func record(
    _ event: StoreEvent, contextID: UInt64, _ line: LogLine, _ process: LogProcess
  ) -> EventRecord {
    let utcOffset = process.utcOffset ?? assumeUTC(process)
    return EventRecord(
      timestamp: line.localTime - utcOffset, process: process.identity,
      threadID: line.threadID, contextID: contextID, event: event)
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

  private func unrecognized(_ line: UnsafeRawBufferPointer, _ reason: String) -> EventRecord? {
    ledger.countUnrecognized("line \(lineNumber): \(reason): \(line.sample)")
    return nil
  }

  /// Runs a closure on a line without its colours: `ESC [ 1 ; 31 m`.
  private func withoutColours<Result>(
    _ line: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    guard let base = line.baseAddress, memchr(base, 0x1b, line.count) != nil else {
      return try body(line)
    }
    plain.removeAll(keepingCapacity: true)
    var cursor = ByteCursor(line)
    while let byte = cursor.next {
      guard cursor.take("\u{1b}[") else {
        plain.append(byte)
        cursor.skip()
        continue
      }
      _ = cursor.take { !(0x40...0x7e).contains($0) }
      if !cursor.isAtEnd { cursor.skip() }
    }
    return try plain.withUnsafeBytes(body)
  }
}

extension UnsafeRawBufferPointer {
  /// The line's beginning, to be shown.
  fileprivate var sample: String { String(decoding: prefix(100), as: UTF8.self) }
}

extension StatementID {
  /// Hashes SQL that is unescaped in a log.
  fileprivate init(sqlBytes: UnsafeRawBufferPointer) {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in sqlBytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    self.init(rawValue: hash)
  }
}

extension StoreEvent.Kind {
  /// The kind of this name, found without a string.
  fileprivate init?(wireName: UnsafeRawBufferPointer) {
    // No kind has a longer name; up to 15 bytes a string needs no allocation.
    guard wireName.count <= 17 else { return nil }
    self.init(rawValue: String(decoding: wireName, as: UTF8.self))
  }
}

extension ByteCursor {
  /// Whether nothing or a field follows, as in `fault context_id=1` and not in `fault fulfilled from
  /// database for : <x-coredata:///Stop/p12>`; takes the space before it.
  fileprivate mutating func takeBeginOfFields() -> Bool {
    if isAtEnd { return true }
    guard take(" ") else { return false }
    var ahead = self
    return !ahead.take { $0.isNameByte }.isEmpty && ahead.take("=")
  }
}
