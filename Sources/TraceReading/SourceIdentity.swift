// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The identity that finds the events of a recording again in a copy, a log or a saved report of
/// it.
public struct SourceIdentity: Hashable, Sendable, Codable {
  /// Sixteen hexadecimal digits: a hash of when and where each event happened.
  public var id: String
  /// The timestamp of the earliest event; 0 where no event has a date.
  public var first: Nanoseconds
  /// The timestamp of the latest event; 0 where no event has a date.
  public var last: Nanoseconds

  /// Whether an event of the input has a date.
  public var isDated: Bool { first != 0 || last != 0 }
}

/// The identity of an input while it is read.
struct IdentityTally {
  private var sum: UInt64 = 0
  private var count: UInt64 = 0
  private var first = Nanoseconds.max
  private var last = Nanoseconds.min
  /// The host of the event before; its hash is not computed again.
  private var host = ""
  private var hostHash = StatementID(sql: "").rawValue

  mutating func add(_ record: EventRecord) {
    if record.process.host != host {
      host = record.process.host
      hostHash = StatementID(sql: host).rawValue
    }
    var hash = UInt64(bitPattern: record.timestamp) &* 0x9e37_79b9_7f4a_7c15
    hash ^= UInt64(bitPattern: record.process.id) &* 0xc2b2_ae3d_27d4_eb4f
    hash ^= UInt64(bitPattern: record.threadID) &* 0x1656_67b1_9e37_79f9
    hash ^= record.contextID ^ hostHash
    sum &+= (hash ^ hash >> 31) &* 0x9e37_79b9_7f4a_7c15
    count &+= 1
    guard record.measures.contains(.timeOfDay) else { return }
    first = min(first, record.timestamp)
    last = max(last, record.timestamp)
  }

  /// The identity of the events; nil without events.
  var identity: SourceIdentity? {
    guard count > 0 else { return nil }
    let hash = (sum ^ count ^ sum >> 32) &* 0x9e37_79b9_7f4a_7c15
    let isDated = first <= last
    return SourceIdentity(
      id: ContentHash.text(hash ^ hash >> 32), first: isDated ? first : 0,
      last: isDated ? last : 0)
  }
}
