// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A process that has a database open, at one moment: its locks, and the memory that it shares.
struct UserLook {
  let user: DatabaseUser
  let map: ProcessMap?
  /// The addresses of the first page of the WAL-index, before and after the locks were read.
  let mapped: Set<UInt64>
  let databaseLocks: [DatabaseLock]
  let indexLocks: [DatabaseLock]

  init(_ user: DatabaseUser) {
    self.user = user
    let names = Set(user.files(.walIndex).map(\.target))
    let before = ProcessMap(pid: user.pid)
    func locks(_ kind: UnlinkedFile.Kind) -> [KernelLock] {
      user.files(kind).flatMap { LockTable.locks(pid: user.pid, descriptor: $0.descriptor) }
    }
    indexLocks = locks(.walIndex).flatMap(DatabaseLock.inWALIndex)
    databaseLocks = locks(.database).flatMap(DatabaseLock.inDatabase)
    map = ProcessMap(pid: user.pid)
    mapped = (before?.addresses(of: names) ?? []).intersection(map?.addresses(of: names) ?? [])
  }

  var hasLocks: Bool { !indexLocks.isEmpty || !databaseLocks.isEmpty }

  /// Whether the process holds the lock that each open connection with a log holds: byte 128 of the
  /// `-shm` file.
  var isConnected: Bool {
    indexLocks.contains { $0 == .connected || $0 == .opening || $0 == .wholeFile }
  }

  /// The same of the database file: its shared range.
  var sharesDatabase: Bool {
    databaseLocks.contains { $0 == .shared || $0 == .exclusive || $0 == .wholeFile }
  }

  /// Whether it is a child that runs its parent's program without a start of its own.
  var isForked: Bool {
    guard let map, let parent = Self.parent(of: user.pid).flatMap({ ProcessMap(pid: $0) }) else {
      return false
    }
    return map.isFork(of: parent)
  }

  /// The processes that started this one, from the nearest.
  var ancestors: [Int32] {
    var ids: [Int32] = []
    var next = Self.parent(of: user.pid)
    // 64 is arbitrary: deeper chains are cut.
    while let pid = next, pid > 1, ids.count < 64 {
      ids.append(pid)
      next = Self.parent(of: pid)
    }
    return ids
  }

  private static func parent(of pid: Int32) -> Int32? {
    ProcFile.text("/proc/\(pid)/status").flatMap { ProcFile.field("PPid", in: $0) }
      .flatMap { Int32($0) }
  }

  /// The head of the WAL-index that this process uses.
  var index: WALIndex? {
    user.walIndexPath.flatMap { FileBytes.read($0, count: WALIndex.size) }
      .flatMap { WALIndex($0.bytes) }
  }
}
