// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc

/// The device and the inode of a file.
public struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  /// Nil if there is no such file.
  public init?(_ path: UnsafePointer<CChar>) {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    (device, inode) = (UInt64(information.st_dev), UInt64(information.st_ino))
  }
}

extension Connection {
  /// The file that has the name of the connection's, without symbolic links; nil in memory.
  public var fileIdentity: FileIdentity? {
    sqlite3_db_filename(handle, "main").flatMap { FileIdentity($0) }
  }

  /// The same of its write-ahead log.
  var logIdentity: FileIdentity? {
    guard let name = sqlite3_db_filename(handle, "main"), let log = sqlite3_filename_wal(name)
    else { return nil }
    return FileIdentity(log)
  }

  /// Checks that what the connection writes is in the file of that name, and its log beside it.
  ///
  /// SQLite checks this only without a write-ahead log.
  /// See <https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlhasmoved>.
  public func checkFile() throws(SQLiteError) {
    var hasMoved: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    guard code != SQLITE_OK || hasMoved == 0, followedLog == nil || followedLog == logIdentity
    else { throw .moved }
  }
}

extension SQLiteError {
  /// `SQLITE_READONLY_DBMOVED`.
  public static let moved = SQLiteError(
    extendedCode: SQLITE_READONLY | (4 << 8), message: "the file was moved")
  /// Whether the file was deleted, renamed or replaced while it was open.
  public var isMoved: Bool { extendedCode == Self.moved.extendedCode }
}
