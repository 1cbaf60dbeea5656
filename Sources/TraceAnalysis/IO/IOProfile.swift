// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The reads, writes and syncs of statements and commits.
public struct IOProfile: Hashable, Sendable, Codable {
  /// The sum of all statements, and of work that belongs to no statement.
  public var total = IOWork()
  /// By line of code, by total time, longest first.
  public var commits: [CommitProfile] = []
  /// By statement and line of code, by time in I/O, longest first.
  public var statements: [StatementIOProfile] = []
}

/// Calls of files, and the pages that caused them.
public struct IOWork: Hashable, Sendable, Codable {
  /// Pages found in the page cache.
  public var cacheHits: UInt64 = 0
  /// Pages that were not.
  public var cacheMisses: UInt64 = 0
  /// Reads of files.
  public var reads: UInt64 = 0
  /// In bytes.
  public var readBytes: UInt64 = 0
  /// The time of the reads.
  public var readTime: Nanoseconds = 0
  /// Writes to files.
  public var writes: UInt64 = 0
  /// In bytes.
  public var writeBytes: UInt64 = 0
  /// The time of the writes.
  public var writeTime: Nanoseconds = 0
  /// Syncs of files and folders.
  public var syncs: UInt64 = 0
  /// The time of the syncs.
  public var syncTime: Nanoseconds = 0
  /// In checkpoints; their calls are counted above.
  public var checkpointTime: Nanoseconds = 0

  /// The time in calls of files.
  public var time: Nanoseconds { readTime.saturatingSum(writeTime).saturatingSum(syncTime) }
}

extension IOWork: Summed {
  public static let sums = Sums<Self, Self>(
    \.cacheHits, \.cacheMisses, \.reads, \.readBytes, \.readTime, \.writes, \.writeBytes,
    \.writeTime,
    \.syncs, \.syncTime, \.checkpointTime)
  fileprivate static let ofStatement = Sums<Self, StatementIO>(
    (\.cacheHits, \.cacheHits), (\.cacheMisses, \.cacheMisses), (\.reads, \.reads),
    (\.readBytes, \.readBytes), (\.readTime, \.readTime), (\.writes, \.writes),
    (\.writeBytes, \.writeBytes), (\.writeTime, \.writeTime), (\.syncs, \.syncs),
    (\.syncTime, \.syncTime), (\.checkpointTime, \.checkpointTime))
}

extension IOWork {
  mutating func add(_ event: StatementIO) { Self.ofStatement.add(event, to: &self) }
}

/// The I/O of one statement at one line of code.
public struct StatementIOProfile: Hashable, Sendable, Codable {
  /// The statement and the line; `count` is the number of runs that used pages or files.
  public var site: LockSite
  /// The sums of its runs.
  public var work = IOWork()
}

/// The commits of one line of code, and where their time went.
public struct CommitProfile: Hashable, Sendable, Codable {
  /// The line that began to write, and its statement; `count` is the number of commits.
  public var site: LockSite
  /// Waiting for locks.
  public var waitTime: Nanoseconds = 0
  /// The time in statements and in the program between them, without the parts below.
  public var bodyTime: Nanoseconds = 0
  /// Writing the write-ahead log or the rollback journal.
  public var logTime: Nanoseconds = 0
  /// Writing the database file, without checkpoints.
  public var fileTime: Nanoseconds = 0
  /// Syncing, without checkpoints.
  public var syncTime: Nanoseconds = 0
  /// In checkpoints.
  public var checkpointTime: Nanoseconds = 0
  /// The rest of COMMIT.
  public var commitTime: Nanoseconds = 0
  /// The total time of the commits: the sum of the parts.
  public var totalTime: Nanoseconds = 0
  /// Rows inserted, updated or deleted.
  public var changes: UInt64 = 0
  /// Writes to the log or the journal.
  public var logWrites: UInt64 = 0
  /// Writes to the database file, without checkpoints.
  public var fileWrites: UInt64 = 0
  /// Syncs, without checkpoints.
  public var syncs: UInt64 = 0
  /// Checkpoints.
  public var checkpoints: UInt64 = 0
  /// Pages that checkpoints wrote.
  public var checkpointWrites: UInt64 = 0

  init(site: LockSite) { self.site = site }

  /// Each part, by its name.
  public var parts: [(name: String, time: Nanoseconds)] {
    [
      ("waiting for the writer", waitTime), ("running statements", bodyTime),
      ("writing the log", logTime), ("writing the file", fileTime), ("syncing", syncTime),
      ("in checkpoints", checkpointTime), ("committing", commitTime),
    ]
  }
}

extension CommitProfile: Summed {
  public static let sums = Sums<Self, Self>(
    \.site.count, \.waitTime, \.bodyTime, \.logTime, \.fileTime, \.syncTime, \.checkpointTime,
    \.commitTime, \.totalTime, \.changes, \.logWrites, \.fileWrites, \.syncs, \.checkpoints,
    \.checkpointWrites)
  fileprivate static let ofCommit = Sums<Self, CommitIO>(
    (\.waitTime, \.waitTime), (\.bodyTime, \.bodyTime), (\.logTime, \.logTime),
    (\.fileTime, \.fileTime), (\.syncTime, \.syncTime), (\.checkpointTime, \.checkpointTime),
    (\.commitTime, \.commitTime), (\.totalTime, \.totalTime), (\.changes, \.changes),
    (\.logWrites, \.logWrites), (\.fileWrites, \.fileWrites), (\.syncs, \.syncs),
    (\.checkpoints, \.checkpoints), (\.checkpointWrites, \.checkpointWrites))
}

extension CommitProfile {
  mutating func add(_ event: CommitIO) {
    site.count.add(1)
    Self.ofCommit.add(event, to: &self)
  }
}

extension StatementIOProfile: Summed {
  public static let sums = Sums<Self, Self>(\.site.count, \.work)
}

extension IOProfile? {
  /// The sum of several; nil of none.
  static func merged(_ parts: [IOProfile]) -> Self {
    guard var sum = parts.first else { return nil }
    sum.total = parts.map(\.total).sum(from: IOWork())
    sum.commits = parts.flatMap(\.commits).merged(by: \.site.key) { $0.add($1) }.ordered
    sum.statements = parts.flatMap(\.statements).merged(by: \.site.key) { $0.add($1) }.ordered
    return sum
  }
}

extension [CommitProfile] {
  var ordered: Self { sorted(by: \.totalTime, then: \.site.sortKey) }
}

extension [StatementIOProfile] {
  var ordered: Self { sorted(by: \.work.time, then: \.site.sortKey) }
}
