// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import QueryPlans
import StoreEvents
import TraceAnalysis
import TraceReading

/// A failure that has its sentence and its exit code.
struct Failure: Error {
  var message: String
  var status: ExitCode
  /// Whether an input was read whole, and holds no events.
  var isOfNoEvents = false

  init(_ message: String, status: ExitCode = ExitStatus.failed) {
    self.message = message
    self.status = status
  }

  init(_ error: TraceReadingError) {
    let status =
      switch error {
      case .empty, .beingRecorded: ExitStatus.inconclusive
      case .interrupted: ExitStatus.interrupted
      case .noSuchInput, .unknownKind, .folderWithoutTrace, .unreadable, .compressed, .database:
        ExitStatus.failed
      }
    if case .noSuchInput(let path) = error, let command = TraceReport.command(like: path) {
      self.init(
        "no such input \(LogText.quoted(path)), and no such command; did you mean "
          + "'trace-report \(command)'?")
    } else {
      self.init("\(error)", status: status)
    }
    if case .empty = error { isOfNoEvents = true }
  }

  /// Interrupted when there was nothing to tell yet.
  static func interrupted(before milestone: String) -> Self {
    Self("interrupted before \(milestone); nothing can be told", status: ExitStatus.interrupted)
  }

  /// The statements are not of the database that was given.
  static func otherDatabase(_ path: String, _ match: SchemaMatch) -> Self {
    Self(
      match.sentence(
        database: LogText.quoted(path), reason: LogText.escaped(match.reason ?? "")),
      status: ExitStatus.inconclusive)
  }

  /// Of a program that was recorded, or logged, from its beginning to its end.
  static func noEvents(from program: String, because reason: String) -> Self {
    Self(
      "no events of a store from '\(LogText.escaped(program))': it \(reason)",
      status: ExitStatus.inconclusive)
  }

  static func noEvents(_ paths: [String]) -> Self {
    Self(
      "no events of a store in \(paths.map(LogText.escaped).joined(separator: ", ")); "
        + "was STORE_SQL_DEBUG=1 set, or the recording running, when the program ran?",
      status: ExitStatus.inconclusive)
  }
}

extension Failure {
  /// A filter took none of the events.
  static func nothing(of conditions: [String], in paths: [String]) -> Self {
    Self(
      "nothing of \(paths.map(LogText.escaped).joined(separator: ", ")) is "
        + "\(conditions.map(LogText.escaped).joined(separator: ", ")); a summary without that shows "
        + "the names and times that there are",
      status: ExitStatus.inconclusive)
  }
}

extension Inputs {
  /// - Throws: ``Failure`` where nothing was read, or a filter left nothing of it.
  func check(_ profile: Profile) throws {
    if profile.isEmpty { throw Failure.noEvents(paths) }
    if profile.isFilteredAway { throw Failure.nothing(of: profile.selection, in: paths) }
  }
}
