// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The transactions of one line that changed rows.
public struct TransactionSite: Summed, Hashable, Codable {
  /// The statement with which they began to write, its line, and the number of transactions.
  public var site: LockSite
  /// Rows that they inserted, updated or deleted.
  public var rows: UInt64
  /// The time of their COMMITs; that of the statement outside of a transaction.
  public var commitTime: Nanoseconds
  /// The most transactions of a few rows in a row on one connection, or of one thread to one database, between which no
  /// other line wrote, or the same number of times each.
  ///
  /// 0 on temporary databases.
  public var longestSequence: UInt64
  /// How many of them were single statements outside of a transaction; nil if none was.
  public var autocommits: UInt64?
  /// Statements that wrote in them, where the log has no rows; nil otherwise.
  public var writes: UInt64?
  /// How many of them wrote to the table from which they had read the next row, as the worker of a queue does; nil if
  /// none did.
  public var claims: UInt64?
  /// The table of these, in lower case.
  public var claimedTable: String?
  /// How many of them began after the thread had waited for 20 ms or more since its last one; nil if none did.
  public var pauses: UInt64?

  /// Whether the program waited before most of them, as for a person or a device.
  var isPaced: Bool { (pauses ?? 0).multipliedReportingOverflow(by: 2).partialValue > site.count }

  /// Whether there are as many of them as a loop makes.
  public var isFrequent: Bool { site.count >= GroupWrites.minTransactions }

  public static let sums = Sums<Self, Self>(
    \.site.count, \.rows, \.commitTime, \.writes, \.pauses, \.autocommits, \.claims,
    max: \.longestSequence)

  /// Adds the counts of another one.
  public mutating func add(_ other: Self) {
    Self.sums.add(other, to: &self)
    claimedTable = claimedTable ?? other.claimedTable
  }
}

/// Counts transactions by the line that began to write.
struct TransactionTally {
  typealias Key = ProfileBuilder.Key
  // Arbitrary, as in `Bounds`.
  private static let maxSites = 1000
  private static let maxConnections = 4096

  private var sites: [LockSite.Key: TransactionSite] = [:]
  private var sequences: [Key: WriteSequences] = [:]
  /// The same by thread, since each transaction may have a connection of its own.
  private var threadSequences: [Thread: WriteSequences] = [:]
  private var claims = QueueClaims()

  /// A thread and the database that it writes to.
  struct Thread: Hashable {
    var id: Key
    var database: String
  }

  struct Transaction {
    /// The statement with which it began to write.
    var writer: LockSite
    /// The hash of its form, since the values may be in its text.
    var form: UInt64
    /// Its first statements.
    var steps: [LockSite]
    var rows: UInt64
    var writes: UInt64?
    var commitTime: Nanoseconds
    var isAutocommit = false
    var inFile: Bool
    /// The number of messages that its process had received at its end.
    var received: UInt64
    var start: Nanoseconds
    var end: Nanoseconds

    fileprivate var isSmall: Bool {
      inFile && Double(writes ?? rows) <= AvoidSyncForFewRows.maxRows
    }
  }

  mutating func add(_ transaction: Transaction, on connection: Key, of thread: Thread) {
    let key = Self.line(of: transaction.writer, transaction.form)
    let claimed = claims.table(of: transaction.steps, at: key, on: connection)
    let length = max(
      Self.length(with: transaction, at: key, in: &sequences, of: connection),
      Self.length(with: transaction, at: key, in: &threadSequences, of: thread))
    let isPaused = threadSequences[thread]?.isPaused == true
    guard sites.count < Self.maxSites || sites[key] != nil else { return }
    let site = TransactionSite(
      site: LockSite(transaction.writer, count: 1), rows: transaction.rows,
      commitTime: transaction.commitTime, longestSequence: length,
      autocommits: transaction.isAutocommit ? 1 : nil, writes: transaction.writes,
      claims: claimed == nil ? nil : 1, claimedTable: claimed, pauses: isPaused ? 1 : nil)
    sites[key]?.add(site)
    if sites[key] == nil { sites[key] = site }
  }

  /// Adds a run that returned one row, which the next transaction may write.
  mutating func addRow(_ run: StatementRun, _ sql: String?, on connection: Key) {
    claims.add(run, sql, on: connection)
  }

  /// Ends the sequences of a thread: it creates a table or an index, as a test does that has a file of its own.
  mutating func endSequences(of thread: Thread) {
    if !threadSequences.isEmpty { threadSequences[thread] = nil }
  }

  private static func length<Owner: Hashable>(
    with transaction: Transaction, at line: LockSite.Key,
    in sequences: inout [Owner: WriteSequences], of owner: Owner
  ) -> UInt64 {
    guard sequences.count < maxConnections || sequences[owner] != nil else { return 0 }
    return sequences[owner, default: WriteSequences()].add(transaction, at: line)
  }

  /// A line, or the statement's form where its line is not known.
  private static func line(of site: LockSite, _ form: UInt64) -> LockSite.Key {
    LockSite.Key(
      statement: StatementID(rawValue: site.location == .unknown ? form : 0),
      location: site.location)
  }

  var finished: [TransactionSite]? { sites.isEmpty ? nil : Array(sites.values).ordered }
}

/// The transactions of a few rows on one connection, or of one thread, by the lines that began to write.
///
///     line 4   w   w   w   w        a loop that writes at two lines: one transaction between two, each time
///     line 5     w   w   w   w
private struct WriteSequences {
  // Arbitrary: the number of lines that a loop writes for each row.
  private static let maxLines = 4
  // Requests of others may arrive during the loop of one. Requests that write a row each arrive
  // between all transactions.
  private static let minWritesPerRequest: UInt64 = 10
  // 20 ms is arbitrary: a program computes a row in less, and people and devices take longer.
  private static let minPause: Nanoseconds = 20_000_000

  private struct Sequence {
    var count: UInt64 = 1
    /// The number of its last one among all transactions.
    var last: UInt64
    /// The number of messages that the process had received then.
    var received: UInt64
    /// How often it had received something since the one before.
    var requests: UInt64 = 0
    /// The transactions of other lines between two.
    var between: UInt64?

    mutating func continues(
      with transaction: TransactionTally.Transaction, _ number: UInt64
    ) -> Bool {
      let others = number - last - 1
      guard between ?? others == others else { return false }
      if transaction.received != received { requests += 1 }
      (between, last, received) = (others, number, transaction.received)
      count += 1
      return requests * WriteSequences.minWritesPerRequest <= count
    }
  }

  private var lines: [LockSite.Key: Sequence] = [:]
  private var number: UInt64 = 0
  private var end: Nanoseconds = 0
  /// Whether the last transaction began long after the one before.
  private(set) var isPaused = false

  /// Returns the length of the sequence that a transaction continues; 0 for one of many rows.
  mutating func add(_ transaction: TransactionTally.Transaction, at line: LockSite.Key) -> UInt64 {
    number += 1
    let pause = transaction.start &- end
    end = transaction.end
    isPaused = pause >= Self.minPause
    if !transaction.isSmall || pause >= Bounds.pause { lines = [:] }
    guard transaction.isSmall else { return 0 }
    if var sequence = lines[line], sequence.continues(with: transaction, number) {
      lines[line] = sequence
      return sequence.count
    }
    if lines.count >= Self.maxLines { lines = [:] }
    lines[line] = Sequence(last: number, received: transaction.received)
    return 1
  }
}

extension [TransactionSite] {
  /// Most time in COMMIT first.
  var ordered: Self { sorted(by: \.commitTime, then: \.site.sortKey) }
}
