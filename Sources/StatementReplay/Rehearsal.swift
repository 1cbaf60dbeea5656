// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import QueryPlans
import SQLiteDriver
import TraceReading

/// A migration, run on private copies of a database with parts of its rows, and on all of them where that fits.
///
///     let rehearsal = try Rehearsal(of: "UPDATE book SET price = price * 2", on: "app.db")
///     rehearsal.estimate.log  // bytes of the write-ahead log at its peak
public struct Rehearsal: Sendable {
  /// What a run costs; times in nanoseconds, sizes in bytes.
  ///
  /// Times on a part of the rows are a processor's; the disk is left out.
  public struct Costs: Hashable, Sendable {
    /// While the lock of the writer is held, in all, and at most without a pause.
    public var lock: UInt64 = 0
    public var longestLock: UInt64 = 0
    /// The largest size of the write-ahead log.
    public var log: UInt64 = 0
    /// The largest size of the rollback journal.
    public var journal: UInt64 = 0
    /// Of all files together, less the database as it was.
    public var disk: UInt64 = 0
    /// In checkpoints, which do not hold the lock.
    public var checkpoint: UInt64 = 0
    public var checkpointedFrames: UInt64 = 0
  }

  /// One statement of the migration.
  public struct Statement: Hashable, Sendable {
    public var sql: String
    public var line: Int
    public var time: UInt64
    /// Rows, without those of triggers.
    public var changes: UInt64
  }

  /// A transaction of a database with a write-ahead log.
  struct Transaction: Hashable, Sendable {
    var frames: UInt64
    /// Whether it writes the pages of rows that exist: copies are compact, and their pages fewer for as many rows.
    var isInPlace: Bool
  }

  /// The statement that ended a run.
  public struct Failure: Error, Codable, Hashable, Sendable {
    public var number: Int
    /// In the script; 0 for its end.
    public var line: Int
    public var sql: String
    public var message: String
  }

  /// A run on one copy.
  public struct Run: Sendable {
    /// One of so many rows is in the copy.
    public var oneOf: Int
    public var rows: UInt64
    public var pages: UInt64
    public var costs: Costs
    public var statements: [Statement]
    public var failure: Failure?
    var transactions: [Transaction]
    /// In the cache or in the file.
    var pageVisits: UInt64
    /// Rows of the tables that the migration reads or writes, on the copy and in the whole database.
    var growth: (rows: UInt64, all: UInt64)
    /// The shortest and the longest lock of all its runs.
    var locks: (fastest: UInt64, slowest: UInt64)
  }

  /// Smallest first.
  public private(set) var runs: [Run] = []
  /// `wal` or `delete`.
  public private(set) var journalMode: String
  /// Of the whole database.
  public private(set) var rows: UInt64
  public private(set) var pages: UInt64
  private let pageSize: UInt64
  /// Pages in the cache of a connection that sets none.
  private let cachePages: UInt64
  /// The costs on the whole database: measured, or extrapolated from the two largest copies.
  public private(set) var estimate = Costs()
  /// The shortest and the longest that the parts allow for the longest lock; nil if it is measured.
  public private(set) var longestLockRange: ClosedRange<UInt64>?
  public var isMeasured: Bool { runs.last?.oneOf == 1 }
  /// The reason why the whole database was left out.
  public private(set) var omission: String?
  public private(set) var batches: [BatchedWrite] = []

  /// The statement that failed on the largest copy.
  public var failure: Failure? { runs.last?.failure }

  /// Runs a migration on copies.
  ///
  /// - Parameters:
  ///   - script: statements of SQL.
  ///   - database: only read.
  ///   - sizes: one of so many rows is in a copy.
  ///   - budget: seconds that the run on all rows may take, by the smaller ones.
  /// - Throws: ``ReplayError``, or `SQLiteError`.
  public init(
    of script: String, on database: String, sizes: [Int] = [16, 4, 1], budget: Double = 60
  ) throws {
    let folder = try ReplayFolder()
    let whole = try RehearsalCopy(of: database, keepingOneOf: 1, in: folder)
    (rows, pages) = (whole.rows, whole.pages)
    let connection = try Connection(path: whole.path)
    journalMode = try connection.texts("PRAGMA journal_mode").first ?? ""
    pageSize = try connection.texts("PRAGMA page_size").first.flatMap { UInt64($0) } ?? 4096
    cachePages = try connection.cachePages
    for size in Set(sizes).sorted(by: >) where omission == nil {
      guard !ReadingInterruption.isRequested else { throw ReplayError.interrupted }
      if size == 1 {
        extrapolate(in: folder)
        omission = reasonToOmit(budget, folder)
        if omission != nil { continue }
      }
      let copy =
        size == 1 ? whole : try RehearsalCopy(of: whole.path, keepingOneOf: size, in: folder)
      let (run, locks) = try Self.medianRun(script, on: copy.path, oneOf: size, in: folder)
      guard !ReadingInterruption.isRequested else { throw ReplayError.interrupted }
      runs.append(
        Run(
          oneOf: size, rows: copy.rows, pages: copy.pages, costs: run.costs,
          statements: run.statements, failure: run.failure, transactions: run.transactions,
          pageVisits: run.pageVisits,
          growth: (copy.rows(of: run.tables), whole.rows(of: run.tables)), locks: locks))
      batches = BatchedWrite.all(
        of: run.statements, rows: copy.tableRows, pages: pages, allRows: whole.tableRows,
        schemaOf: database)
      if size > 1 { try? FileManager.default.removeItem(atPath: copy.path) }
    }
    if omission == nil { extrapolate(in: folder) }
  }

  /// The run whose lock is the median, and the shortest and the longest lock.
  private static func medianRun(
    _ script: String, on path: String, oneOf size: Int, in folder: ReplayFolder
  ) throws -> (run: MigrationRun, locks: (fastest: UInt64, slowest: UInt64)) {
    var runs: [MigrationRun] = []
    let times = size > 1 ? 5 : 1
    for count in 1...times {
      // The last one changes the copy itself.
      let own = count < times ? try folder.copy(path) : path
      let run = try MigrationRun(path: own, oneOf: size, in: folder)
      run.run(script)
      runs.append(run)
      if count < times { try? FileManager.default.removeItem(atPath: own) }
    }
    runs.sort { $0.costs.lock < $1.costs.lock }
    return (runs[times / 2], (runs[0].costs.lock, runs[times - 1].costs.lock))
  }

  // MARK: - The whole database

  private func reasonToOmit(_ budget: Double, _ folder: ReplayFolder) -> String? {
    guard !runs.isEmpty, failure == nil else { return nil }
    let seconds = Double(estimate.lock + estimate.checkpoint) / 1e9
    if seconds > budget {
      return
        "the run on all rows would take about \(Int(seconds)) seconds; --budget allows \(Int(budget))"
    }
    var system = statvfs()
    guard statvfs(folder.path, &system) == 0 else { return nil }
    let free = UInt64(system.f_bavail) * UInt64(system.f_frsize)
    return estimate.disk < free
      ? nil : "\(estimate.disk >> 20) MiB are needed in TMPDIR, and \(free >> 20) MiB are free"
  }

  /// Costs from the two largest copies, with the time in which the disk writes the bytes of all rows.
  private mutating func extrapolate(in folder: ReplayFolder) {
    guard let last = runs.last else { return }
    estimate = last.costs
    longestLockRange = nil
    guard last.oneOf > 1, last.failure == nil else { return }
    let before = runs.count > 1 ? runs[runs.count - 2] : nil
    let byRows = Growth(rows, last.rows, before?.rows)
    let byPages = Growth(pages, last.pages, before?.pages)
    let byTables = Growth(last.growth.all, last.growth.rows, before?.growth.rows)
    for cost in [\Costs.lock, \.longestLock, \.checkpoint] {
      estimate[keyPath: cost] = byTables.time(last.costs[keyPath: cost], visits: last.pageVisits)
    }
    let range = byTables.times(
      (last.locks.fastest, last.costs.lock, last.locks.slowest), before?.costs.lock)
    let longest = Double(last.costs.longestLock) / Double(max(last.costs.lock, 1))
    let processor = estimate.longestLock
    defer {
      let disk = estimate.longestLock - processor
      let low = min(UInt64(Double(range.lowerBound) * longest), processor)
      let high = max(UInt64(Double(range.upperBound) * longest), processor)
      longestLockRange = low + disk...high + disk
    }
    estimate.journal = byPages.value(last.costs.journal, before?.costs.journal)
    let others = last.costs.disk - min(last.costs.log, last.costs.disk)
    let othersBefore = before.map { $0.costs.disk - min($0.costs.log, $0.costs.disk) }
    estimate.disk = byRows.value(others, othersBefore)
    func time(_ bytes: UInt64) -> UInt64 { DiskWrite.time(of: bytes, in: folder.path) }
    guard !last.transactions.isEmpty else {
      let journal = timeOfJournal(in: folder) + time(estimate.disk)
      estimate.lock += journal
      estimate.longestLock += journal
      return
    }
    let isSame = before?.transactions.count == last.transactions.count
    let frames = last.transactions.indices.map { index in
      let transaction = last.transactions[index]
      return (transaction.isInPlace ? byPages : byRows).value(
        transaction.frames, isSame ? before?.transactions[index].frames : nil)
    }
    estimate.checkpointedFrames = frames.reduce(0, +)
    estimate.log = logSize(of: frames)
    estimate.disk += estimate.log
    let all = time(estimate.checkpointedFrames * pageSize)
    estimate.lock += all + time(pageSize) * UInt64(frames.count - 1)
    estimate.longestLock += frames.count > 1 ? time((frames.max() ?? 0) * pageSize) : all
    estimate.checkpoint += all
  }

  /// The time in which the disk takes the rollback journal.
  ///
  /// Before a page that is in the journal leaves a full cache, SQLite syncs the journal, and then its header, and begins
  /// a new segment of as many pages as the cache has.
  private func timeOfJournal(in folder: ReplayFolder) -> UInt64 {
    let bytesOfSegment = cachePages * (pageSize + 8)
    let segments = max(1, (estimate.journal + bytesOfSegment - 1) / bytesOfSegment)
    let pages = DiskWrite.time(of: min(estimate.journal, bytesOfSegment), in: folder.path)
    // A header is one sector.
    return segments * (pages + DiskWrite.time(of: 512, in: folder.path))
  }

  /// The largest size of a log that SQLite begins again after each checkpoint.
  private func logSize(of transactions: [UInt64]) -> UInt64 {
    var (frames, most): (UInt64, UInt64) = (0, 0)
    for count in transactions {
      frames += count
      most = max(most, frames)
      if frames >= MigrationRun.framesOfCheckpoint { frames = 0 }
    }
    // See <https://www.sqlite.org/fileformat2.html#walformat>.
    return 32 + most * (pageSize + 24)
  }
}
