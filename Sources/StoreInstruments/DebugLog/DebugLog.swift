// SPDX-License-Identifier: Apache-2.0

import Glibc
public import StoreEvents
import Synchronization

/// The SQL debug log: what a store does, as text, in Core Data's words.
///
///     2026-11-21 14:12:28.633104 transit[2367:2370] ObjectStore: sql: SELECT 0, t0.Z_PK, …
///
/// Writing never fails into the store, never tears a line, and waits at most 100 ms for a
/// reader; lines that could not be written are counted, and the next line written reports them.
public final class DebugLog: StoreObserver {
  /// How much is logged; each level holds those before it.
  public enum Level: Int, CaseIterable, Comparable, Sendable {
    /// Statements, times, faults, saves, and every event's fields.
    case statements = 1
    /// Values bound to statements, which may be private.
    case bindings
    /// Ids of the objects returned.
    case rows
    /// The query plan of each statement on its first use.
    case plans

    public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  public let level: Level
  public let interests: Interests
  private let ownedDescriptor: Int32?
  private let processID = getpid()
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var lines: LogLines
    var sink: LogSink

    /// Begins a group of lines, or goes on with one that is held.
    mutating func begin() {
      lines.start()
      let lost = sink.lost
      guard lost > 0, lines.count == 0 else { return }
      lines.line(.warning) { text in
        text.append(Int64(lost))
        text.append(" lines of this log were lost: they could not be written")
      }
    }

    /// Writes the lines of a group at once.
    mutating func send() {
      let count = lines.count - (sink.lost > 0 ? 1 : 0)
      sink.write(lines.text.bytes, lines: count)
      lines.clear()
    }
  }

  /// Logs to an open descriptor, standard error by default; it is not closed.
  public convenience init(level: Level, descriptor: Int32 = 2) {
    self.init(level: level, descriptor: descriptor, isOwned: false)
  }

  init(level: Level, descriptor: Int32, isOwned: Bool) {
    ownedDescriptor = isOwned ? descriptor : nil
    self.level = level
    interests = Interests(level)
    let offset = LogClock.localOffset
    state = Mutex(
      State(
        lines: LogLines(processName: ProcessName.current, utcOffset: offset),
        sink: LogSink(descriptor: descriptor)))
    write { lines in
      lines.line(.annotation) { text in
        text.append("log opened: vocabulary=")
        text.append(Int64(StoreEvent.vocabularyVersion))
        text.append(" utc_offset=")
        text.append(utcOffset: offset)
        text.append(" level=")
        text.append(Int64(level.rawValue))
      }
    }
    // Any other descriptor may be closed, and be a file of the program now.
    if isOwned || descriptor == STDERR_FILENO { LogEnds.register(self) }
  }

  deinit {
    guard let ownedDescriptor else { return }
    end(status: nil)
    close(ownedDescriptor)
  }

  /// Writes the closing line, unless nothing was written since the last one.
  ///
  /// - Parameter status: the exit code of the process, or nil if it goes on.
  func end(status: Int32?) {
    // The lines that a fork inherits are the parent's.
    guard getpid() == processID else { return }
    // A thread that was stopped may hold the lock forever; then the log has no closing line.
    for _ in 1...100 {
      let isDone: Void? = state.withLockIfAvailable { state in
        guard state.lines.check.lines > 0 else { return }
        state.lines.start()
        state.lines.closing(status: status)
        state.sink.write(state.lines.text.bytes, lines: state.lines.count)
        state.lines.clear()
      }
      if isDone != nil { return }
      usleep(1000)
    }
  }

  private func write(_ body: (inout LogLines) -> Void) {
    state.withLock { state in
      state.begin()
      body(&state.lines)
      state.send()
    }
  }

  public func record(_ event: StoreEvent, contextID: UInt64) {
    // The `sql:` line announces the statement.
    if case .statement = event { return }
    // Not within ``write(_:)``: a second closure copies the event.
    state.withLock { state in
      state.begin()
      state.lines.event(event, contextID: contextID)
      // The SQL of a fetch, or its end, follows at once: one call of write(2) does for both.
      if case .fetchBegin = event { return }
      state.send()
    }
  }

  public func willRun(sql: String, bindings: [BoundValue], contextID: UInt64) {
    write { lines in
      lines.line(.sql) { $0.append(escaping: sql) }
      guard level >= .bindings else { return }
      for (index, value) in bindings.enumerated() { lines.binding(value, at: index) }
    }
  }

  public func didReturn(_ objectURIs: [String], entity: String, sql: String, contextID: UInt64) {
    write { $0.objects(objectURIs, entity: entity) }
  }

  public func didExplain(sql: String, plan: [PlanLine], contextID: UInt64) {
    write { $0.plan(plan, of: sql) }
  }

  public func annotate(_ remark: String, contextID: UInt64) {
    write { $0.line(.annotation) { $0.append(escaping: remark) } }
  }

  public func warn(_ remark: String, contextID: UInt64) {
    write { $0.line(.warning) { $0.append(escaping: remark) } }
  }
}

extension Interests {
  fileprivate init(_ level: DebugLog.Level) {
    self = [.events, .sql]
    if level >= .bindings { insert(.bindings) }
    if level >= .rows { insert(.rows) }
    if level >= .plans { insert(.plans) }
  }
}
