// SPDX-License-Identifier: Apache-2.0

import DatabaseLocks
import Glibc
import StoreEvents
import TraceReading
import TraceRecording

/// What the processes that hold locks of a database run, by the probe that is loaded into them.
struct HolderLook {
  let state: LockState

  // The time in which statements are observed.
  private static let seconds = 1
  private static let maxSites = 10

  private var holders: [LockingProcess] {
    var seen: Set<Int32> = [0]
    let processes = state.writers.map(\.process) + state.pinningReaders.map(\.process)
    return (processes + state.readers.map(\.process)).filter { seen.insert($0.pid).inserted }
  }

  /// - Throws: ``Failure`` for processes that cannot be attached to.
  func run() throws {
    var refusals: [String] = []
    if holders.isEmpty { Output.print("\nNo process holds a lock, so none was attached to.\n") }
    for holder in holders where Signals.end == nil {
      do {
        let text = try text(holder.pid)
        let name = LogText.escaped("\(holder.program)[\(holder.pid)]")
        Output.print("\n\(name)\n\(text)")
      } catch let error as RecordingError {
        refusals.append("\(error)")
      }
    }
    if let last = refusals.popLast() {
      for refusal in refusals { Output.complain(LogText.escaped(refusal)) }
      throw Failure(LogText.escaped(last))
    }
  }

  private func text(_ process: Int32) throws -> String {
    let attachment = try LiveAttachment(to: process, guardian: ProgramRecording.guardian)
    defer { ProgramRecording.complain(of: attachment.end()) }
    let reader = try LiveReader(attachment.log, isOurs: true)
    try attachment.begin()
    let threads = try TraceRecorder.threads(of: process)
    var runs = RecentRuns(of: process, inode: state.sample.identity.inode)
    let end = ContinuousClock.now + .seconds(Self.seconds)
    while Signals.end == nil, .now < end {
      usleep(50_000)
      _ = try reader.read(until: end) { runs.add($0) }
    }
    let lines =
      (threads?.map(Self.sentence) ?? ["where its threads are is unknown: it runs no Python"])
      + (runs.counts.isEmpty
        ? ["no statement of this database ended within \(Self.seconds) s"]
        : ["statements of this database within \(Self.seconds) s:"]
          + runs.sentences(atMost: Self.maxSites).map { "  \($0)" })
    return lines.map { "  " + LogText.escaped($0) + "\n" }.joined()
  }

  /// `MainThread is at app.py:12 (work)`.
  static func sentence(_ thread: ProgramThread) -> String {
    let name = thread.name.isEmpty ? "a thread" : thread.name
    let location = "\(thread.line) (\(thread.function))"
    if let pool = thread.pool {
      return "\(name) waits for a connection of \(pool)'s pool at \(location)"
    }
    let inner =
      thread.innermostFunction == thread.function
      ? "" : ", in \(thread.innermostFunction)() at \(thread.innermostLine)"
    return "\(name) is at \(location)\(inner)"
  }
}
