// SPDX-License-Identifier: Apache-2.0

import Foundation
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
    #expect(try container.viewContext.fetch(FetchRequest<Stop>()).map(\.name) == ["A"])
    try writer.execute("COMMIT")
    #expect(try fixture.reopened(options: options).viewContext.count(FetchRequest<Stop>()) == 1)
  }

  @Test func opensAHundredTimesBesideAWriterWithoutWaiting() async throws {
    let fixture = try StoreFixture()
    fixture.makeStop("A")
    try fixture.context.save()
    let path = fixture.url.path
    let end = Date(timeIntervalSinceNow: seconds)
    // Each of its transactions lasts longer than an opening may wait.
    let writes = Task.detached {
      let writer = try Connection(path: path)
      var count = 0
      while Date() < end {
        try writer.execute(
          "BEGIN IMMEDIATE; INSERT INTO ZSTOP(Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 'x')")
        try await Task.sleep(for: .milliseconds(120))
        try writer.execute("COMMIT")
        count += 1
      }
      return count
    }
    // A wait of more than that fails.
    var options = StoreOptions()
    options.busyTimeout = .milliseconds(50)
    for _ in 0..<100 {
      let container = try fixture.reopened(options: options)
      #expect(try container.viewContext.count(FetchRequest<Stop>()) >= 1)
      container.close()
      try await Task.sleep(for: .seconds(seconds / 110))
    }
    #expect(try await writes.value > 1)
  }

  @Test func closingDoesNotWaitForAWriter() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("A")
    try fixture.context.save()
    let writer = try Connection(path: fixture.url.path)
    try writer.execute("BEGIN IMMEDIATE; UPDATE ZSTOP SET ZNAME = 'B'")
    let start = ContinuousClock.now
    fixture.container.close()
    // The store's own limit is five seconds.
    #expect(ContinuousClock.now - start < .seconds(2))
    try writer.execute("COMMIT")
  }
}
