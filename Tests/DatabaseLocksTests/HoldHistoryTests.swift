// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@testable import DatabaseLocks

@Suite struct HoldHistoryTests {
  private let folder: TemporaryDirectory
  private let identity: FileIdentity
  private let process = LockingProcess(pid: getpid())

  init() throws {
    folder = try TemporaryDirectory()
    let path = folder.path("app.db")
    fclose(fopen(path, "w"))
    identity = try #require(FileIdentity(path: path))
  }

  /// A state at a second, with this process as the writer or none.
  private func state(_ second: Int64, isHeld: Bool, commits: UInt32 = 0) -> LockState {
    var sample = LockSample(path: "app.db", identity: identity, header: DatabaseHeader([]))
    sample.uptime = second * 1_000_000_000
    (sample.began, sample.ended) = (sample.uptime, sample.uptime)
    sample.stampBefore.changeCounter = commits
    sample.stampAfter.changeCounter = commits
    if isHeld { sample.locks = [HeldLock(process: process, lock: .reserved, isWaiting: false)] }
    return LockState(sample)
  }

  @Test func aLockSeenAtEachSampleIsOneHold() throws {
    var history = HoldHistory()
    for second: Int64 in 1...5 { history.add(state(second, isHeld: true)) }
    #expect(history.current.map(\.duration) == [4_000_000_000])
    #expect(history.current.map(\.samples) == [5] && history.past.isEmpty)
    history.add(state(6, isHeld: false))
    #expect(history.current.isEmpty && history.past.map(\.duration) == [4_000_000_000])
    #expect(history.past.allSatisfy { $0.isOver })
  }

  @Test func aCommitBetweenTwoSamplesBeginsAnotherHold() {
    var history = HoldHistory()
    history.add(state(1, isHeld: true, commits: 1))
    history.add(state(2, isHeld: true, commits: 1))
    history.add(state(3, isHeld: true, commits: 2))
    history.add(state(4, isHeld: true, commits: 2))
    #expect(history.past.map(\.duration) == [1_000_000_000])
    #expect(history.current.map(\.duration) == [1_000_000_000])
    #expect(history.longest?.duration == 1_000_000_000)
  }

  // MARK: - The checkpoint

  private func index(frames: UInt32, checkpointed: UInt32, marks: [UInt32?]) throws -> WALIndex {
    var index = try #require(WALIndex(Array(repeating: 0, count: WALIndex.size)))
    index.frames = frames
    index.checkpointed = checkpointed
    index.readMarks = marks
    return index
  }

  private func reader(_ slot: Int) -> LockState.Reader {
    LockState.Reader(process: process, slot: slot, mark: nil)
  }

  @Test func aReaderBehindTheLogStopsTheCheckpoint() throws {
    let index = try index(frames: 100, checkpointed: 0, marks: [0, 40, 20, 100, nil])
    let state = CheckpointState(index, [reader(1), reader(3)])
    #expect(state.obstacle == .stops(slot: 1, frame: 40))
    #expect(CheckpointState(index, [reader(1), reader(2)]).obstacle == .stops(slot: 2, frame: 20))
    #expect(CheckpointState(index, [reader(3)]).obstacle == nil)
    #expect(CheckpointState(index, []).obstacle == nil)
  }

  @Test func readMarkZeroStopsTheWholeCheckpoint() throws {
    let behind = try index(frames: 100, checkpointed: 0, marks: [0, 100, nil, nil, nil])
    #expect(CheckpointState(behind, [reader(0), reader(1)]).obstacle == .copiesNothing)
    let done = try index(frames: 100, checkpointed: 100, marks: [0, 100, nil, nil, nil])
    #expect(CheckpointState(done, [reader(0)]).obstacle == nil)
    let empty = try index(frames: 0, checkpointed: 0, marks: [0, nil, nil, nil, nil])
    #expect(CheckpointState(empty, [reader(0)]).obstacle == nil)
  }

  @Test func aReaderAtTheEndOfACopiedLogKeepsItFromBeginningAgain() throws {
    let index = try index(frames: 100, checkpointed: 100, marks: [0, 100, nil, nil, nil])
    #expect(CheckpointState(index, [reader(1)]).obstacle == .keepsLog(slot: 1))
  }
}
