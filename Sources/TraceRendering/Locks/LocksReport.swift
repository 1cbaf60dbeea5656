// SPDX-License-Identifier: Apache-2.0

public import DatabaseLocks
import StoreEvents

/// The lock state of a database and the locks that were held while it was observed.
public struct LocksReport: Sendable {
  public var state: LockState
  public var history: HoldHistory
  /// Whether more than one sample was taken, so that durations mean something.
  public var isObservedOverTime: Bool { history.samples > 1 }

  public init(_ state: LockState, _ history: HoldHistory) {
    (self.state, self.history) = (state, history)
  }

  /// The newest first.
  func pastHolds(atMost count: Int) -> [Hold] { history.past.suffix(count).reversed() }
}

extension LockingProcess {
  /// `python3[4711]`.
  var name: String { pid == 0 ? program : "\(program)[\(pid)]" }

  /// The user, the container's own process id, and the command where it is more than the program.
  var details: String {
    var parts: [String] = []
    if let userID { parts.append("user \(user ?? String(userID))") }
    if let containerPID {
      let namespace = container.map { "container \($0)" } ?? "its namespace"
      parts.append("pid \(containerPID) in \(namespace)")
    }
    // 200 is arbitrary: a program and its script; --json has all of it.
    let command = command.count > 200 ? command.prefix(200) + "…" : command
    if !command.isEmpty, command != program { parts.append(command) }
    return parts.joined(separator: " · ")
  }
}

extension LockState.Waiter.Evidence {
  /// How it is known that a process waits.
  var words: String {
    switch self {
    case .queued: "waits in the kernel's queue"
    case .pending: "waits for readers to finish, then commits (PENDING)"
    case .sleeping: "may be waiting: a thread sleeps as SQLite's busy handler does"
    }
  }
}

extension CheckpointState.Obstacle {
  /// The effect of a reader, without its name.
  var words: String {
    switch self {
    case .copiesNothing: "copies nothing: a reader uses read mark 0, the database without the log"
    case .stops(let slot, let frame):
      "stops at frame \(frame.grouped): read mark \(slot) is in use"
    case .keepsLog(let slot):
      "has copied everything, but the log cannot begin again: read mark \(slot) is in use"
    }
  }
}

extension FixedWidthInteger {
  fileprivate var grouped: String { UInt64(clamping: self).grouped }
}
