// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The lock waits between connections to one database, with their holders and causes.
public struct LockProfile: Hashable, Sendable, Codable {
  /// By failures, then by waits, most first.
  public var waits: [LockWait] = []
  /// Statements that failed at once because their transaction had read before it wrote.
  public var upgrades: [LockSite] = []
  /// Statements that failed at once, without a second attempt.
  public var refusals: [LockSite] = []
  /// Statements that failed with SQLITE_BUSY and were never run again with these values.
  public var abandoned: [LockSite] = []
  /// Reads during which other connections committed; `count` is the most commits within one.
  public var longReads: [LockSite] = []

  /// Lines with transactions that changed rows, most time in COMMIT first; nil if there are none.
  public var transactions: [TransactionSite]?
  /// Statements that failed, with their errors; nil if there are none.
  public var failures: [FailureSite]?
  /// PRAGMAs that leave a file without protection; nil if there are none.
  public var settings: [LockSite]?
  /// Databases that were open through several copies of SQLite, or under several names; nil if there are none.
  public var copies: [SharedDatabase]?
  /// Operations on files of open databases beside SQLite; nil if there are none.
  public var touches: [FileTouch]?
  /// Databases with a write-ahead log and several connections, in versions of SQLite that can lose a
  /// commit when they reset the log; nil if there are none.
  public var resetRaces: [ResetRace]?
  /// Waits for a connection of a pool whose connections were all idle; nil if there are none.
  public var poolWaits: [PoolWaitSite]?

  /// Logs that were not reset; nil if there are none.
  public var logs: [LogGrowth]?
  /// Lines with commits that checkpointed pages that others had written; nil if there are none.
  public var checkpointPayers: [CheckpointPayer]?
}

/// A statement at a line of code, and how often something happened to it.
public struct LockSite: Hashable, Sendable, Codable {
  /// The statement's id.
  public var statement: StatementID
  /// The statement's text; nil if no event contains it.
  public var sql: String?
  /// The line that ran it.
  public var location: SourceLocation
  /// How often it happened.
  public var count: UInt64 = 0
}

/// The waits of one line for the transactions of another one.
public struct LockWait: Hashable, Sendable, Codable {
  /// The database file; "" if no event names it.
  public var database: String
  /// The statement that waited, and its line.
  public var waiter: LockSite
  /// The process that waited.
  public var waiterProcess: String
  /// Nil where no recorded transaction held the lock: a reader, or a program that was not traced.
  public var holder: LockHolder?
  /// The number of waits.
  public var count: UInt64 = 0
  /// The waits that ended in SQLITE_BUSY.
  public var failures: UInt64 = 0
  /// The total time of the waits.
  public var time: Nanoseconds = 0
  /// The longest wait.
  public var longest: Nanoseconds = 0
}

/// The transactions that a line waited for.
public struct LockHolder: Hashable, Sendable, Codable {
  /// The process that held the lock.
  public var process: String
  /// `deferred`, `immediate`, `exclusive` or `autocommit`; ``waiting`` of one that waited as well,
  /// ``reading`` of one that only read; "" of one without an end.
  public var kind: String
  /// The line that began to write: its first statement that is not read-only, or the save; that of the
  /// first read of one that only read.
  public var location: SourceLocation
  /// The statements of one of them, in their order; at most eight.
  public var statements: [LockSite]
  /// The total time of these transactions, each counted once per wait.
  public var time: Nanoseconds = 0
  /// The part of it between statements, in the program.
  public var idleTime: Nanoseconds = 0

  /// The kind of a statement that waited for the lock at the same time, and took it for a moment.
  public static let waiting = "waiting"
  /// The kind of a transaction, or of one statement, that only read: a commit with a rollback journal
  /// and a checkpoint wait for its end.
  public static let reading = "reading"
  /// The kind of a statement that is a transaction of its own.
  static let autocommitting = "autocommit"
}

extension LockProfile? {
  /// The sum of several; nil of none.
  static func merged(_ parts: [LockProfile]) -> Self {
    guard var sum = parts.first else { return nil }
    for part in parts.dropFirst() {
      sum.upgrades += part.upgrades
      sum.refusals += part.refusals
      sum.abandoned += part.abandoned
      sum.longReads += part.longReads
    }
    sum.waits = parts.flatMap(\.waits).merged(by: \.key) { $0.add($1) }.sorted(by: LockWait.order)
    sum.upgrades = sum.upgrades.summed(+)
    sum.refusals = sum.refusals.summed(+)
    sum.abandoned = sum.abandoned.summed(+)
    sum.longReads = sum.longReads.summed(max)
    sum.mergeLogs(parts)
    sum.mergeTransactions(parts)
    sum.mergeRisks(parts)
    return sum
  }
}

extension LockProfile {
  fileprivate mutating func mergeTransactions(_ parts: [LockProfile]) {
    let all = parts.flatMap { $0.transactions ?? [] }.merged(by: \.site.key) { $0.add($1) }.ordered
    let failed = parts.flatMap { $0.failures ?? [] }
      .merged(by: \.key) { $0.add($1) }.ordered
    transactions = all.isEmpty ? nil : all
    failures = failed.isEmpty ? nil : failed
  }

  fileprivate mutating func mergeRisks(_ parts: [LockProfile]) {
    let settings = parts.flatMap { $0.settings ?? [] }.summed(+)
    let copies = Set(parts.flatMap { $0.copies ?? [] }).sorted()
    self.settings = settings.isEmpty ? nil : settings
    self.copies = copies.isEmpty ? nil : copies
    let touches = parts.flatMap { $0.touches ?? [] }.merged
    self.touches = touches.isEmpty ? nil : touches
    let races = parts.flatMap { $0.resetRaces ?? [] }.merged(by: \.path) {
      $0.versions = Set($0.versions + $1.versions).sorted()
    }.sorted { $0.path < $1.path }
    resetRaces = races.isEmpty ? nil : races
    let pools = parts.flatMap { $0.poolWaits ?? [] }.merged
    poolWaits = pools.isEmpty ? nil : pools
  }

  fileprivate mutating func mergeLogs(_ parts: [LockProfile]) {
    // The longest row of each database, whatever the order of the parts is.
    let logs = parts.flatMap { $0.logs ?? [] }.merged(by: \.database) {
      $0 = $0.isLonger(than: $1) ? $0 : $1
    }.sorted { $0.database < $1.database }
    let payers = parts.flatMap { $0.checkpointPayers ?? [] }.merged(by: \.site.key) { $0.add($1) }
    self.logs = logs.isEmpty ? nil : logs
    checkpointPayers = payers.isEmpty ? nil : payers
  }
}

extension [LockSite] {
  /// Each site once, by its count.
  func summed(_ combine: (UInt64, UInt64) -> UInt64) -> Self {
    merged(by: \.key) { $0.count = combine($0.count, $1.count) }
      .sorted(by: { Int64(clamping: $0.count) }, then: \.sortKey)
  }
}

extension LockSite {
  struct Key: Hashable {
    var statement: StatementID
    var location: SourceLocation
  }

  var key: Key { Key(statement: statement, location: location) }
  var sortKey: String { "\(location.sortKey) \(statement)" }
}

extension LockWait {
  struct Key: Hashable {
    var database: String
    var waiter: LockSite.Key
    var waiterProcess: String
    var holder: String?
    var holderLocation: SourceLocation?
    var holderStatement: StatementID?
  }

  var key: Key {
    Key(
      database: database, waiter: waiter.key, waiterProcess: waiterProcess,
      holder: holder.map { "\($0.process) \($0.kind)" }, holderLocation: holder?.location,
      holderStatement: holder?.statements.first { $0.location == holder?.location }?.statement)
  }

  static func order(_ a: Self, _ b: Self) -> Bool {
    if a.failures != b.failures { return a.failures > b.failures }
    if a.count != b.count { return a.count > b.count }
    return a.sortKey < b.sortKey
  }

  private var sortKey: String {
    "\(waiter.sortKey) \(holder?.location.sortKey ?? "") \(waiterProcess) \(holder?.process ?? "")"
  }
}

extension LockWait {
  private static let sums = Sums<Self, Self>(\.count, \.failures, \.time, max: \.longest)

  mutating func add(_ other: Self) {
    Self.sums.add(other, to: &self)
    if let holder = other.holder { self.holder?.add(holder) }
  }
}

extension LockHolder: Summed {
  public static let sums = Sums<Self, Self>(\.time, \.idleTime)
}
