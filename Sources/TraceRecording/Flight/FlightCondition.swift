// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// A condition under which a flight recorder takes a snapshot.
///
///     statement > 100ms     a statement took longer in SQLite
///     save > 1s             a save took longer, waiting included
///     transaction > 1s      a transaction was open for longer
///     busy                  a connection waited for a lock, or was refused it
///     busy > 50ms           it waited for longer
///     locked                a statement failed with SQLITE_BUSY
///     error                 a statement, a fetch or a save failed
///     corrupt               a statement failed because the file is damaged
///     hazard                a program endangered the file of a database that it has open
///     fault storm           1,000 faults read the database within a second
///     fault storm > 200     so many did
public struct FlightCondition: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case statement(longerThan: Nanoseconds)
    case save(longerThan: Nanoseconds)
    case transaction(longerThan: Nanoseconds)
    /// -1 for a wait of any length.
    case busy(longerThan: Nanoseconds)
    case locked
    case error
    case corrupt
    case hazard
    case faultStorm(moreThan: UInt64)
  }

  public var kind: Kind
  /// As the user wrote it.
  public var text: String

  /// Reads a condition; nil if it is none.
  public init?(_ text: String) {
    let sides = text.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
    let name = sides[0].split(separator: " ").joined(separator: " ").lowercased()
    let limit = sides.count > 1 ? sides[1].filter { $0 != " " } : nil
    self.text = name + (limit.map { " > \($0)" } ?? "")
    let time = limit.flatMap(Self.nanoseconds)
    switch (name, limit, time) {
    case ("statement", _?, let time?): kind = .statement(longerThan: time)
    case ("save", _?, let time?): kind = .save(longerThan: time)
    case ("transaction", _?, let time?): kind = .transaction(longerThan: time)
    case ("busy", _?, let time?): kind = .busy(longerThan: time)
    case ("busy", nil, _): kind = .busy(longerThan: -1)
    case ("locked", nil, _): kind = .locked
    case ("error", nil, _): kind = .error
    case ("corrupt", nil, _): kind = .corrupt
    case ("hazard", nil, _): kind = .hazard
    case ("fault storm", nil, _): kind = .faultStorm(moreThan: 999)
    case ("fault storm", let limit?, _):
      guard let count = UInt64(limit), (1...1_000_000_000).contains(count) else { return nil }
      kind = .faultStorm(moreThan: count)
    default: return nil
    }
  }

  /// `100ms`, `1.5s`; nil without a unit, below 1 µs, or above an hour.
  private static func nanoseconds(_ text: String) -> Nanoseconds? {
    for (unit, factor) in [("ms", 1e6), ("us", 1e3), ("µs", 1e3), ("s", 1e9)]
    where text.hasSuffix(unit) {
      guard let number = Double(text.dropLast(unit.count)) else { return nil }
      let value = (number * factor).rounded()
      return (1e3...3.6e12).contains(value) ? Nanoseconds(value) : nil
    }
    return nil
  }

  /// The forms that users may write, for help and errors.
  public static let forms =
    "'statement > 100ms', 'save > 1s', 'transaction > 1s', 'busy', 'busy > 50ms', 'locked', "
    + "'error', 'corrupt', 'hazard', 'fault storm', 'fault storm > 200'"
}

extension FlightCondition {
  /// Whether an event meets the condition; of a storm, whether it is one of its faults.
  public func matches(_ event: StoreEvent) -> Bool {
    switch (kind, event) {
    case (.statement(let limit), .statementRun(let run)): run.stepTime > limit
    case (.statement(let limit), .fetchEnd(let fetch)): fetch.connectionTime > limit
    case (.save(let limit), .saveEnd(let save)): save.totalTime > limit
    case (.transaction(let limit), .transaction(let transaction)): transaction.totalTime > limit
    case (.busy(let limit), .busy(let wait)): wait.waitTime > limit
    case (.locked, .busy(let wait)): wait.gaveUp != 0
    case (.error, .statementRun(let run)): !run.error.isEmpty
    case (.error, .fetchEnd(let fetch)): !fetch.error.isEmpty
    case (.error, .saveEnd(let save)): !save.error.isEmpty
    case (.corrupt, .statementRun(let run)): Self.isFromFile(run.error)
    case (.corrupt, .fetchEnd(let fetch)): Self.isFromFile(fetch.error)
    case (.corrupt, .saveEnd(let save)): Self.isFromFile(save.error)
    case (.hazard, .databaseFileTouched(let touch)):
      touch.operation != "close" || touch.file == "database" || touch.file == "shm"
    case (.faultStorm, .cacheMiss): true
    default: false
    }
  }

  /// LTTng's rules for the same: an event and a filter each.
  var rules: [(event: String, filter: String)] {
    switch kind {
    case .statement(let limit):
      [
        ("sqliteprobe:statement_run", "step_ns > \(limit)"),
        ("objectstore:fetch_end", "connection_ns > \(limit)"),
      ]
    case .save(let limit): [("objectstore:save_end", "total_ns > \(limit)")]
    case .transaction(let limit): Self.ofBoth("transaction", "total_ns > \(limit)")
    case .busy(let limit): Self.ofBoth("busy", "wait_ns > \(limit)")
    case .locked: Self.ofBoth("busy", "gave_up == 1")
    case .error:
      [
        ("sqliteprobe:statement_run", "error != \"\""), ("objectstore:fetch_end", "error != \"\""),
        ("objectstore:save_end", "error != \"\""),
      ]
    case .corrupt:
      [
        ("sqliteprobe:statement_run", Self.filterOfFile),
        ("objectstore:fetch_end", Self.filterOfFile),
        ("objectstore:save_end", Self.filterOfFile),
      ]
    case .hazard:
      [
        (
          "sqliteprobe:database_file_touched",
          "(operation != \"close\" || file == \"database\" || file == \"shm\")"
        )
      ]
    case .faultStorm:
      // Each match costs the program a message to the daemon. Of a time in ns the last bits are as
      // good as random: one miss in 16 is reported.
      [("objectstore:cache_miss", "(duration_ns & 15) == 0")]
    }
  }

  /// The errors of a damaged file; an error of the store has SQLite's text alone.
  private static let errorsOfFile = ["SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR"]

  private static func isFromFile(_ error: String) -> Bool {
    errorsOfFile.contains { error.contains($0) }
  }

  private static let filterOfFile =
    "(" + errorsOfFile.map { "error == \"*\($0)*\"" }.joined(separator: " || ") + ")"

  /// How many matches of a rule make the condition worth a snapshot.
  var occurrences: UInt64 {
    guard case .faultStorm(let limit) = kind else { return 1 }
    return max(1, limit / 16)
  }

  private static func ofBoth(_ event: String, _ filter: String) -> [(String, String)] {
    StoreEvent.providers.map { ("\($0):\(event)", filter) }
  }
}
