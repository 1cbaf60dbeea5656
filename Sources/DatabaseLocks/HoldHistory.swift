// SPDX-License-Identifier: Apache-2.0

/// A lock that one process was seen to hold at every sample for some time.
public struct Hold: Hashable, Sendable {
  public enum Role: Hashable, Sendable {
    case writer
    /// A reader that stops the checkpoint or keeps the log.
    case pinningReader(slot: Int, mark: UInt32?)
  }

  public var process: LockingProcess
  public var role: Role
  /// Nanoseconds since 1970, of the first and the last sample that saw it.
  public var since: Int64
  public var until: Int64
  /// How long it was seen, by a clock that is never set.
  public var duration: Int64
  public var samples: Int
  /// Whether the last sample did not see it any more.
  public var isOver: Bool
  fileprivate var began: Int64
  fileprivate var stamp: CommitStamp
}

/// The locks that were held over a number of samples.
///
/// A writer's hold ends where a commit was counted between two samples: a hold after it belongs to
/// another transaction. A transaction without a commit, taken and ended between two samples, cannot
/// be seen.
public struct HoldHistory: Sendable {
  /// The holds that go on, the longest first.
  public private(set) var current: [Hold] = []
  /// The holds that ended, the newest last.
  public private(set) var past: [Hold] = []
  public private(set) var samples = 0
  /// The longest hold of each role so far.
  public var longest: Hold? { (past + current).max { $0.duration < $1.duration } }

  // 1,000 is arbitrary: a screen shows ten.
  private static let capacity = 1000

  public init() {}

  /// Adds a sample, which must be later than all earlier ones.
  public mutating func add(_ state: LockState) {
    samples += 1
    let held = Self.holds(in: state)
    var next: [Hold] = []
    for hold in held {
      next.append(continued(hold, state.sample) ?? hold)
    }
    for var old in current {
      if next.contains(where: { Self.isSame($0, old) && $0.began == old.began }) { continue }
      old.isOver = true
      past.append(old)
    }
    if past.count > Self.capacity { past.removeFirst(past.count - Self.capacity) }
    current = next.sorted { $0.duration > $1.duration }
  }

  private static func holds(in state: LockState) -> [Hold] {
    let roles: [(LockingProcess, Hold.Role)] =
      state.writers.map { ($0.process, .writer) }
      + state.pinningReaders.compactMap { reader in
        reader.slot.map { (reader.process, .pinningReader(slot: $0, mark: reader.mark)) }
      }
    return roles.map { process, role in
      Hold(
        process: process, role: role, since: state.sample.began, until: state.sample.ended,
        duration: 0, samples: 1, isOver: false, began: state.sample.uptime,
        stamp: state.sample.stampBefore)
    }
  }

  private static func isSame(_ a: Hold, _ b: Hold) -> Bool {
    a.process == b.process && a.role == b.role
  }

  private func continued(_ hold: Hold, _ sample: LockSample) -> Hold? {
    guard var old = current.first(where: { Self.isSame($0, hold) }) else { return nil }
    if hold.role == .writer, old.stamp != sample.stampAfter { return nil }
    old.until = hold.until
    old.duration = sample.uptime - old.began
    old.samples += 1
    return old
  }

  /// The hold of a process that a state shows, if it goes on.
  public func hold(of process: LockingProcess, isWriter: Bool) -> Hold? {
    current.first { $0.process == process && ($0.role == .writer) == isWriter }
  }
}
