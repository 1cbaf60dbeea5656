// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DatabaseLocks
import Glibc
import QueryPlans
import SQLiteDriver
import StatementReplay
import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRecording
import TraceRendering

/// A failure with its message and its exit code.
struct Failure: Error {
  var message: String
  var status: ExitCode
  /// Whether an input was read completely and contains no events.
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
    } else if case .unknownKind(let path) = error, path != "-",
      (try? PlanTexts.listings(in: path)) != nil
    {
      self.init(
        "\(LogText.quoted(path)) is a plan as text, which has no runs; read it with 'trace-report "
          + "plans'")
    } else {
      self.init("\(error)", status: status)
    }
    if case .empty = error { isOfNoEvents = true }
  }

  init(_ error: SavedReportError) {
    let status = if case .damaged = error { ExitStatus.inconclusive } else { ExitStatus.failed }
    self.init("\(error)", status: status)
  }

  /// The failure of an error of any library; others stay, such as those of the command line.
  static func of(_ error: any Error) -> any Error {
    switch error {
    case let error as TraceReadingError: Self(error)
    case let error as SavedReportError: Self(error)
    case is DoubleCounting, is BaselineError, ReplayError.noRuns:
      Self("\(error)", status: ExitStatus.inconclusive)
    case is RecordingError, is ReplayError, is ExceptionFileError: Self("\(error)")
    case is InspectionError, is LocksError: Self(LogText.escaped("\(error)"))
    case let error as OrderingError: Self(LogText.escaped("\(error)"), status: error.status)
    case let error as AdviceError: Self(LogText.escaped("\(error)"), status: error.status)
    default: error
    }
  }

  /// Neither a database nor the input has the plans.
  static func noPlan(_ path: String) -> Self {
    Self(
      "\(LogText.quoted(path)) has no plans; pass the program's database: --database FILE",
      status: .validationFailure)
  }

  /// Interrupted before there was anything to report.
  static func interrupted(before milestone: String) -> Self {
    Self("interrupted before \(milestone); nothing to report", status: ExitStatus.interrupted)
  }

  /// The statements do not belong to the database of `--database`.
  static func otherDatabase(_ path: String, _ match: SchemaMatch) -> Self {
    let sentence = match.sentence(
      database: LogText.quoted(path), reason: LogText.escaped(match.reason ?? ""))
    // A copy of a database in use has lost the pages that are only in the log.
    let log = LogText.quoted("\(path)-wal")
    return Self(
      sentence + (lacksLog(path) ? "; copy its write-ahead log, \(log), with it" : ""),
      status: ExitStatus.inconclusive)
  }

  /// Whether a database is in WAL mode and has no log beside it.
  private static func lacksLog(_ path: String) -> Bool {
    guard access("\(path)-wal", F_OK) != 0, let file = fopen(path, "re") else { return false }
    defer { fclose(file) }
    var header = [UInt8](repeating: 0, count: 20)
    // Bytes 18 and 19 are the versions of the format: 2 for WAL.
    return fread(&header, 1, header.count, file) == header.count && header[18] == 2
  }

  /// For a program that was recorded or logged from its start to its end.
  static func noEvents(from program: String, because reason: String) -> Self {
    Self(
      "no events from '\(LogText.escaped(program))': it \(reason)",
      status: ExitStatus.inconclusive)
  }

  static func noEvents(_ paths: [String]) -> Self {
    Self(
      "no events in \(paths.map(LogText.escaped).joined(separator: ", ")); "
        + "was STORE_SQL_DEBUG=1 set, or the recording running, when the program ran?",
      status: ExitStatus.inconclusive)
  }
}

extension AdviceError {
  fileprivate var status: ExitCode {
    if case .noSpace = self { ExitStatus.failed } else { ExitStatus.inconclusive }
  }
}

extension OrderingError {
  /// A statement that cannot be compared is inconclusive; wrong arguments are a failure.
  fileprivate var status: ExitCode {
    switch self {
    case .wrongValueCount, .malformedValue, .notASelect: ExitStatus.failed
    default: ExitStatus.inconclusive
    }
  }
}

extension Failure {
  /// An export needs dates, and the input has none.
  static func noDates(_ path: String) -> Self {
    Self(
      "\(LogText.quoted(path)) has no dates, which OTLP needs for each span and metric; "
        + "export it with --format csv, openmetrics or rows",
      status: ExitStatus.inconclusive)
  }

  /// No event passes a filter; `entities` are the names that exist.
  static func nothing(of conditions: [String], in paths: [String], entities: [String]) -> Self {
    let paths = paths.map(LogText.escaped).joined(separator: ", ")
    let conditions = conditions.map(LogText.escaped).joined(separator: ", ")
    let names = entities.map(LogText.escaped).joined(separator: ", ")
    return Self(
      "no events in \(paths) match \(conditions); "
        + (names.isEmpty
          ? "run summary without a filter to list the names" : "entities here: \(names)"),
      status: ExitStatus.inconclusive)
  }
}

extension Inputs {
  /// - Throws: ``Failure`` if nothing was read, or if no event passed the filter.
  func check(_ profile: Profile) throws {
    if profile.isEmpty { throw Failure.noEvents(paths) }
    if profile.isFilteredAway {
      throw Failure.nothing(of: profile.selection, in: paths, entities: entities)
    }
  }

  // 20 is arbitrary: enough names to find a typing error.
  private static let maxEntities = 20

  /// The entities of the inputs without a filter, read again; empty for standard input.
  var entities: [String] {
    guard !paths.contains("-"), let profile = try? Self.profile(of: paths) else { return [] }
    return profile.entities.prefix(Self.maxEntities).map(\.name)
  }
}
