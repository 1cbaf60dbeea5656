// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import TestSupport
import Testing

@testable import DatabaseLocks

@Suite struct WALIndexTests {
  /// The head of a WAL-index of 102 frames, 42 of them checkpointed.
  private func head(
    bigEndian: Bool = false, version: UInt32 = 3_007_000, isInit: UInt8 = 1, pageSize: UInt16 = 4096
  ) -> [UInt8] {
    func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
      let little = (0..<Value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
      return bigEndian ? little.reversed() : little
    }
    var header = bytes(version) + bytes(UInt32(0)) + bytes(UInt32(7)) + [isInit, 0]
    header += bytes(pageSize) + bytes(UInt32(102)) + bytes(UInt32(9))
    header += bytes(UInt32(1)) + bytes(UInt32(2)) + [1, 2, 3, 4, 5, 6, 7, 8]
    var sums: (UInt32, UInt32) = (0, 0)
    let reader = IntegerReader(header, bigEndian: bigEndian)
    for offset in stride(from: 0, to: 40, by: 8) {
      sums.0 = sums.0 &+ reader.uint32(offset) &+ sums.1
      sums.1 = sums.1 &+ reader.uint32(offset + 4) &+ sums.0
    }
    header += bytes(sums.0) + bytes(sums.1)
    let marks: [UInt32] = [0, 42, 102, .max, .max]
    return header + header + bytes(UInt32(42)) + marks.flatMap { bytes($0) }
      + [UInt8](repeating: 0, count: 8) + bytes(UInt32(50)) + bytes(UInt32(0))
  }

  @Test(arguments: [true, false]) func readsBothByteOrders(bigEndian: Bool) throws {
    let index = try #require(WALIndex(head(bigEndian: bigEndian)))
    #expect(index.validity == .valid)
    #expect(index.isOtherByteOrder == (bigEndian != IntegerReader.machineIsBigEndian))
    #expect(index.frames == 102 && index.checkpointed == 42 && index.checkpointAttempted == 50)
    #expect(index.pages == 9 && index.changeCounter == 7 && index.pageSize == 4096)
    #expect(index.readMarks == [0, 42, 102, nil, nil])
    #expect(index.salts == [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test func aPageSizeOf1Means65536() throws {
    #expect(try #require(WALIndex(head(pageSize: 1))).pageSize == 65_536)
  }

  @Test func reportsProblemsOfAHeader() throws {
    var changing = head()
    changing[60] ^= 1
    #expect(WALIndex(changing)?.validity == .copiesDiffer)
    #expect(WALIndex(head(isInit: 0))?.validity == .needsRecovery)
    #expect(WALIndex(head(version: 3_008_000))?.validity == .unknownVersion(3_008_000))
    var damaged = head()
    for copy in [0, 48] { damaged[copy + 16] ^= 1 }
    #expect(WALIndex(damaged)?.validity == .checksumDiffers)
  }

  @Test func takesNoShorterFile() {
    #expect(WALIndex(Array(head().dropLast())) == nil)
    #expect(WALIndex([]) == nil)
  }

  @Test func agreesWithSQLite() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("app.db")
    let connection = try Connection(path: path)
    try connection.execute(
      "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (x)")
    for _ in 0..<20 { try connection.execute("INSERT INTO t VALUES (randomblob(5000))") }
    let observer = try LockObserver(path: path)
    let before = try #require(observer.sample().index)
    // NB: the connection is in this process, and the observer drops this process's locks; it is
    // used all the same, since no other connection writes.
    let row = try connection.prepare("PRAGMA wal_checkpoint")
    #expect(try row.step())
    #expect(row.int64(1) == Int64(before.frames) && before.checkpointed == 0)
    let sample = observer.sample()
    #expect(sample.index?.checkpointed == before.frames && sample.index?.validity == .valid)
    #expect(sample.wal?.pageSize == 4096 && sample.wal?.salts == before.salts)
    #expect(sample.wal?.capacity == UInt64(before.frames))
  }
}
