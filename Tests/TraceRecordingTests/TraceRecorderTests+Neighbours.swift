// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import Synchronization
import TestSupport
import Testing
import TraceReading

/// Recordings beside other recordings, and beside programs that nobody records.
extension TraceRecorderTests {
  @Test func eachOfTwoRecordingsHoldsItsOwnProcessesOnly() async throws {
    let (first, second) = (recorder, try Recorder())
    let emitter = Recorder.path(of: "event-emitter")
    let isOver = first.folder.path("over")
    let recorded = Mutex<Recorder.Run?>(nil)
    let outer = try await first.record(
      command: ["sh", "-c", "'\(emitter)' burst 5 && exec '\(emitter)' until '\(isOver)'"]
    ) { _ in
      try await first.waitForEmitter()
      // A forked child, an executed one, and a neighbour without a recorder.
      let run = try await second.record(
        command: ["sh", "-c", "'\(emitter)' burst 70 & wait; exec '\(emitter)' burst 90"])
      recorded.withLock { $0 = run }
      let neighbour = try await second.run(emitter, ["burst", "11"])
      #expect(neighbour.status == 0)
      #expect(FileManager.default.createFile(atPath: isOver, contents: nil))
    }
    #expect(outer.status == 0, "\(outer.errorOutput)")
    let inner = try #require(recorded.withLock { $0 })
    #expect(inner.status == 0, "\(inner.errorOutput)")

    let fetches = try (fetches(in: first.trace), fetches(in: second.trace))
    #expect(fetches.1.values.map(\.count).sorted() == [70, 90])
    #expect(inner.output.contains("160 fetches returned "), "\(inner.output)")
    #expect(fetches.0.count == 2)
    #expect(fetches.0.values.contains { $0.count == 5 })
    #expect(Set(fetches.0.keys).isDisjoint(with: fetches.1.keys))
    // The first ran on while the second recorded, so there was something to keep apart.
    let times = fetches.1.values.joined()
    let (began, ended) = try (#require(times.min()), #require(times.max()))
    #expect(fetches.0.values.joined().contains { $0 > began && $0 < ended })
    try expectNothingLeft()
  }

  /// The times at which fetches ended, by process.
  private func fetches(in trace: String) throws -> [Int64: [Nanoseconds]] {
    var times: [Int64: [Nanoseconds]] = [:]
    _ = try TraceReader.read([trace]) { record in
      guard case .fetchEnd = record.event else { return }
      times[record.process.id, default: []].append(record.timestamp)
    }
    return times
  }
}
