// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Fetches of a stream that have begun and not ended.
struct PendingFetches {
  struct Fetch {
    var timestamp: Nanoseconds
    var location: SourceLocation
  }

  private struct Key: Hashable {
    var pid: Int64
    var host: String
    var fetch: UInt64
  }

  private var fetches: [Key: Fetch] = [:]
  // 100,000 is far above the number that runs at once, and bounds the cost of fetches without an
  // end.
  private static let maxFetches = 100_000

  mutating func begin(_ fetch: FetchBegin, of record: EventRecord) {
    if fetches.count >= Self.maxFetches { fetches.removeAll() }
    let key = Key(pid: record.process.id, host: record.process.host, fetch: fetch.fetchID)
    fetches[key] = Fetch(timestamp: record.timestamp, location: fetch.location)
  }

  mutating func end(_ fetch: FetchEnd, of record: EventRecord) -> Fetch? {
    fetches.removeValue(
      forKey: Key(pid: record.process.id, host: record.process.host, fetch: fetch.fetchID))
  }
}
