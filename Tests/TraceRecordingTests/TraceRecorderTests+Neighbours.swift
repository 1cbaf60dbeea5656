// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import StoreEvents
import Synchronization
import TestSupport
import Testing
import TraceReading

/// Recordings beside other recordings, and beside programs that are not recorded.
extension TraceRecorderTests {
  @Test func eachOfTwoRecordingsHoldsItsOwnProcessesOnly() async throws {
    let (first, second) = (recorder, try Recorder())
    let emitter = BuiltProducts.path(of: "event-emitter")
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

  /// Beside one that runs, each has a daemon of its own: otherwise each of the programs would register
  /// with every session.
  @Test(.endsWhenStuck, arguments: [nil, 61_003] as [uid_t?])
  func recordingsThatBeginTogetherMissNothing(user: uid_t?) async throws {
    guard user == nil || geteuid() == 0 else { return }
    let emitter = try programOfAnyUser()
    let isOver = recorder.folder.path("over")
    _ = try await recorder.record("until", isOver) { _ in
      defer { #expect(FileManager.default.createFile(atPath: isOver, contents: nil)) }
      try await recorder.waitForEmitter()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for count in 1...8 {
          group.addTask {
            let become = user.map { ["setpriv", "--reuid", "\($0)", "--clear-groups"] } ?? []
            let one = try Recorder()
            let run = try await one.record(
              options: ["--lttng", "--no-probe"],
              command: become + ["sh", "-c", "echo $LTTNG_HOME; exec '\(emitter)' burst \(count)"])
            #expect(run.status == 0, "\(run.errorOutput)")
            #expect(run.output.hasPrefix("/tmp/trace-report-\(geteuid())/\(run.processID)-"))
            #expect(try fetches(in: one.trace).values.map(\.count) == [count])
          }
        }
        try await group.waitForAll()
      }
    }
    try expectNothingLeft()
  }

  /// A copy of the emitter in a folder that other users may enter.
  private func programOfAnyUser() throws -> String {
    let path = recorder.folder.path("emitter")
    try FileManager.default.copyItem(atPath: BuiltProducts.path(of: "event-emitter"), toPath: path)
    chmod(recorder.folder.url.path, 0o755)
    return path
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
