// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The events of one CTF trace.
final class CTFEventSource: LiveSource {
  private let reader: CTFEventReader
  /// The thread that reads ahead, if one does.
  private var feed: EventFeed?
  /// What is read here, if none does.
  private let batch = EventBatch()
  private let salvage: CTFSalvage?
  private let widened: WidenedTrace?
  private let ledger: SourceLedger
  private let folder: String
  private let strings = StringCache()
  // Unchecked: one thread reads, each event.
  /// By the numbers that the reader assigned.
  @exclusivity(unchecked) private var classes: [(schema: EventClassSchema, isInOrder: Bool)] = []
  @exclusivity(unchecked) private var processes = ProcessTable()
  private var isAtEnd = false
  private let span: PacketIndex.Span?

  /// Opens a trace, or what is undamaged of it; `nil`, with the problem recorded, if all is
  /// damaged.
  init?(_ trace: CTFTrace, ledger: SourceLedger) {
    folder = trace.folders[0]
    span = PacketIndex.span(ofFolders: trace.folders)
    self.ledger = ledger
    do {
      // Without its index, which the salvaged trace has not, all of it may be readable.
      guard trace.folders.allSatisfy(PacketIndex.isSound) else {
        throw BabeltraceError("its index does not fit its packets")
      }
      guard trace.folders.allSatisfy(StreamFile.areWhole) else {
        throw BabeltraceError("its packets do not have the lengths in their headers")
      }
      let widened = WidenedTrace(trace)
      if let widened, let graph = try? CTFGraph(.folders(widened.trace.folders)) {
        reader = CTFEventReader(graph)
        self.widened = widened
      } else {
        reader = CTFEventReader(try CTFGraph(.folders(trace.folders)))
        self.widened = nil
      }
      salvage = nil
    } catch {
      // libbabeltrace2 takes a file that cannot be opened for a damaged one.
      if let shortage = SystemErrorText.descriptorShortage(of: trace.streamCount + 8) {
        ledger.addProblem(
          "the trace in \(LogText.quoted(folder)) could not be opened: \(shortage.sentence)")
        return nil
      }
      guard let salvage = try? CTFSalvage(trace),
        let graph = try? CTFGraph(.folders(salvage.trace.folders))
      else {
        ledger.addProblem("the trace in \(LogText.quoted(folder)) is damaged: \(error)")
        return nil
      }
      for problem in salvage.problems { ledger.addProblem(problem) }
      reader = CTFEventReader(graph)
      self.salvage = salvage
      widened = nil
    }
  }

  /// Joins a live session.
  ///
  /// - Throws: ``TraceReadingError`` if no daemon answers there, or there is no such session.
  init(session url: String, ledger: SourceLedger) throws(TraceReadingError) {
    folder = url
    span = nil
    self.ledger = ledger
    salvage = nil
    widened = nil
    do {
      let graph = try CTFGraph(.session(url))
      try graph.takeFirst()
      reader = CTFEventReader(graph)
    } catch {
      throw .unreadable(url, reason: "\(error)")
    }
  }

  deinit { feed?.stop() }

  /// Whether a live session has nothing more yet; only for sessions that are not read ahead.
  var isDry: Bool { feed == nil && reader.isDry }

  func readAhead() {
    if feed == nil { feed = EventFeed(reader) }
  }

  func readBatch(_ body: (EventRecord) throws -> Void) throws -> Bool {
    guard !isAtEnd else { return false }
    if let feed {
      let batch = feed.next()
      defer { feed.recycle(batch) }
      try read(batch, body)
    } else {
      batch.removeAll()
      reader.fill(batch, toTheBrim: false)
      try read(batch, body)
    }
    return !isAtEnd
  }

  /// By the time that has passed, since libbabeltrace2 does not report its position in a file.
  func extent(after elapsed: Nanoseconds) -> ReadingExtent? {
    span.map { span in
      ReadingExtent(
        read: Double(span.bytes) * min(Double(elapsed) / Double(span.time), 1),
        all: Double(span.bytes))
    }
  }

  private func read(_ batch: EventBatch, _ body: (EventRecord) throws -> Void) throws {
    isAtEnd = batch.isLast
    classes += batch.newClasses.map { ($0, false) }
    ledger.countLost(batch.eventsLost)
    if batch.hasLostPackets {
      ledger.addProblem(
        "the trace in \(LogText.quoted(folder)) lost whole packets, each of many events; record "
          + "again with more or larger buffers")
    }
    if let damage = batch.damage {
      let reason = SystemErrorText.descriptorShortage(of: 2)?.sentence
      ledger.addProblem(
        reason.map { "the trace in \(LogText.quoted(folder)) was not read to its end: \($0)" }
          ?? "the trace in \(LogText.quoted(folder)) is damaged, its events after that place were "
          + "not read: \(damage)")
    }
    var cursor = batch.cursor
    while let event = cursor.takeEvent() {
      guard let record = record(event) else { continue }
      ledger.count(record)
      try body(record)
    }
  }

  private func record(_ event: WordCursor) -> EventRecord? {
    var cursor = event
    let (number, shape, time) = cursor.takeHead()
    let schema = classes[number].schema
    guard shape == .whole, let kind = schema.kind else {
      return unrecognized(schema, shape.sentence)
    }
    do throws(EventFieldError) {
      let contexts = schema.contexts.values(&cursor)
      let (contextID, storeEvent) = try decode(kind, cursor, classNumber: number)
      var process = processes.process(contexts, in: schema.environment)
      if let name = storeEvent.processName {
        process = processes.rename(process, to: name)
      }
      return EventRecord(
        timestamp: time, process: process, threadID: contexts.threadID ?? process.id,
        contextID: contextID, event: storeEvent)
    } catch {
      return unrecognized(schema, error.sentence)
    }
  }

  private func decode(
    _ kind: StoreEvent.Kind, _ payload: WordCursor, classNumber number: Int
  ) throws(EventFieldError) -> (UInt64, StoreEvent) {
    if classes[number].isInOrder {
      var fields = InOrderFieldReader(payload, strings: strings)
      return (fields.uint64("context_id"), try StoreEvent(kind, from: &fields))
    }
    let schema = classes[number].schema
    var fields = ByNameFieldReader(payload, members: schema.members, strings: strings)
    let event = try StoreEvent(kind, from: &fields)
    // From then on, the members are read one after the other.
    classes[number].isInOrder = schema.isInOrder(fields.requested)
    return (try fields.uint64("context_id"), event)
  }

  private func unrecognized(_ schema: EventClassSchema, _ reason: String) -> EventRecord? {
    ledger.countUnrecognized("\(schema.name): \(reason)")
    return nil
  }
}

extension EventBatch.Shape {
  /// What an event of the shape lacks, to stand after its name.
  fileprivate var sentence: String {
    switch self {
    case .whole, .unknown: "not of this vocabulary"
    case .untimed: "no timestamp"
    case .empty: "no fields"
    }
  }
}

extension EventFieldError {
  /// The fact as words, to stand after the event's name.
  var sentence: String {
    switch self {
    case .missing(let field): "field '\(field)' is missing"
    case .malformed(let field, let value): "field '\(field)' cannot be '\(value)'"
    case .unknownEvent(let name): "event '\(name)' is unknown"
    }
  }
}

extension StoreEvent {
  /// The name of its process, if the event contains it.
  fileprivate var processName: String? {
    let name =
      switch self {
      case .storeOpened(let event): event.processName
      case .connectionOpened(let event): event.processName
      default: ""
      }
    return name.isEmpty ? nil : name
  }
}
