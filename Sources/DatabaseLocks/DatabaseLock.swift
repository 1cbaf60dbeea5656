// SPDX-License-Identifier: Apache-2.0

/// The meaning of a locked byte in SQLite.
///
/// Related SQLite documentation: <https://www.sqlite.org/walformat.html#wal_locks> and
/// <https://www.sqlite.org/lockingv3.html>
public enum DatabaseLock: Hashable, Sendable {
  // In the -shm file.
  case writer
  case checkpointer
  case recovery
  /// A reader that uses the read mark of a slot, 0 to 4.
  case reader(slot: Int)
  /// The slot's read mark is being changed, or readers of it are kept out.
  case readerSlot(Int)
  /// Held while the WAL-index is in use at all: the dead man's switch.
  case connected
  /// The WAL-index is being opened or closed.
  case opening

  // In the database file.
  case shared
  case reserved
  case pending
  /// Shared, requested as a reader: it lasts while a reader begins.
  case beginning
  case exclusive

  /// The lock of a whole file, by `flock`, as of the `unix-flock` VFS.
  case wholeFile

  /// The first lock byte of the -shm file: the header and its copy, then the checkpoint's facts.
  private static let base: UInt64 = 120
  /// `PENDING_BYTE` of SQLite; a build may set another one only for tests.
  private static let pendingByte: UInt64 = 0x4000_0000

  /// The SQLite locks of a lock of the -shm file; a range may be several.
  static func inWALIndex(_ lock: KernelLock) -> [DatabaseLock] {
    guard lock.kind != .flock else { return [.wholeFile] }
    var result: [DatabaseLock] = []
    if lock.isExclusive {
      let single: [DatabaseLock] = [.writer, .checkpointer, .recovery]
      for (offset, meaning) in single.enumerated() where lock.covers(base + UInt64(offset)) {
        result.append(meaning)
      }
    }
    for slot in 0..<WALIndex.readMarkCount where lock.covers(base + 3 + UInt64(slot)) {
      result.append(lock.isExclusive ? .readerSlot(slot) : .reader(slot: slot))
    }
    if lock.covers(base + 8) { result.append(lock.isExclusive ? .opening : .connected) }
    return result
  }

  /// The SQLite locks of a lock of the database file.
  static func inDatabase(_ lock: KernelLock) -> [DatabaseLock] {
    guard lock.kind != .flock else { return [.wholeFile] }
    var result: [DatabaseLock] = []
    if lock.covers(pendingByte) { result.append(lock.isExclusive ? .pending : .beginning) }
    if lock.covers(pendingByte + 1), lock.isExclusive { result.append(.reserved) }
    if lock.overlaps((pendingByte + 2)...(pendingByte + 511)) {
      result.append(lock.isExclusive ? .exclusive : .shared)
    }
    return result
  }

  /// Whether its holder keeps all others from writing.
  public var isWriter: Bool {
    switch self {
    case .writer, .reserved, .pending, .exclusive: true
    default: false
    }
  }

  /// SQLite's name.
  public var name: String {
    switch self {
    case .writer: "WRITE"
    case .checkpointer: "CKPT"
    case .recovery: "RECOVER"
    case .reader(let slot): "READ(\(slot))"
    case .readerSlot(let slot): "READ(\(slot)) exclusive"
    case .connected: "DMS"
    case .opening: "DMS exclusive"
    case .shared: "SHARED"
    case .reserved: "RESERVED"
    case .pending: "PENDING"
    case .beginning: "PENDING shared"
    case .exclusive: "EXCLUSIVE"
    case .wholeFile: "flock"
    }
  }
}
