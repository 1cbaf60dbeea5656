// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The contents of a database file and the files beside it, read without SQLite.
///
/// Nothing may have the database open in this process: see ``LockObserver``.
public struct FileFacts: Hashable, Sendable {
  public var path: String
  public var bytes: UInt64
  public var journalMode: JournalMode
  public var pageSize: Int
  /// The size in pages as the header has it; nil if the last writer did not set it.
  public var pages: UInt32?
  public var freePages: UInt32
  /// The version of SQLite that wrote last: `3.40.1`.
  public var writtenBy: String?
  public var log: LogFacts?
  public var journal: JournalFacts?

  /// The write-ahead log.
  public struct LogFacts: Hashable, Sendable {
    public var bytes: UInt64
    public var pageSize: Int
    /// Whether the file has the header of a log.
    public var isLog: Bool
    /// The frames that the next connection recovers, and their transactions.
    public var frames: UInt32
    public var transactions: UInt64
    /// The size of the database after them, in pages.
    public var pages: UInt32
    /// Whole transactions behind a damaged frame, which the next connection drops.
    public var lostTransactions: UInt64
  }

  public struct JournalFacts: Codable, Hashable, Sendable {
    public var bytes: UInt64
    /// Whether it starts as a journal of a transaction that did not end.
    public var isInUse: Bool
  }

  /// Reads the files; nil if the database cannot be opened or is no regular file.
  public init?(path: String) {
    guard let file = FileBytes.read(path, count: 100) else { return nil }
    let header = DatabaseHeader(file.bytes)
    let reader = IntegerReader(file.bytes, bigEndian: true)
    self.path = path
    bytes = file.size
    journalMode = header.journalMode
    pageSize = header.pageSize
    // The number of pages is valid if the change counter is the one that it was written with.
    let count = reader.uint32(28)
    pages = count > 0 && reader.uint32(24) == reader.uint32(92) ? count : nil
    freePages = reader.uint32(36)
    let version = reader.uint32(96)
    if version > 3_000_000 {
      writtenBy = "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
    }
    log = LogFacts(path: path + "-wal")
    journal = RollbackJournal(of: path).map { JournalFacts(bytes: $0.size, isInUse: $0.isInUse) }
  }

  /// The size that the file should have without its log; nil if the header does not have it.
  public var expectedBytes: UInt64? { pages.map { UInt64($0) * UInt64(pageSize) } }

  /// The room that a copy with all that is in the log needs.
  public var copyBytes: UInt64 {
    max(bytes, UInt64(max(pages ?? 0, log?.pages ?? 0)) * UInt64(max(pageSize, 0)))
  }
}

extension FileFacts.LogFacts {
  init?(path: String) {
    guard let file = FileBytes.read(path, count: WALFile.headerSize),
      let frames = WALFrames(path: path)
    else { return nil }
    let header = WALFile(file.bytes, size: file.size)
    self.init(
      bytes: file.size, pageSize: header?.pageSize ?? 0, isLog: frames.hasHeader,
      frames: frames.committed, transactions: UInt64(frames.commits.count), pages: frames.pages,
      lostTransactions: frames.hasHeader ? Self.lost(path, behind: frames.valid, header) : 0)
  }

  /// Counts the commits with the log's salts behind the first frame that is not valid.
  ///
  /// A log that begins again has other salts, so the frames of an earlier round do not count.
  private static func lost(_ path: String, behind frame: UInt32, _ header: WALFile?) -> UInt64 {
    guard let header else { return 0 }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var head = [UInt8](repeating: 0, count: 24)
    var commits: UInt64 = 0
    for number in UInt64(frame)..<max(header.capacity, UInt64(frame)) {
      let offset = off_t(32) + off_t(number) * off_t(header.pageSize + 24)
      guard pread(descriptor, &head, 24, offset) == 24 else { break }
      // The damaged frame itself, and the frames behind it.
      let isCommit = head[4..<8].contains { $0 != 0 }
      if isCommit, Array(head[8..<16]) == header.salts { commits += 1 }
    }
    return commits
  }
}
