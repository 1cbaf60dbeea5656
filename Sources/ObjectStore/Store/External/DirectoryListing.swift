// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The names in a directory.
enum DirectoryListing {
  /// Visits each name, in the order of the file system; false if the directory cannot be read to its
  /// end.
  @discardableResult
  static func forEachName(in path: String, _ body: (String) -> Void) -> Bool {
    guard let folder = opendir(path) else { return false }
    defer { closedir(folder) }
    errno = 0
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { body(name) }
      errno = 0
    }
    return errno == 0
  }
}

/// Identifies one state of a file.
struct FileStamp: Hashable {
  let device: UInt64
  let inode: UInt64
  let size: Int
  let modified: Int
  let changed: Int
  let isRegular: Bool

  /// Nil if it does not exist.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    modified = status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec
    changed = status.st_ctim.tv_sec &* 1_000_000_000 &+ status.st_ctim.tv_nsec
    isRegular = status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether two paths lead to the same file or directory.
  func isSameFile(as other: FileStamp) -> Bool {
    device == other.device && inode == other.inode
  }

  /// How long ago its content or its name was changed last; a copy does not keep that time.
  var age: Duration {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return .nanoseconds(now.tv_sec &* 1_000_000_000 &+ now.tv_nsec &- changed)
  }
}
