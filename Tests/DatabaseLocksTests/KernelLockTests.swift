// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DatabaseLocks

@Suite struct KernelLockTests {
  @Test func readsALineOfTheLockTable() throws {
    let lock = try #require(
      KernelLock(line: "1: POSIX  ADVISORY  WRITE 17770 fe:00:16236562 120 120"))
    #expect(lock.kind == .posix && lock.isExclusive && !lock.isWaiting && lock.pid == 17770)
    #expect(lock.file == LockedFile(major: 0xfe, minor: 0, inode: 16_236_562))
    #expect(lock.first == 120 && lock.last == 120)
  }

  @Test func readsAWaitingRequest() throws {
    let lock = try #require(
      KernelLock(line: "1:  -> POSIX  ADVISORY  READ 4711 08:12:99 120 127"))
    #expect(lock.isWaiting && !lock.isExclusive && lock.pid == 4711)
  }

  @Test func readsALockToTheEndOfAFile() throws {
    let lock = try #require(KernelLock(line: "2: OFDLCK ADVISORY  READ -1 103:05:7 0 EOF"))
    #expect(lock.kind == .openFile && lock.pid == -1 && lock.last == .max)
    #expect(lock.file.major == 0x103)
  }

  @Test(arguments: [
    "", "1:", "1: LEASE  ACTIVE    READ  4711 08:12:99 0 EOF",
    "1: POSIX ADVISORY WRITE x 1:2:3 0 1",
    "1: POSIX  ADVISORY  WRITE 5 <none>:0 0 EOF", "1: POSIX  ADVISORY  UNLCK 5 1:2:3 0 1",
    "1: POSIX ADVISORY WRITE 5 1:2:3 0 99999999999999999999999",
  ])
  func leavesOutOtherLines(line: String) {
    #expect(KernelLock(line: Substring(line)) == nil)
  }

  @Test func ownLocksStandInTheTableUnderOurProcess() throws {
    let locks = try #require(LockTable())
    #expect(locks.locks.allSatisfy { $0.first <= $0.last })
  }

  // MARK: - The meaning of a byte in SQLite

  private func lock(_ type: String, _ first: UInt64, _ last: UInt64) throws -> KernelLock {
    try #require(KernelLock(line: "1: POSIX ADVISORY \(type) 5 00:01:2 \(first) \(last)"))
  }

  @Test func bytesOfTheWALIndexHaveTheirNames() throws {
    #expect(DatabaseLock.inWALIndex(try lock("WRITE", 120, 120)) == [.writer])
    #expect(DatabaseLock.inWALIndex(try lock("WRITE", 121, 121)) == [.checkpointer])
    #expect(DatabaseLock.inWALIndex(try lock("READ", 123, 123)) == [.reader(slot: 0)])
    #expect(DatabaseLock.inWALIndex(try lock("READ", 127, 128)) == [.reader(slot: 4), .connected])
    #expect(DatabaseLock.inWALIndex(try lock("WRITE", 124, 124)) == [.readerSlot(1)])
    #expect(DatabaseLock.inWALIndex(try lock("WRITE", 128, 128)) == [.opening])
    #expect(DatabaseLock.inWALIndex(try lock("WRITE", 0, 119)).isEmpty)
  }

  @Test func recoveryLocksSeveralBytesAtOnce() throws {
    let meanings = DatabaseLock.inWALIndex(try lock("WRITE", 121, 127))
    #expect(meanings.prefix(2) == [.checkpointer, .recovery])
    #expect(meanings.count == 2 + WALIndex.readMarkCount)
  }

  @Test func bytesOfTheDatabaseHaveTheirNames() throws {
    let pending: UInt64 = 0x4000_0000
    #expect(DatabaseLock.inDatabase(try lock("READ", pending + 2, pending + 511)) == [.shared])
    #expect(DatabaseLock.inDatabase(try lock("WRITE", pending + 1, pending + 1)) == [.reserved])
    #expect(DatabaseLock.inDatabase(try lock("WRITE", pending, pending)) == [.pending])
    #expect(DatabaseLock.inDatabase(try lock("READ", pending, pending)) == [.beginning])
    #expect(
      DatabaseLock.inDatabase(try lock("WRITE", pending, pending + 511))
        == [.pending, .reserved, .exclusive])
    #expect(DatabaseLock.inDatabase(try lock("WRITE", 0, 1023)).isEmpty)
  }
}
