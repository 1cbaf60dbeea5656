// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
import StoreEvents

/// Why a run was not replayed, or did something else than the recorded one.
public enum Divergence: Hashable, Sendable {
  /// Its text is not in the recording.
  case unknownText
  /// Its values were not recorded, or not completely.
  case unknownValues
  /// It ran on a database without a copy from the start of the recording.
  case unknownDatabase
  /// It failed in the recording, because of other connections or the machine: `SQLITE_BUSY`.
  case surroundings(String)
  /// It reaches a file that is not a copy, or loads code.
  case refused
  /// The program defines a function or a collation by this name; a read that calls it leaves the copies as they are.
  case programFunction(String, isRead: Bool)
  /// It calls a function whose result no replay can have again.
  case varies(String)
  case otherRows
  case otherChanges
  /// As many rows, with other values.
  case otherContents
  case otherError

  /// Whether it leaves the comparison of the other runs as it is: a statement that found a lock did nothing.
  public var isHarmless: Bool {
    switch self {
    case .surroundings(let code): code == "SQLITE_BUSY" || code == "SQLITE_LOCKED"
    case .programFunction(_, let isRead): isRead
    default: false
    }
  }

  /// The reason, as a noun phrase.
  public var reason: String {
    switch self {
    case .unknownText: "a statement whose text is not in the recording"
    case .unknownValues: "values that were not recorded whole; record with --replayable"
    case .unknownDatabase: "a database without a copy from the start; record with --replayable"
    case .surroundings(let code): "\(code) in the recording; left out"
    case .varies(let name): "\(name) has other values in each run"
    case .refused: "a file that is not a copy, or code that is loaded; refused"
    case .programFunction(let name, let isRead):
      "a function or collation that the program defines, \(name)" + (isRead ? "; left out" : "")
    case .otherRows: "another number of rows than in the recording"
    case .otherContents: "other values in its rows than in the recording"
    case .otherChanges: "another number of changed rows than in the recording"
    case .otherError: "another result code than in the recording"
    }
  }

  /// What keeps a run from being replayed; nil for one that can be.
  init?(before run: RecordedRun, hasConnection: Bool) {
    let code = ResultCode.recorded(run.event.error)
    if let code, ResultCode.isOfSurroundings(code) || run.interruption == 0 {
      self = .surroundings(code)
    } else if run.sql.isEmpty {
      self = .unknownText
    } else if !hasConnection {
      self = .unknownDatabase
    } else if run.event.bindHash != 0, run.values?.isWhole != true {
      self = .unknownValues
    } else {
      return nil
    }
  }

  /// What a replayed run did differently; nil where its counts, and its values if they are compared, are those of the
  /// recording.
  init?(_ outcome: RunOutcome, of run: RecordedRun, comparesContents: Bool) {
    let recorded = ResultCode.recorded(run.event.error)
    if outcome.error == "SQLITE_AUTH" {
      self = .refused
    } else if outcome.error != recorded {
      self =
        Self.missingName(in: outcome.message).map {
          .programFunction($0, isRead: run.event.isReadOnly != 0)
        } ?? .otherError
    } else if outcome.error != nil {
      return nil
    } else if outcome.rows != run.event.rows {
      self = Self.varyingFunction(in: run.sql).map(Self.varies) ?? .otherRows
    } else if outcome.changes != run.event.changes {
      self = Self.varyingFunction(in: run.sql).map(Self.varies) ?? .otherChanges
    } else if comparesContents, run.event.resultHash != 0, outcome.contents != run.event.resultHash
    {
      self = .otherContents
    } else {
      return nil
    }
  }

  /// `random()`, for example; the clock's functions have the recorded time.
  private static func varyingFunction(in sql: String) -> String? {
    let tokens = SQLTokenizer.tokens(of: sql)
    return Variation.randomFunctions.first { name in tokens.contains { $0.isWord(name) } }
      .map { $0.lowercased() + "()" }
  }

  /// Such as `upper2` of `no such function: upper2`.
  private static func missingName(in message: String) -> String? {
    for prefix in ["no such function: ", "no such collation sequence: ", "no such module: "]
    where message.hasPrefix(prefix) { return String(message.dropFirst(prefix.count)) }
    return nil
  }
}

/// Runs of one form that diverged for one reason.
public struct DivergentRuns: Sendable {
  public var divergence: Divergence
  public var form: SQLFingerprint
  public var runs: UInt64
  /// In the recording.
  public var vmSteps: UInt64 = 0
  /// SQLite's message at the first one, "" without an error; it may contain values.
  public var message: String
}
