// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import StoreEvents
import TraceReading

/// A failure that has its sentence and its exit code.
struct Failure: Error {
  var message: String
  var status: ExitCode

  init(_ message: String, status: ExitCode = ExitStatus.failed) {
    self.message = message
    self.status = status
  }

  init(_ error: TraceReadingError) {
    let status =
      switch error {
      case .empty, .beingRecorded: ExitStatus.inconclusive
      case .interrupted: ExitStatus.interrupted
      case .noSuchInput, .unknownKind, .unreadable, .compressed, .database: ExitStatus.failed
      }
    self.init("\(error)", status: status)
  }

  static func noEvents(_ paths: [String]) -> Self {
    Self(
      "no events of a store in \(paths.map(LogText.escaped).joined(separator: ", ")); "
        + "was STORE_SQL_DEBUG=1 set, or the recording running, when the program ran?",
      status: ExitStatus.inconclusive)
  }
}
