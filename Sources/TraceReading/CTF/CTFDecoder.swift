// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Makes the events of one trace that LTTng-UST wrote, merged from its streams.
///
/// Events of the same nanosecond come in the order of their streams, as with babeltrace2.
///
/// Unchecked: one thread after the other uses it, never two at once.
final class CTFDecoder: @unchecked Sendable {
  private let environment: TraceEnvironment
  private let folder: String
  private let strings = StringCache()
  // Unchecked: one thread reads, each event.
  @exclusivity(unchecked) private var processes = ProcessTable()
  /// The streams that have a next event, in the order of their ids.
  @exclusivity(unchecked) private var streams: [EventStream] = []
  private var isBegun = false
  /// The sum of all packets.
  let byteCount: Int

  /// Opens the stream files, and records damaged ones.
  init(_ trace: CTFTrace, _ metadata: CTFMetadata, _ ledger: SourceLedger) {
    environment = metadata.environment
    folder = trace.folders[0]
    let streams = Self.grouped(Self.files(of: trace, metadata, ledger)).compactMap { files in
      files[0].streamID.flatMap { metadata.streams[$0] }.map { EventStream(files, $0) }
    }
    byteCount = streams.reduce(0) { $0 + $1.byteCount }
    self.streams = streams
  }

  private static func files(
    of trace: CTFTrace, _ metadata: CTFMetadata, _ ledger: SourceLedger
  ) -> [StreamFile] {
    var files: [StreamFile] = []
    for folder in trace.folders {
      do {
        for name in try StreamFile.names(inFolder: folder) {
          let file = try StreamFile("\(folder)/\(name)", metadata)
          if !file.isWhole {
            let starts = (try? PacketStarts(file.path).count) ?? 0
            ledger.addProblem(
              "\(LogText.quoted(file.path)) is damaged: of its \(starts.counted("packet")) the "
                + "first \(file.packets.count) could be read")
          }
          if !file.packets.isEmpty { files.append(file) }
        }
      } catch {
        ledger.addProblem(
          "the trace in \(LogText.quoted(folder)) could not be opened: \(error.reason.sentence)")
      }
    }
    return files
  }

  /// Groups files of the same stream, such as the chunks of a rotated session.
  private static func grouped(_ files: [StreamFile]) -> [[StreamFile]] {
    var groups: [[StreamFile]] = []
    for file in files {
      let index = groups.firstIndex {
        file.instanceID != nil && $0[0].instanceID == file.instanceID
          && $0[0].streamID == file.streamID
      }
      if let index { groups[index].append(file) } else { groups.append([file]) }
    }
    return groups.enumerated().sorted { one, other in
      let (left, right) = (one.element[0], other.element[0])
      return (left.streamID ?? 0, left.instanceID ?? 0, one.offset)
        < (right.streamID ?? 0, right.instanceID ?? 0, other.offset)
    }.map(\.element)
  }

  /// Fills a batch with the next events.
  func fill(_ batch: EventBatch) {
    if !isBegun {
      streams.removeAll { !advance($0, batch) }
      isBegun = true
    }
    while !batch.isFull, let (index, limit, limitIndex) = earliest() {
      let stream = streams[index]
      var isOpen = true
      repeat {
        decodeEvent(of: stream, batch)
        isOpen = advance(stream, batch)
      } while isOpen && !batch.isFull && (stream.order, index) < (limit, limitIndex)
      if !isOpen { streams.remove(at: index) }
    }
    batch.isLast = streams.isEmpty
  }

  /// The stream with the earliest event, and the event of another one that it must not pass.
  private func earliest() -> (index: Int, limit: Int64, limitIndex: Int)? {
    guard !streams.isEmpty else { return nil }
    var first = 0
    var (limit, limitIndex) = (Int64.max, Int.max)
    for index in streams.indices.dropFirst() {
      if streams[index].order < streams[first].order {
        (limit, limitIndex) = (streams[first].order, first)
        first = index
      } else if streams[index].order < limit {
        (limit, limitIndex) = (streams[index].order, index)
      }
    }
    return (first, limit, limitIndex)
  }

  /// Moves a stream to its next event, and records events that were lost before it.
  @inline(__always)
  private func advance(_ stream: EventStream, _ batch: EventBatch) -> Bool {
    let bytesRead = stream.bytesRead
    let isOpen = stream.advance()
    if stream.bytesRead != bytesRead || !isOpen {
      batch.bytesBegun += stream.bytesRead - bytesRead
      recordLosses(of: stream, batch.ledger)
    }
    return isOpen
  }

  private func recordLosses(of stream: EventStream, _ ledger: SourceLedger) {
    ledger.countLost(stream.eventsLost)
    stream.eventsLost = 0
    let name = LogText.quoted(folder)
    if stream.hasLostPackets {
      ledger.addProblem(
        "the trace in \(name) lost whole packets, each of many events; record again with more or "
          + "larger buffers")
    }
    if let reason = stream.clockDamage {
      ledger.addProblem(
        "the trace in \(name) is damaged, the times of its events cannot be right: \(reason)")
    }
    switch stream.damage {
    case .data(let reason):
      ledger.addProblem(
        "the trace in \(name) is damaged, its events after that place were not read: \(reason)")
    case .system(let reason):
      ledger.addProblem("the trace in \(name) was not read to its end: \(reason)")
    case nil: break
    }
  }

  // MARK: - Events

  /// Makes a value of the next event of a stream, if that is possible.
  @inline(__always)
  private func decodeEvent(of stream: EventStream, _ batch: EventBatch) {
    stream.eventClass?._withUnsafeGuaranteedRef { decode($0, of: stream, batch) }
  }

  private func decode(_ eventClass: EventClass, of stream: EventStream, _ batch: EventBatch) {
    guard let contexts = eventClass.contexts.values(at: &stream.position, to: stream.end) else {
      return stream.cut()
    }
    guard let kind = eventClass.kind, eventClass.hasPayload, let time = stream.time else {
      return skip(stream, eventClass, nil, batch)
    }
    let payload = stream.position
    do throws(EventFieldError) {
      if let rest = eventClass.stepsBehindKnown {
        var fields = InOrderFieldReader(payload, to: stream.end, strings: strings)
        let contextID = fields.uint64("context_id")
        let event = try StoreEvent(kind, from: &fields)
        guard !fields.isCut, pass(rest, from: fields.position, in: stream) else {
          return stream.cut()
        }
        batch.append(record(contextID, event, contexts, time))
      } else {
        guard
          var fields = ByNameFieldReader(
            eventClass.payload, at: payload, to: stream.end, strings: strings)
        else { return stream.cut() }
        let contextID = try fields.uint64("context_id")
        let event = try StoreEvent(kind, from: &fields)
        stream.position = fields.end
        // From this member on, the members are read one by one.
        if fields.isInOrder {
          eventClass.stepsBehindKnown = eventClass.payload.steps(from: fields.requestCount)
        }
        batch.append(record(contextID, event, contexts, time))
      }
    } catch {
      stream.position = payload
      skip(stream, eventClass, error.sentence, batch)
    }
  }

  @inline(__always)
  private func record(
    _ contextID: UInt64, _ event: StoreEvent, _ contexts: ContextValues, _ time: Int64
  ) -> EventRecord {
    var process = processes.process(contexts, in: environment)
    if event.mayNameProcess, let name = event.processName {
      process = processes.rename(process, to: name)
    }
    return EventRecord(
      timestamp: time, process: process, threadID: contexts.threadID ?? process.id,
      contextID: contextID, event: event)
  }

  @inline(__always)
  private func pass(
    _ steps: [FieldStep], from position: UnsafeRawPointer, in stream: EventStream
  ) -> Bool {
    stream.position = position
    guard !steps.isEmpty else { return true }
    guard let next = steps.end(from: position, to: stream.end) else { return false }
    stream.position = next
    return true
  }

  /// Steps over the payload of an event of which no value is made.
  private func skip(
    _ stream: EventStream, _ eventClass: EventClass, _ reason: String?, _ batch: EventBatch
  ) {
    guard pass(eventClass.steps, from: stream.position, in: stream) else {
      return stream.cut()
    }
    let fact =
      eventClass.kind == nil
      ? "not of this vocabulary" : stream.time == nil ? "no timestamp" : "no fields"
    batch.ledger.countUnrecognized("\(eventClass.name): \(reason ?? fact)")
  }
}

extension EventStream {
  /// The position of the next event among other streams' events.
  fileprivate var order: Int64 { time ?? .min }
}

extension EventFieldError {
  /// The fact as text after the event's name.
  package var sentence: String {
    switch self {
    case .missing(let field): "field '\(field)' is missing"
    case .malformed(let field, let value): "field '\(field)' cannot be '\(value)'"
    case .unknownEvent(let name): "event '\(name)' is unknown"
    }
  }
}

extension StoreEvent {
  @inline(__always)
  fileprivate var mayNameProcess: Bool {
    switch self {
    case .storeOpened, .connectionOpened: true
    default: false
    }
  }

  /// The name of its process, if the event contains it.
  package var processName: String? {
    let name =
      switch self {
      case .storeOpened(let event): event.processName
      case .connectionOpened(let event): event.processName
      default: ""
      }
    return name.isEmpty ? nil : name
  }
}
