// SPDX-License-Identifier: Apache-2.0

import CSQLite
import CSQLiteFiles

/// What SQLite did to files on a thread, counted by a VFS that passes everything on.
///
///     let connection = try Connection(path: path, vfs: FileCounts.vfs)
///     _ = FileCounts.take()
///     try connection.execute("INSERT INTO note VALUES (1)")
///     FileCounts.take().syncs      // 2
public struct FileCounts: Sendable {
  public private(set) var reads: UInt64
  public private(set) var readBytes: UInt64
  public private(set) var readTime: Int64
  public private(set) var writes: UInt64
  public private(set) var writeBytes: UInt64
  public private(set) var writeTime: Int64
  /// Of files, and of the folder of a journal that is created or removed.
  public private(set) var syncs: UInt64
  public private(set) var syncTime: Int64
  /// Writes to the write-ahead log or the rollback journal, without checkpoints.
  public private(set) var logWrites: UInt64
  public private(set) var logTime: Int64
  /// Writes to the database file, without checkpoints.
  public private(set) var fileWrites: UInt64
  public private(set) var fileTime: Int64
  /// Syncs without those of checkpoints.
  public private(set) var commitSyncs: UInt64
  public private(set) var commitSyncTime: Int64
  public private(set) var checkpointTime: Int64

  /// The name of the VFS; nil if SQLite has no default one.
  public static let vfs: String? = CSQLiteFiles_vfs(
    { name in sqlite3_vfs_find(name).map { UnsafeMutableRawPointer($0) } },
    register
  ).map { String(cString: $0) }

  private static let register: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = {
    sqlite3_vfs_register($0?.assumingMemoryBound(to: sqlite3_vfs.self), $1)
  }

  private static let guards = [false, true].map { counts -> String? in
    // The guard forwards to the same VFS as the one that counts.
    guard vfs != nil else { return nil }
    return CSQLiteFiles_guard(counts, register) { name in
      sqlite3_database_file_object(name).map { UnsafeMutableRawPointer($0) }
    }.map { String(cString: $0) }
  }

  /// The name of the VFS that makes, changes and removes no file, and counts if another one does;
  /// the VFS of a test stays.
  static func guarding(_ other: String?) -> String? {
    other == nil ? guards[0] : other == vfs ? guards[1] : other
  }

  /// What the calling thread did since the last call.
  public static func take() -> Self {
    let counts = CSQLiteFiles_take()
    return Self(
      reads: counts.reads, readBytes: counts.read_bytes, readTime: counts.read_ns,
      writes: counts.writes, writeBytes: counts.write_bytes, writeTime: counts.write_ns,
      syncs: counts.syncs, syncTime: counts.sync_ns, logWrites: counts.log_writes,
      logTime: counts.log_ns, fileWrites: counts.file_writes, fileTime: counts.file_ns,
      commitSyncs: counts.commit_syncs, commitSyncTime: counts.commit_sync_ns,
      checkpointTime: counts.checkpoint_ns)
  }

  /// The time in the parts of a commit that touch files.
  public var commitTime: Int64 { logTime + fileTime + commitSyncTime + checkpointTime }

  /// Whether no file was touched.
  public var isEmpty: Bool { reads == 0 && writes == 0 && syncs == 0 }

  public static func + (a: Self, b: Self) -> Self {
    Self(
      reads: a.reads + b.reads, readBytes: a.readBytes + b.readBytes,
      readTime: a.readTime + b.readTime, writes: a.writes + b.writes,
      writeBytes: a.writeBytes + b.writeBytes, writeTime: a.writeTime + b.writeTime,
      syncs: a.syncs + b.syncs, syncTime: a.syncTime + b.syncTime,
      logWrites: a.logWrites + b.logWrites, logTime: a.logTime + b.logTime,
      fileWrites: a.fileWrites + b.fileWrites, fileTime: a.fileTime + b.fileTime,
      commitSyncs: a.commitSyncs + b.commitSyncs,
      commitSyncTime: a.commitSyncTime + b.commitSyncTime,
      checkpointTime: a.checkpointTime + b.checkpointTime)
  }
}

/// Pages that a connection looked up since it was opened, in its cache or in the file.
public struct PageCounts: Hashable, Sendable {
  public var cacheHits: UInt64 = 0
  public var cacheMisses: UInt64 = 0

  public init() {}

  public static func - (a: Self, b: Self) -> Self {
    var difference = Self()
    // SQLite's own counts have 32 bits.
    difference.cacheHits = UInt64(UInt32(truncatingIfNeeded: a.cacheHits &- b.cacheHits))
    difference.cacheMisses = UInt64(UInt32(truncatingIfNeeded: a.cacheMisses &- b.cacheMisses))
    return difference
  }
}

extension Connection {
  /// The pages looked up so far; nothing is set to zero.
  public var pageCounts: PageCounts {
    var counts = PageCounts()
    counts.cacheHits = status(SQLITE_DBSTATUS_CACHE_HIT)
    counts.cacheMisses = status(SQLITE_DBSTATUS_CACHE_MISS)
    return counts
  }

  private func status(_ counter: Int32) -> UInt64 {
    var (current, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, counter, &current, &highest, 0)
    return UInt64(UInt32(bitPattern: current))
  }
}

extension Connection {
  /// Reads how many pages the connection looked up since this was last read, and sets the count to
  /// zero: in its cache or in the file.
  ///
  /// The sum does not depend on what is in the cache.
  /// See <https://www.sqlite.org/c3ref/c_dbstatus_options.html>.
  public func takePageReads() -> UInt64 {
    take(SQLITE_DBSTATUS_CACHE_HIT) &+ take(SQLITE_DBSTATUS_CACHE_MISS)
  }

  private func take(_ counter: Int32) -> UInt64 {
    var (current, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, counter, &current, &highest, 1)
    return UInt64(UInt32(bitPattern: current))
  }
}
