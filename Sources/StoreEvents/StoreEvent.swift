// SPDX-License-Identifier: Apache-2.0

extension StoreEvent {
  /// The event's name in the provider, such as `fetch_end`.
  public var name: String { kind.rawValue }

  /// The LTTng provider, and the prefix of every event name in a trace.
  public static let provider = "objectstore"

  /// The LTTng provider of the probe, which observes programs that do not use the store.
  public static let probeProvider = "sqliteprobe"

  /// The providers of events that a reader accepts.
  public static let providers = [provider, probeProvider]
}

/// The fields of one event, in the order in which they are written.
///
/// The same two methods serve the debug log and the CTF reader, so a field is named once.
public protocol EventPayload: Hashable, Sendable {
  /// Writes each field by its name on the wire.
  func write(to fields: inout some EventFieldWriter)

  /// Reads each field by its name on the wire.
  init(from fields: inout some EventFieldReader) throws(EventFieldError)
}

/// Takes the fields of an event one by one.
public protocol EventFieldWriter {
  mutating func field(_ name: StaticString, _ value: Int64)
  mutating func field(_ name: StaticString, _ value: UInt64)
  mutating func field(_ name: StaticString, _ value: String)
}

/// Returns the fields of an event one by one, in the order in which they were written.
public protocol EventFieldReader {
  mutating func int64(_ name: StaticString) throws(EventFieldError) -> Int64
  mutating func uint64(_ name: StaticString) throws(EventFieldError) -> UInt64
  mutating func string(_ name: StaticString) throws(EventFieldError) -> String
}

extension EventFieldReader {
  /// Reads a line of code, whose two fields stand one after the other.
  @inlinable
  mutating func sourceLocation(
    _ file: StaticString, _ line: StaticString
  ) throws(EventFieldError) -> SourceLocation {
    SourceLocation(file: try string(file), line: try uint64(line))
  }

  /// Reads a string that older versions did not write: "" if it is missing.
  @inlinable
  mutating func addedString(_ name: StaticString) throws(EventFieldError) -> String {
    do {
      return try string(name)
    } catch .missing {
      return ""
    }
  }

  /// Reads a number that older versions did not write: 0 if it is missing.
  @inlinable
  mutating func addedInt64(_ name: StaticString) throws(EventFieldError) -> Int64 {
    do {
      return try int64(name)
    } catch .missing {
      return 0
    }
  }

  /// Reads an identifier or a count that older versions did not write: 0 if it is missing.
  @inlinable
  mutating func addedUInt64(_ name: StaticString) throws(EventFieldError) -> UInt64 {
    do {
      return try uint64(name)
    } catch .missing {
      return 0
    }
  }
}

/// Why an event could not be read.
public enum EventFieldError: Error, Hashable, Sendable {
  case missing(field: String)
  case malformed(field: String, value: String)
  case unknownEvent(String)
}

/// A span of time in nanoseconds.
public typealias Nanoseconds = Int64
