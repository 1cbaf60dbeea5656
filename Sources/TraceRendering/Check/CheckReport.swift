// SPDX-License-Identifier: Apache-2.0

public import DatabaseLocks
public import QueryPlans
import StoreEvents

/// The results of `check` for a database file and the files beside it.
public struct CheckReport: Sendable {
  public var facts: FileFacts
  /// The programs that have it open, and the hazards.
  public var users: [LockingProcess]
  public var hazards: [Hazard]
  /// nil if the checks could not run.
  public var check: DatabaseCheck?
  /// Why they could not.
  public var failure: String?

  public init(
    _ facts: FileFacts, _ state: LockSample?, check: DatabaseCheck?, failure: String?
  ) {
    self.facts = facts
    users = state?.users ?? []
    hazards = state?.hazards ?? []
    self.check = check
    self.failure = failure
  }

  public enum Verdict: String, Sendable { case sound, damaged, inconclusive }

  /// Damaged files are damaged, also if not everything could be checked.
  public var verdict: Verdict {
    if !problems.isEmpty { return .damaged }
    return check == nil ? .inconclusive : .sound
  }

  /// The problems: a kind, and a sentence.
  public var problems: [(kind: String, sentence: String)] {
    var problems: [(String, String)] = []
    if facts.journalMode == .unknown {
      problems.append(
        ("noDatabase", "The file does not begin as an SQLite database, or is encrypted."))
    }
    if let sentence = truncation { problems.append(("truncated", sentence)) }
    if let log = facts.log, log.isLog, log.pageSize != facts.pageSize, facts.bytes > 0 {
      problems.append(
        (
          "foreignLog",
          "The log has pages of \(log.pageSize) bytes, and the database of \(facts.pageSize): it belongs "
            + "to another database. Move the log to another folder; do not delete it."
        ))
    }
    if let log = facts.log, log.lostTransactions > 0 {
      problems.append(
        (
          "damagedLog",
          "The log is damaged after frame \(UInt64(log.frames).grouped): the next connection discards the "
            + "\(log.lostTransactions.counted("transaction")) after it. Copy the log before a program opens the "
            + "database."
        ))
    }
    problems += (check?.damage ?? []).map { ("integrity", $0) }
    problems += (check?.foreignKeys ?? []).map {
      (
        "foreignKeys",
        "\($0.rows.counted("row")) of \($0.table) refer\($0.rows == 1 ? "s" : "") to a row of "
          + "\($0.parent) that does not exist"
      )
    }
    problems += hazards.filter { $0.severity == .warning && $0 != .noDatabase && !$0.isHotJournal }
      .map { ($0.kind, $0.description) }
    return problems
  }

  private var truncation: String? {
    guard let expected = facts.expectedBytes, facts.bytes < expected else { return nil }
    // A log may have the pages that are missing in the file.
    if let log = facts.log, log.isLog, log.frames > 0 { return nil }
    let missing = expected - facts.bytes
    let pages = (missing + UInt64(facts.pageSize) - 1) / UInt64(facts.pageSize)
    return
      "The file is cut: its header has \(expected.grouped) bytes, \(pages.counted("page")) are missing."
      + (lacksLog ? " If it is a copy, they may be in the log of the original." : "")
  }

  /// Whether the file is in WAL mode and has no log beside it.
  private var lacksLog: Bool { facts.journalMode == .wal && facts.log == nil }

  /// Facts of interest that are not problems.
  public var remarks: [String] {
    var remarks: [String] = []
    if let log = facts.log, log.frames > 0 {
      let start = users.isEmpty ? "The next connection recovers" : "The log has"
      remarks.append(
        "\(start) \(log.transactions.counted("transaction")) (\(UInt64(log.frames).grouped) frames) "
          + "\(users.isEmpty ? "from the log" : "in use"). A copy of the database file alone lacks those that "
          + "are not checkpointed.")
    }
    if let log = facts.log, log.bytes > 0, !log.isLog {
      remarks.append("The file '-wal' is no log: the next connection ignores it.")
    }
    if facts.journal?.isInUse == true, users.isEmpty {
      remarks.append(
        "The journal is hot: a program ended within a transaction, and the next connection rolls it back. "
          + "The checks ran on a copy that was rolled back. Keep both files together.")
    }
    if lacksLog, users.isEmpty {
      remarks.append(
        "The database is in WAL mode and has no log, which is normal after the last connection was "
          + "closed. If this file is a copy, the last commits may be in the log of the original."
      )
    }
    if let pages = facts.pages, pages > 0, facts.freePages > pages / 4 {
      remarks.append(
        "\(UInt64(facts.freePages).grouped) of \(UInt64(pages).grouped) pages are free: VACUUM shrinks the "
          + "file.")
    }
    remarks += hazards.filter { $0.severity == .note }.map(\.description)
    if !users.isEmpty {
      remarks.append(
        "A backup of a database in use: sqlite3 FILE '.backup COPY', or VACUUM INTO 'COPY'; not cp."
      )
    }
    return remarks
  }

  /// One sentence.
  public var headline: String {
    switch verdict {
    case .sound: "sound"
    case .damaged: problems.count.counted("problem")
    case .inconclusive: "not checked"
    }
  }
}

extension Hazard {
  fileprivate var isHotJournal: Bool { if case .hotJournal = self { true } else { false } }
}
