// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Turns the lines of Core Data's own log into events, those of each thread apart.
///
/// Data that the log does not contain (callers, contexts, SQLite's work, the cost of a save) stays
/// empty, and the ledger has a remark on it.
final class CoreDataLogParser {
  private enum Place { case none, sql, value, objects, plan, remark }

  private struct Key: Hashable {
    var process: ProcessIdentity
    var thread: Int64
  }

  private let ledger: SourceLedger
  private let clock = CoreDataClock()
  private let unnamed: ProcessIdentity
  private var processes: [ProcessIdentity: CoreDataProcess] = [:]
  private var threads: [Key: CoreDataThread] = [:]
  private var thread: CoreDataThread?
  private var place = Place.none
  /// An annotation that no rule matches, and that may continue on the next line.
  private var fragment: (text: [UInt8], line: UInt64)?
  private var interleaved: UInt64 = 0
  private var nameless: UInt64 = 0
  private var unended: UInt64 = 0
  /// Whether a line had `CoreData: `: those without it are then text in values, or another program's.
  private var hasMarks = false
  /// Lines of statements and times that were not read for that.
  private var unmarked: UInt64 = 0
  /// The lines that belong to no statement of the log.
  private var errors: UInt64 = 0
  /// Events of threads that were evicted.
  private var evicted: [EventRecord] = []

  // 1,024 is arbitrary: threads come and go, and each keeps little.
  private static let maxThreads = 1024

  init(ledger: SourceLedger) {
    self.ledger = ledger
    // Two logs without process ids must not share their fetch ids.
    unnamed = ProcessIdentity(id: -Int64(ledger.index), name: ledger.fileName)
  }

  /// Reads a line.
  ///
  /// - Parameter isMarkedOnly: whether a line without `CoreData: ` is another program's.
  /// - Returns: false if it is not a Core Data line.
  func read(_ line: UnsafeRawBufferPointer, number: UInt64, isMarkedOnly: Bool) -> Bool {
    guard let parsed = CoreDataLine(line), parsed.isMarked || !isMarkedOnly else {
      return continues(line)
    }
    guard parsed.isMarked || !hasMarks else {
      let isRead = continues(line)
      if !isRead, parsed.isStatementOrTime { unmarked += 1 }
      return isRead
    }
    guard parsed.category != .sql || CoreDataStatement.isSQL(parsed.text) else {
      return continues(line)
    }
    countFragment()
    hasMarks = hasMarks || parsed.isMarked
    select(parsed.head, number)
    switch parsed.category {
    case .sql: readSQL(parsed.text)
    case .annotation: return readAnnotation(parsed.text, number)
    case .details: return readDetails(parsed.text)
    case .remark: place = .remark
    case .error: readError(parsed.text, number)
    }
    return true
  }

  /// Returns the events that are ready.
  func takeRecords() -> [EventRecord] {
    defer {
      evicted.removeAll()
      thread?.records.removeAll(keepingCapacity: true)
    }
    return evicted + (thread?.records ?? [])
  }

  /// Returns the events of the fetches that the log's end cut.
  func finish() -> [EventRecord] {
    countFragment()
    var records = takeRecords()
    for thread in threads.values.sorted(by: { $0.lastLine < $1.lastLine }) {
      if end(thread) { ledger.addProblem("its last statement lacks its times: the log is cut") }
      records += thread.records
    }
    threads.removeAll()
    thread = nil
    note()
    return records
  }

  /// Whether the last line of a file, which has no line feed, is nevertheless complete.
  static func isWhole(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let parsed = CoreDataLine(line), let last = parsed.text.trimmed.last else { return false }
    switch parsed.category {
    case .annotation:
      return "s.>)".utf8.contains(last) && CoreDataAnnotation(parsed.text) != nil
    case .sql: return parsed.text.trimmed.elementsEqual("COMMIT".utf8)
    case .details, .remark, .error: return false
    }
  }

  // MARK: - Lines

  private func readSQL(_ text: UnsafeRawBufferPointer) {
    place = .sql
    // The space at the end may be where the line was wrapped.
    thread?.read(sql: String(decoding: text, as: UTF8.self))
  }

  private func readAnnotation(_ text: UnsafeRawBufferPointer, _ number: UInt64) -> Bool {
    place = .none
    guard let annotation = CoreDataAnnotation(text) else {
      fragment = (Array(text), number)
      return true
    }
    return read(annotation)
  }

  private func read(_ annotation: CoreDataAnnotation) -> Bool {
    if case .fetched(_, _, _, listsObjects: true) = annotation { place = .objects }
    return thread?.read(annotation) ?? false
  }

  private func readDetails(_ text: UnsafeRawBufferPointer) -> Bool {
    place = .none
    if text.hasPrefix("SQLite bind[") {
      thread?.read(bind: text)
      if CoreDataContinuation.isOpenText(text) { place = .value }
      return true
    }
    guard text.hasPrefix("SQLite: EXPLAIN QUERY PLAN") else { return false }
    place = .plan
    return true
  }

  private func readError(_ text: UnsafeRawBufferPointer, _ number: UInt64) {
    place = .remark
    var cursor = ByteCursor(text)
    if cursor.takeThrough("SQLite error code:") != nil, cursor.takeThrough("'") != nil {
      let message = String(decoding: cursor.rest.trimmed.dropLast(), as: UTF8.self)
      ledger.addRemark("line \(number): SQLite failed: \(LogText.escaped(message))")
      if thread?.read(error: message) == true { return }
    } else {
      let message = LogText.escaped(String(decoding: text.trimmed.prefix(500), as: UTF8.self))
      ledger.addRemark("line \(number): Core Data failed: \(message)")
    }
    errors += 1
  }

  /// Parses a line without a category if it continues the previous line.
  private func continues(_ line: UnsafeRawBufferPointer) -> Bool {
    if let (text, _) = fragment {
      // Wrapped between two words, or within one.
      let wholes = [text + [UInt8(ascii: " ")] + line.trimmed, text + line.trimmed]
      for whole in wholes {
        guard let annotation = whole.withUnsafeBytes({ CoreDataAnnotation($0) }) else { continue }
        fragment = nil
        return read(annotation)
      }
      countFragment()
    }
    switch place {
    case .none: return false
    case .sql:
      guard CoreDataContinuation.isSQL(line) else { break }
      thread?.read(continuation: String(decoding: line, as: UTF8.self))
      return true
    case .value:
      if line.trimmed.last == UInt8(ascii: "\"") { place = .none }
      return true
    case .objects:
      if line.trimmed.elementsEqual([UInt8(ascii: ")")]) {
        place = .none
        return true
      }
      if CoreDataContinuation.isObject(line) { return true }
    case .plan: if CoreDataContinuation.isPlan(line) { return true }
    case .remark: if CoreDataContinuation.isIndented(line) { return true }
    }
    // The statement may continue after a line of another program.
    if place != .objects { place = .none }
    return false
  }

  private func countFragment() {
    guard let (text, number) = fragment else { return }
    fragment = nil
    if let annotation = text.withUnsafeBytes({ CoreDataAnnotation(cut: $0) }), read(annotation) {
      return
    }
    let sample = String(decoding: text.prefix(100), as: UTF8.self)
    if text.withUnsafeBytes(CoreDataAnnotation.isCut) {
      ledger.addProblem("line \(number) is cut: \(LogText.escaped(sample))")
    }
    ledger.countUnrecognized("line \(number): unknown annotation of Core Data: \(sample)")
  }

  // MARK: - Threads

  private func select(_ head: CoreDataLineHead?, _ number: UInt64) {
    clock.read(head)
    defer { thread?.lastLine = number }
    // A line that lost its head continues that of the previous thread.
    if head == nil, thread != nil { return }
    let key = Key(process: head?.process ?? unnamed, thread: head?.threadID ?? 0)
    if let known = threads[key] {
      if known !== thread { thread = known }
      return
    }
    if threads.count >= Self.maxThreads { evictOldest() }
    let process = processes[key.process] ?? CoreDataProcess(key.process)
    if processes[key.process] == nil {
      if processes.count >= Self.maxThreads { processes.removeAll() }
      processes[key.process] = process
      ledger.addUncounted(key.process)
      if head?.time != nil, head?.isUTC == false {
        ledger.addRemark("the log's times have no zone: they are taken for UTC")
      }
    }
    let new = CoreDataThread(process, threadID: head?.threadID, clock: clock)
    threads[key] = new
    thread = new
  }

  /// Ends the thread whose last line is the oldest, of those between two statements if there are any.
  private func evictOldest() {
    let oldest = threads.min {
      ($0.value.isBusy ? 1 : 0, $0.value.lastLine) < ($1.value.isBusy ? 1 : 0, $1.value.lastLine)
    }
    guard let (key, thread) = oldest else { return }
    _ = end(thread)
    evicted += thread.records
    threads[key] = nil
  }

  private func end(_ thread: CoreDataThread) -> Bool {
    let isCut = thread.finish()
    interleaved += thread.interleaved
    nameless += thread.nameless
    unended += thread.unended
    return isCut
  }

  /// Adds a remark on what a log of this kind does not contain.
  private func note() {
    guard !processes.isEmpty else { return }
    ledger.addRemark(
      "Core Data's log contains no callers, no contexts and no work of SQLite, and rounds times to "
        + "0.1 ms; faults are counted for the fetch before them")
    if errors > 0 {
      ledger.addFailure(
        "Core Data logged \(errors.counted("error")) without a statement in the log")
    }
    if !clock.isReal { ledger.addRemark("the log has no times of day: only the order is known") }
    noteDoubts()
  }

  private func noteDoubts() {
    if interleaved > 0 {
      ledger.addProblem(
        "lines of \(interleaved.counted("fetch", "fetches")) stand between those of another one, and the log has no "
          + "thread ids: rows, times and faults may be at the wrong statement")
    }
    if nameless > 0 {
      ledger.addProblem(
        "\(nameless.counted("fetch", "fetches")) without SQL in the log: lines are missing")
    }
    if unended > 0 {
      ledger.addProblem(
        "\(unended.counted("transaction")) without COMMIT or ROLLBACK in the log: not counted as a save"
      )
    }
    if unmarked > 0 {
      ledger.addProblem(
        "\(unmarked.counted("line")) of statements and times without 'CoreData: ', which other lines have: not read"
      )
    }
  }
}
