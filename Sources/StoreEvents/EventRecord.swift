// SPDX-License-Identifier: Apache-2.0

/// An event with the location and the moment it happened, as a trace or a log holds it.
public struct EventRecord: Hashable, Sendable {
  /// Nanoseconds since 1970-01-01 00:00 UTC.
  public var timestamp: Nanoseconds
  public var process: ProcessIdentity
  public var threadID: Int64
  public var contextID: UInt64
  public var event: StoreEvent
  /// The measures that its source has; an event of another kind than a fetch has fewer of them.
  public var measures: Measures

  public init(
    timestamp: Nanoseconds, process: ProcessIdentity, threadID: Int64, contextID: UInt64,
    event: StoreEvent, measures: Measures = .all
  ) {
    self.timestamp = timestamp
    self.process = process
    self.threadID = threadID
    self.contextID = contextID
    self.event = event
    self.measures = measures
  }
}

extension EventRecord {
  /// A count or a time of the event; nil where its source does not have it.
  package func known<Value: FixedWidthInteger>(_ value: Value, _ measure: Measures) -> Value? {
    value != 0 && measure != .timeOfDay || measures.contains(measure) ? value : nil
  }
}

/// The process that emitted an event; fetch and save ids are unique within it.
public struct ProcessIdentity: Hashable, Sendable, Codable {
  public var id: Int64
  public var name: String
  /// The host's name, or "" where the source does not contain it.
  public var host: String

  public init(id: Int64, name: String, host: String = "") {
    self.id = id
    self.name = name
    self.host = host
  }
}

/// The line of the user's code that requested a fetch or a save.
public struct SourceLocation: Hashable, Sendable, Codable {
  /// `#fileID`: module and file, such as `transit/Search.swift`; "" when unknown.
  public var file: String
  public var line: UInt64

  public init(file: String, line: UInt64) {
    self.file = file
    self.line = line
  }

  public static let unknown = SourceLocation(file: "", line: 0)
}

/// The 64-bit FNV-1a hash of a statement's SQL text: equal in every process and every run.
///
/// See <http://www.isthe.com/chongo/tech/comp/fnv/>.
public struct StatementID: RawRepresentable, Hashable, Sendable {
  public var rawValue: UInt64

  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Hashes the UTF-8 bytes of an SQL text.
  public init(sql: String) {
    var sql = sql
    rawValue = sql.withUTF8 { bytes in
      bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
  }
}
