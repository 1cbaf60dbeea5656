// SPDX-License-Identifier: Apache-2.0

public import DatabaseLocks

/// `check --json`, version 1.
public struct CheckV1: Codable, Hashable, Sendable {
  public var schemaVersion = 1
  public var database: String
  /// `sound`, `damaged` or `inconclusive`.
  public var verdict: String
  public var problems: [Problem]
  public var remarks: [String]
  /// Why SQLite's checks could not run.
  public var failure: String?
  public var bytes: UInt64
  /// `wal`, `rollback`, `empty` or `unknown`.
  public var journalMode: String
  public var pageSize: Int
  /// As the header has it; null if the last writer did not set it.
  public var pages: UInt32?
  public var freePages: UInt32
  /// The version of SQLite that wrote last.
  public var writtenBy: String?
  public var log: Log?
  public var journal: FileFacts.JournalFacts?
  /// The processes that have the database open, as far as they may be seen.
  public var users: [LocksV1.Process]

  public struct Problem: Codable, Hashable, Sendable {
    /// `integrity`, `foreignKeys`, `truncated`, `noDatabase`, `foreignLog`, `damagedLog`, or a kind of
    /// `locks --json`.
    public var kind: String
    public var sentence: String
  }

  public struct Log: Codable, Hashable, Sendable {
    public var bytes: UInt64
    /// The frames that the next connection recovers.
    public var frames: UInt32
    public var transactions: UInt64
    public var pages: UInt32
    /// Transactions behind a damaged frame.
    public var lostTransactions: UInt64
  }

  public init(_ report: CheckReport) {
    let facts = report.facts
    database = facts.path
    verdict = report.verdict.rawValue
    problems = report.problems.map { Problem(kind: $0.kind, sentence: $0.sentence) }
    remarks = report.remarks
    failure = report.failure
    bytes = facts.bytes
    journalMode = facts.journalMode.rawValue
    pageSize = facts.pageSize
    pages = facts.pages
    freePages = facts.freePages
    writtenBy = facts.writtenBy
    log = facts.log.map {
      Log(
        bytes: $0.bytes, frames: $0.frames, transactions: $0.transactions, pages: $0.pages,
        lostTransactions: $0.lostTransactions)
    }
    journal = facts.journal
    users = report.users.map(LocksV1.Process.init)
  }
}
