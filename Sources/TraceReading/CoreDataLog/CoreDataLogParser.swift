// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Turns the lines of Core Data's own log into events, each thread separately.
///
/// Data that the log does not contain (callers, contexts, SQLite's work, the cost of a save) stays
/// empty, and the ledger has a remark on it.
final class CoreDataLogParser {
  private enum State { case none, sql, value, objects, plan, remark }

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
  private var state = State.none
  /// An annotation that no rule matches, and that may continue on the next line.
  private var fragment: CoreDataFragment?
  /// The statement of the plan that is read, and the length of the head before it.
  private var explained = ""
  private var planHead = 0
  private var wrapping = LineWrapping()
  private var doubts = CoreDataDoubts()
  private var pasted = PastedText()
  /// Whether a line had `CoreData: `: lines without it are then text in values, or another
  /// program's.
  private var hasMarks = false
  /// The prefixes of the last line with a category, as of a quotation.
  private var prefixCount = 0
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
    guard var text = pasted.decoded(line) else {
      return readText(line, number: number, isMarkedOnly: isMarkedOnly)
    }
    return text.withUTF8 {
      readText(UnsafeRawBufferPointer($0), number: number, isMarkedOnly: isMarkedOnly)
    }
  }

  private func readText(
    _ line: UnsafeRawBufferPointer, number: UInt64, isMarkedOnly: Bool
  ) -> Bool {
    defer { wrapping.end(line) }
    let (line, prefixes) = withoutPrefixes(line)
    guard let parsed = CoreDataLine(line), parsed.isMarked || !isMarkedOnly else {
      return continues(line, number)
    }
    guard parsed.isMarked || !hasMarks else {
      let isRead = continues(line, number)
      if !isRead, parsed.isStatementOrTime { doubts.unmarked += 1 }
      return isRead
    }
    guard parsed.category != .sql || CoreDataStatement.isSQL(parsed.text) else {
      return continues(line, number)
    }
    prefixCount = prefixes
    countFragment()
    hasMarks = hasMarks || parsed.isMarked
    select(parsed.head, number)
    switch parsed.category {
    case .sql: readSQL(parsed.text)
    case .annotation: return readAnnotation(parsed.text, number)
    case .details:
      planHead = parsed.headLength
      return readDetails(parsed.text)
    case .remark: state = .remark
    case .error: readError(parsed.text, number)
    }
    return true
  }

  /// The line without the prefix of each line, also before lines without a category.
  private func withoutPrefixes(
    _ line: UnsafeRawBufferPointer
  ) -> (UnsafeRawBufferPointer, count: Int) {
    let prefixes = LinePrefix.all(of: line).prefix { $0.isOfEachLine }
    guard let last = prefixes.last else { return (line, 0) }
    if CoreDataLine(last.rest)?.isMarked == true { return (last.rest, prefixes.count) }
    // `> ?` may be the rest of a wrapped line.
    let count = min(prefixCount, prefixes.count)
    return count > 0 ? (prefixes[count - 1].rest, count) : (line, 0)
  }

  /// Returns the events that are ready.
  func drainRecords() -> [EventRecord] {
    defer {
      evicted.removeAll()
      thread?.records.removeAll(keepingCapacity: true)
    }
    return evicted + (thread?.records ?? [])
  }

  /// Returns the events of the fetches that the log's end cut.
  func finish() -> [EventRecord] {
    countFragment()
    var records = drainRecords()
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
    state = .sql
    // The space at the end may be where the line was wrapped.
    thread?.read(sql: String(decoding: text, as: UTF8.self))
  }

  private func readAnnotation(_ text: UnsafeRawBufferPointer, _ number: UInt64) -> Bool {
    state = .none
    guard let annotation = CoreDataAnnotation(text) else {
      fragment = CoreDataFragment(text, line: number)
      return true
    }
    return read(annotation)
  }

  private func read(_ annotation: CoreDataAnnotation) -> Bool {
    if case .fetched(_, _, _, listsObjects: true) = annotation { state = .objects }
    return thread?.read(annotation) ?? false
  }

  private func readDetails(_ text: UnsafeRawBufferPointer) -> Bool {
    // A log of the system has its category before each row of a plan.
    if state == .plan, CoreDataContinuation.isPlan(text) {
      ledger.addToPlan(String(decoding: text, as: UTF8.self))
      return true
    }
    state = .none
    if text.hasPrefix("SQLite bind[") {
      thread?.read(bind: text)
      if CoreDataContinuation.isOpenText(text) { state = .value }
      return true
    }
    guard text.hasPrefix("SQLite: EXPLAIN QUERY PLAN") else { return false }
    state = .plan
    explained = String(decoding: text, as: UTF8.self)
    ledger.startPlan(explained)
    return true
  }

  private func readError(_ text: UnsafeRawBufferPointer, _ number: UInt64) {
    state = .remark
    var cursor = ByteCursor(text)
    if cursor.consumeThrough("SQLite error code:") != nil, cursor.consumeThrough("'") != nil {
      let message = String(decoding: cursor.rest.trimmed.dropLast(), as: UTF8.self)
      ledger.addRemark("line \(number): SQLite failed: \(LogText.escaped(message))")
      if thread?.read(error: message) == true { return }
    } else {
      let message = LogText.escaped(String(decoding: text.trimmed.prefix(500), as: UTF8.self))
      ledger.addRemark("line \(number): Core Data failed: \(message)")
    }
    doubts.errors += 1
  }

  /// Parses a line without a category if it continues the previous line.
  private func continues(_ line: UnsafeRawBufferPointer, _ number: UInt64) -> Bool {
    switch fragment?.append(line, number: number) {
    case .whole(let annotation):
      fragment = nil
      return read(annotation)
    case .open: return true
    case .foreign: countFragment()
    case nil: break
    }
    switch state {
    case .none: return false
    case .sql:
      guard let begun = thread?.sqlText, let joint = wrapping.joint(begun, line) else { break }
      thread?.read(
        continuation: String(decoding: line, as: UTF8.self), isSpaced: joint == .space)
      return true
    case .value:
      if line.trimmed.last == UInt8(ascii: "\"") { state = .none }
      return true
    case .objects:
      if line.trimmed.elementsEqual([UInt8(ascii: ")")]) {
        state = .none
        return true
      }
      if CoreDataContinuation.isObject(line) { return true }
    case .plan:
      let text = String(decoding: line, as: UTF8.self)
      if let row = CoreDataContinuation.planRow(line, headLength: planHead) {
        ledger.addToPlan(String(decoding: row, as: UTF8.self))
        return true
      }
      guard let joint = wrapping.joint(explained, line) else { break }
      explained += (joint == .space ? " " : "") + text
      ledger.continuePlan(explained)
      return true
    case .remark: if CoreDataContinuation.isIndented(line) { return true }
    }
    // The statement may continue after a line of another program.
    if state != .objects { state = .none }
    return false
  }

  private func countFragment() {
    guard let fragment else { return }
    self.fragment = nil
    // The remaining lines are not Core Data's.
    for line in fragment.otherLines {
      ledger.countUnrecognized("line \(line.number): not a log line: \(line.sample)")
    }
    let (text, number) = (fragment.text, fragment.number)
    let sample = String(decoding: text.prefix(100), as: UTF8.self)
    if let annotation = text.withUnsafeBytes({ CoreDataAnnotation(cut: $0) }), read(annotation) {
      if text.last?.isDigit == true {
        ledger.addProblem("line \(number) is cut: \(LogText.escaped(sample))")
      }
      return
    }
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
    if head?.process == nil, thread != nil { return }
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
      ledger.addUncounted(key.process, kind: .coreDataLog)
      if head?.time != nil, head?.isUTC == false {
        ledger.addRemark("the log's times have no zone: they are taken for UTC")
      }
    }
    let new = CoreDataThread(process, threadID: head?.threadID, clock: clock)
    threads[key] = new
    thread = new
  }

  /// Ends the thread with the oldest last line, preferably one that is between two statements.
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
    doubts.add(thread)
    return isCut
  }

  /// Adds a remark on the facts that a log of this kind does not contain.
  private func note() {
    guard !processes.isEmpty else { return }
    ledger.addRemark(
      "Core Data's log contains no callers, no contexts and no work of SQLite, and rounds times to "
        + "0.1 ms; faults are counted for the fetch before them")
    if pasted.hasEntities {
      ledger.addChange("the log has HTML entities (&lt;, &gt;), as of a web page's source: decoded")
    }
    if !clock.isReal { ledger.addRemark("the log has no times of day: only the order is known") }
    doubts.cut = processes.values.reduce(0) { $0 + $1.cutStatements }
    doubts.note(in: ledger)
  }
}
