// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// When announcements are repeated, for a reader that started late or lost the beginning.
public struct Intervals: Hashable, Sendable {
  /// Uses of a statement after which its text is announced again.
  public var uses: UInt64
  /// Events after which the counters are sampled.
  public var events: UInt64
  /// Time after which either happens as well; `nil` is never.
  public var time: Nanoseconds?

  public init(uses: UInt64, events: UInt64, time: Nanoseconds?) {
    self.uses = uses
    self.events = events
    self.time = time
  }

  /// By counts alone: the same events in every run.
  public static let counted = Intervals(uses: 1_000, events: 1_024, time: nil)

  /// By counts, and after a second: a session may start at any moment.
  public static let timed = Intervals(uses: 1_000, events: 1_024, time: 1_000_000_000)
}
