// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Locks of processes outside this pid namespace, which `/proc/locks` leaves out.
///
/// `F_GETLK` reports whether a lock would be refused, without taking one; the process id of a
/// holder outside the namespace is 0.
enum HiddenLocks {
  static func find(database: String, walIndex: String) -> [DatabaseLock] {
    probe(walIndex, walIndexBytes) + probe(database, databaseBytes)
  }

  private static let walIndexBytes: [(off_t, off_t, DatabaseLock)] =
    [(120, 1, .writer), (121, 1, .checkpointer), (122, 1, .recovery)]
    + (0..<WALIndex.readMarkCount).map { (off_t(123 + $0), 1, .reader(slot: $0)) }

  private static let databaseBytes: [(off_t, off_t, DatabaseLock)] = [
    (0x4000_0000, 1, .pending), (0x4000_0001, 1, .reserved), (0x4000_0002, 510, .exclusive),
  ]

  private static func probe(
    _ path: String, _ bytes: [(off_t, off_t, DatabaseLock)]
  ) -> [DatabaseLock] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    return bytes.compactMap { first, count, meaning in
      var question = flock()
      question.l_type = Int16(F_WRLCK)
      question.l_whence = Int16(SEEK_SET)
      question.l_start = first
      question.l_len = count
      guard fcntl(descriptor, F_GETLK, &question) == 0, question.l_pid == 0,
        question.l_type != Int16(F_UNLCK)
      else { return nil }
      return named(meaning, isExclusive: question.l_type == Int16(F_WRLCK))
    }
  }

  /// A shared lock at a byte may mean something else than an exclusive one.
  private static func named(_ lock: DatabaseLock, isExclusive: Bool) -> DatabaseLock? {
    switch lock {
    case .reader(let slot): isExclusive ? .readerSlot(slot) : lock
    case .exclusive: isExclusive ? lock : .shared
    case .pending: isExclusive ? lock : .beginning
    default: isExclusive ? lock : nil
    }
  }
}
