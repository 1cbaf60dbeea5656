// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The bytes of a database and of its index that are locked, queried through descriptors of its
/// own.
///
/// It is closed last: closing any descriptor of a file drops the locks of the process.
/// `/proc/locks` is no substitute: while other tests lock and unlock, a read of it leaves lines out.
public final class LockedBytes {
  private let files: [Int32]

  public init(of path: String) {
    files = ["", "-shm"].map { open(path + $0, O_RDWR) }
  }

  deinit { for file in files where file >= 0 { close(file) } }

  /// The locked bytes, such as `1 128 0`: file, offset and type.
  ///
  /// See "File Locking And Concurrency" and "WAL-mode File Format" for the bytes.
  public var list: [String] {
    locks.map { "\($0.file) \($0.byte) \($0.lock.l_type)" }
  }

  /// Whether every locked byte, and at least one, has a POSIX lock of this process.
  public var areOfThisProcess: Bool {
    !locks.isEmpty && locks.allSatisfy { $0.lock.l_pid == getpid() }
  }

  private var locks: [(file: Int, byte: Int, lock: flock)] {
    let bytes = [(0, (0...2).map { 0x4000_0000 + $0 }), (1, Array(120...128))]
    return bytes.flatMap { index, offsets in
      offsets.compactMap { offset in
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = offset
        lock.l_len = 1
        // F_OFD_GETLK: unlike F_GETLK it sees the locks of this process.
        guard files[index] >= 0, fcntl(files[index], 36, &lock) == 0,
          lock.l_type != Int16(F_UNLCK)
        else { return nil }
        return (index, offset, lock)
      }
    }
  }
}
