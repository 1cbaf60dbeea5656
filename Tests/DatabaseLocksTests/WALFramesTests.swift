// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

@testable import DatabaseLocks

/// The valid frames equal the frames that SQLite's own recovery accepts.
@Suite struct WALFramesTests {
  private let directory: TemporaryDirectory
  private var log: String { directory.path("app.db-wal") }

  init() throws { directory = try TemporaryDirectory() }

  private func write(_ commits: Int) throws -> Connection {
    let connection = try Connection(path: directory.path("app.db"))
    try connection.execute(
      "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (a)")
    for number in 1..<commits { try connection.execute("INSERT INTO t VALUES (\(number))") }
    return connection
  }

  @Test func eachCommitIsCounted() throws {
    let connection = try write(20)
    let index = FileBytes.read(directory.path("app.db-shm"), count: 136).flatMap {
      WALIndex($0.bytes)
    }
    let frames = try #require(WALFrames(path: log))
    #expect(frames.committed == index?.frames)
    #expect(frames.pages == index?.pages)
    // The change of the journal mode is in the file.
    #expect(frames.commits.count == 20)
    #expect(frames.transactions(after: frames.commits[4], to: frames.committed) == 15)
    withExtendedLifetime(connection) {}
  }

  @Test func aDamagedFrameEndsTheLog() throws {
    let connection = try write(20)
    let whole = try #require(WALFrames(path: log))
    var bytes = try Data(contentsOf: URL(filePath: log))
    let frame = Int(whole.commits[9]) - 1
    bytes[32 + frame * 4120 + 100] ^= 1
    let copy = directory.path("copy-wal")
    try bytes.write(to: URL(filePath: copy))
    let frames = try #require(WALFrames(path: copy))
    #expect(frames.commits == Array(whole.commits[..<9]))
    withExtendedLifetime(connection) {}
  }

  @Test(arguments: ["", "some text that is no log at all"]) func otherFilesHaveNoFrame(
    text: String
  ) throws {
    try text.write(toFile: log, atomically: false, encoding: .utf8)
    let frames = try #require(WALFrames(path: log))
    #expect(!frames.hasHeader && frames.valid == 0)
  }
}
