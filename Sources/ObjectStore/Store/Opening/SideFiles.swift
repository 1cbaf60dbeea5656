// SPDX-License-Identifier: Apache-2.0

import Glibc
import SQLiteDriver

/// The `-wal` and `-shm` files beside a store that is only read.
///
/// SQLite makes them for a reader, and leaves them there: only a connection that may write removes
/// them when it is the last one to close.
struct SideFiles {
  private let path: String
  private let vfs: String?
  private let wereThere: Bool

  /// To be made before the file is opened.
  init(of path: String, vfs: String?) {
    self.path = path
    self.vfs = vfs
    wereThere = Self.exists(path + "-wal") || Self.exists(path + "-shm")
  }

  /// Whether there is a write-ahead log with something in it.
  static func hasLog(_ path: String) -> Bool { size(path + "-wal") > 0 }

  /// Removes the files that reading has made, once the connections are closed.
  ///
  /// Files that existed before belong to another process, or to a log that the file needs.
  func remove() {
    guard !wereThere, Self.exists(path + "-wal") || Self.exists(path + "-shm"),
      Self.size(path + "-wal") <= 0, access(path, W_OK) == 0,
      let connection = try? Connection(path: path, mode: .readWrite, busyTimeout: 0, vfs: vfs)
    else { return }
    _ = try? connection.prepare("SELECT 1 FROM sqlite_master").step()
  }

  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// -1 if the file does not exist.
  private static func size(_ path: String) -> Int {
    var information = stat()
    return stat(path, &information) == 0 ? Int(information.st_size) : -1
  }
}
