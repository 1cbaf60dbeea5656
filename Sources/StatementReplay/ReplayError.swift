// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Why a trace cannot be replayed.
public enum ReplayError: Error, Hashable {
  case library(String, reason: String)
  /// A database file, or a copy of one, could not be used.
  case database(String, reason: String)
  /// No recorded database is the one that was passed.
  case unknownDatabase(String, recorded: [String])
  /// A changed statement, PRAGMA or schema failed.
  case change(String, reason: String)
  case noRuns
  /// A copy could not be written during the replay.
  case noRoom(reason: String)
  case interrupted
}

extension ReplayError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .library(let path, let reason):
      "cannot load \(LogText.quoted(path)) as SQLite's library: \(LogText.escaped(reason))"
    case .database(let path, let reason):
      "cannot copy the database \(LogText.quoted(path)): \(LogText.escaped(reason))"
    case .unknownDatabase(let path, let recorded) where recorded.isEmpty:
      "the trace has no database file that \(LogText.quoted(path)) could be"
    case .unknownDatabase(let path, let recorded):
      """
      \(LogText.quoted(path)) is none of the recorded databases, which are \
      \(recorded.map { LogText.quoted($0) }.joined(separator: ", ")); the copy needs the same file name
      """
    case .change(let sql, let reason):
      "\(LogText.quoted(sql)) failed: \(LogText.escaped(reason))"
    case .noRuns:
      """
      the trace has no statements to replay; record them with 'trace-report record --replayable \
      DATABASE -- PROGRAM'
      """
    case .noRoom(let reason):
      """
      a copy cannot be written: \(LogText.escaped(reason)); set TMPDIR to a folder with more room
      """
    case .interrupted: "interrupted before the end of the trace"
    }
  }
}
