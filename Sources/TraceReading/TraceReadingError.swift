// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The reason why an input could not be read.
public enum TraceReadingError: Error, Hashable, Sendable {
  case noSuchInput(String)
  /// Neither a CTF folder nor a log.
  case unknownKind(String)
  /// A folder of other files.
  case folderWithoutTrace(String)
  /// An input without a single event: an empty file, a trace of nothing, a folder without files.
  case empty(String)
  /// A trace without any written data yet.
  case beingRecorded(String)
  case unreadable(String, reason: String)
  /// Ended by a signal before anything of it came.
  case interrupted(String)
  /// Packed, by the program that `tool` unpacks.
  case compressed(String, tool: String)
  /// The file of an SQLite database.
  case database(String)
}

extension TraceReadingError: CustomStringConvertible {
  /// One sentence: the problem, and the advice.
  public var description: String {
    switch self {
    case .noSuchInput(let path):
      "no such input \(LogText.quoted(path)); pass a CTF folder, a debug log, or - for "
        + "standard input"
    case .unknownKind(let path):
      "\(LogText.quoted(path)) is neither a CTF folder (no 'metadata' file beneath it) nor a "
        + "log (no line of it is ObjectStore's, Core Data's, ActiveRecord's, Django's or "
        + "SQLAlchemy's); record one with 'trace-report record', or set STORE_SQL_DEBUG=1"
    case .folderWithoutTrace(let path):
      "\(LogText.quoted(path)) is a folder without a trace (no 'metadata' file beneath it); record "
        + "one with 'trace-report record', or name the logs in it"
    case .empty(let path):
      "\(LogText.quoted(path)) holds no events; check that the program ran a store while it was "
        + "traced"
    case .beingRecorded(let path):
      "\(LogText.quoted(path)) is still being recorded, and nothing of it is written yet; read it "
        + "when its program has ended"
    case .compressed(let path, let tool):
      "\(LogText.quoted(path)) is compressed; unpack it on the way: \(tool) FILE | trace-report "
        + "summary -"
    case .unreadable(let path, let reason):
      // The reason may contain text of the file.
      "cannot read \(LogText.quoted(path)): \(LogText.escaped(reason))"
    case .interrupted(let path):
      "reading \(LogText.quoted(path)) was interrupted before any data arrived"
    case .database(let path):
      "\(LogText.quoted(path)) is an SQLite database, not a trace of its use; pass it with "
        + "--database, together with the trace or log of its program"
    }
  }
}
