// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

/// `make test-openings`: an opening that has nothing to change does not wait for writers.
@Suite struct OpeningBesideAWriterTests {
  /// `OPENING_SECONDS=60` writes for a minute.
  private var seconds: Double {
    ProcessInfo.processInfo.environment["OPENING_SECONDS"].flatMap(Double.init) ?? 2
  }

  @Test func opensWhileTheWriteLockIsHeld() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("A", stopTimes: 2)
    try fixture.context.save()
    let writer = try Connection(path: fixture.url.path)
    try writer.execute("BEGIN EXCLUSIVE; UPDATE ZSTOP SET ZNAME = 'B'")
    var options = StoreOptions()
    options.busyTimeout = .milliseconds(20)
    let container = try fixture.reopened(options: options)
    #expect(try container.mainContext.fetch(FetchRequest<Stop>()).map(\.name) == ["A"])
    try writer.execute("COMMIT")
    let again = try fixture.reopened(options: options)
    #expect(try again.mainContext.fetch(FetchRequest<Stop>()).map(\.name) == ["B"])
  }

  @Test func opensAHundredTimesBesideAWriterWithoutWaiting() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("A")
    try fixture.context.save()
    let writer = WritingThread(fixture.url.path, seconds: seconds)
    // A wait of more than that fails; each transaction of the writer lasts longer.
    var options = StoreOptions()
    options.busyTimeout = .milliseconds(50)
    for _ in 0..<100 {
      let container = try fixture.reopened(options: options)
      #expect(try container.mainContext.count(FetchRequest<Stop>()) >= 1)
      container.close()
      usleep(UInt32(seconds * 9_000))
    }
    #expect(try writer.finish() > 1)
  }

  @Test(.endsWhenStuck) func closingDoesNotWaitForAWriter() throws {
    var options = StoreOptions()
    options.busyTimeout = .seconds(3600)
    let fixture = try StoreFixture(options: options)
    fixture.makeStop("A")
    try fixture.context.save()
    let writer = try Connection(path: fixture.url.path)
    try writer.execute("BEGIN IMMEDIATE; UPDATE ZSTOP SET ZNAME = 'B'")
    fixture.container.close()
    try writer.execute("COMMIT")
  }
}

/// Writes one transaction after the other, each with the write lock for 120 ms.
private final class WritingThread: @unchecked Sendable {
  private let isDone = DispatchSemaphore(value: 0)
  private var result = Result<Int, any Error>.success(0)

  init(_ path: String, seconds: Double) {
    Thread.detachNewThread { [self] in
      result = Result { try Self.write(path, until: Date(timeIntervalSinceNow: seconds)) }
      isDone.signal()
    }
  }

  private static func write(_ path: String, until end: Date) throws -> Int {
    let writer = try Connection(path: path)
    var count = 0
    repeat {
      try writer.execute(
        "BEGIN IMMEDIATE; INSERT INTO ZSTOP(Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 'x')")
      usleep(120_000)
      try writer.execute("COMMIT")
      count += 1
    } while Date() < end
    return count
  }

  /// How many transactions it wrote.
  func finish() throws -> Int {
    isDone.wait()
    return try result.get()
  }
}
