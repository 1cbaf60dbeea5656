// SPDX-License-Identifier: Apache-2.0

import DatabaseLocks
import StoreEvents
import TraceReading
import TraceRecording
import TraceRendering

/// Threads that wait for a pool while all connections are idle: one was not returned to it.
///
///     request 1   checks the connection out, runs SELECT at app.py:8, and keeps it
///     request 2   waits in the pool at app.py:10; SQLite sees nothing of it
struct PoolWait {
  /// What happens, and the fix; nil if no thread waits, or a connection is in use.
  let text: String?

  // A request that computes between two statements for as long also keeps others waiting.
  private static let minIdle: Nanoseconds = 1_000_000_000
  // Arbitrary: the lines that a sentence names.
  private static let maxLines = 3

  /// - Parameter process: the process that was recorded, and runs on.
  init(_ recording: Recording, of process: Int32) {
    let waiting = recording.threads.filter { $0.pool != nil }
    guard let pool = waiting.first?.pool else {
      text = nil
      return
    }
    let now = Clock.now
    var runs = RecentRuns(of: process)
    if recording.hasTrace {
      // What cannot be read is reported by the summary.
      _ = try? TraceReader.read([recording.directory], progress: { _ in }) { runs.add($0) }
    }
    let uses = runs.lastUses.values.sorted { ($0.time, $0.line) < ($1.time, $1.line) }
    guard uses.allSatisfy({ now - $0.time >= Self.minIdle }) else {
      text = nil
      return
    }
    let lines = Set(waiting.map(\.line)).sorted().prefix(Self.maxLines).joined(separator: ", ")
    let sentences = [
      "\(waiting.count.counted("thread waits", "threads wait")) for a connection of \(pool)'s pool "
        + "at \(lines), and no connection runs a statement.",
      Self.sentence(uses, until: now),
      "fix: return the connection to the pool behind its last statement: "
        + "with engine.connect() as connection",
    ]
    text = sentences.map { LogText.escaped($0) + "\n" }.joined()
  }

  private static func sentence(_ uses: [RecentRuns.Use], until now: Nanoseconds) -> String {
    guard !uses.isEmpty else {
      return "No connection was used since the recording began: what keeps it ran before."
    }
    let locations = uses.prefix(maxLines).map {
      "at \($0.line), \(Cell.duration(now - $0.time).text) ago"
    }
    let subject = uses.count == 1 ? "The open connection was" : "The open connections were"
    return "\(subject) last used \(locations.joined(separator: ", and "))."
  }
}
