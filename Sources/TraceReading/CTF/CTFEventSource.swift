// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The events of one trace that LTTng-UST wrote.
final class CTFEventSource: EventSource {
  private let decoder: CTFDecoder
  /// The thread that reads ahead, if one does.
  private var feed: EventFeed?
  /// The events that are read here, if the reading thread reads none.
  private let batch = EventBatch()
  private let ledger: SourceLedger
  private var bytesBegun = 0
  private var isAtEnd = false

  init(_ decoder: CTFDecoder, _ ledger: SourceLedger) {
    self.decoder = decoder
    self.ledger = ledger
  }

  deinit { feed?.stop() }

  func readAhead() {
    if feed == nil { feed = EventFeed(decoder) }
  }

  func extent(after elapsed: Nanoseconds) -> ReadingExtent? {
    ReadingExtent(read: Double(bytesBegun), all: Double(decoder.byteCount))
  }

  func readBatch(_ body: (EventRecord) throws -> Void) throws -> Bool {
    guard !isAtEnd else { return false }
    if let feed {
      let batch = feed.next()
      defer { feed.recycle(batch) }
      try read(batch, body)
    } else {
      batch.removeAll()
      decoder.fill(batch)
      try read(batch, body)
    }
    return !isAtEnd
  }

  private func read(_ batch: EventBatch, _ body: (EventRecord) throws -> Void) throws {
    isAtEnd = batch.isLast
    bytesBegun += batch.bytesBegun
    ledger.add(batch.ledger.report)
    while let record = batch.popFirst() {
      ledger.count(record)
      try body(record)
    }
  }
}
