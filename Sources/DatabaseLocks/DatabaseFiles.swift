// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads the beginnings of a database's files: plain reads, no locks, nothing written.
enum FileBytes {
  /// - Returns: nil if the file cannot be opened or is no regular file.
  static func read(_ path: String, count: Int) -> (bytes: [UInt8], size: UInt64)? {
    // Does not block on a pipe of that name without an open other end.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    let length = pread(descriptor, &bytes, count, 0)
    return (Array(bytes.prefix(max(length, 0))), UInt64(status.st_size))
  }
}

/// How a database keeps the old state while it is written.
public enum JournalMode: String, Sendable {
  case wal
  /// A rollback journal: DELETE, TRUNCATE or PERSIST, which the file does not record.
  case rollback
  /// A file without a page.
  case empty
  /// An encrypted file, or no database.
  case unknown
}

/// A rollback journal.
///
/// Related SQLite documentation: <https://www.sqlite.org/fileformat.html#the_rollback_journal>
struct RollbackJournal {
  let size: UInt64
  /// Whether its header is there: a transaction that ends removes the file, cuts it, or writes zeros
  /// over the header.
  let isInUse: Bool

  private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  /// - Returns: nil if there is none.
  init?(of database: String) {
    guard let file = FileBytes.read(database + "-journal", count: 8) else { return nil }
    size = file.size
    isInUse = Self.isHeader(file.bytes)
  }

  /// Whether bytes start like a journal that can be rolled back.
  static func isHeader(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }
}

/// The header of a database file.
///
/// Related SQLite documentation: <https://www.sqlite.org/fileformat.html#the_database_header>
public struct DatabaseHeader: Hashable, Sendable {
  public var journalMode: JournalMode
  public var pageSize: Int
  /// Counts the transactions of a database with a rollback journal.
  public var changeCounter: UInt32

  private static let magic = Array("SQLite format 3\0".utf8)

  init(_ bytes: [UInt8]) {
    let reader = IntegerReader(bytes, bigEndian: true)
    let size = reader.uint16(16)
    pageSize = size == 1 ? 65_536 : Int(size)
    changeCounter = reader.uint32(24)
    if bytes.isEmpty {
      journalMode = .empty
    } else if bytes.count < 100 || !bytes.starts(with: Self.magic) {
      journalMode = .unknown
    } else {
      journalMode = bytes[18] == 2 ? .wal : .rollback
    }
  }
}

/// A write-ahead log and its header.
///
/// Related SQLite documentation: <https://www.sqlite.org/fileformat.html#the_write_ahead_log>
public struct WALFile: Hashable, Sendable {
  public var size: UInt64
  public var pageSize: Int
  public var checkpointSequence: UInt32
  public var salts: [UInt8]

  static let headerSize = 32
  private static let frameHeaderSize: UInt64 = 24

  /// - Returns: nil for an empty log, or a header that is not one.
  init?(_ bytes: [UInt8], size: UInt64) {
    let reader = IntegerReader(bytes, bigEndian: true)
    guard bytes.count >= Self.headerSize, reader.uint32(0) & 0xffff_fffe == 0x377f_0682 else {
      return nil
    }
    self.size = size
    pageSize = Int(reader.uint32(8))
    checkpointSequence = reader.uint32(12)
    salts = Array(bytes[16..<24])
  }

  /// How many frames the file has room for; frames after the last transaction are old.
  public var capacity: UInt64 {
    let frame = UInt64(max(pageSize, 0)) + Self.frameHeaderSize
    return size < UInt64(Self.headerSize) ? 0 : (size - UInt64(Self.headerSize)) / frame
  }
}
