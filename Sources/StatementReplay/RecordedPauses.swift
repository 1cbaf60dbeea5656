// SPDX-License-Identifier: Apache-2.0

import Glibc
public import StoreEvents
import TraceReading

/// The program's own time between statements.
struct RecordedPauses {
  private var first: (recorded: Nanoseconds, now: Nanoseconds)?
  private(set) var lateness = ReplayLateness()

  /// Waits until as much time has passed as in the recording.
  mutating func wait(until recorded: Nanoseconds) throws(ReplayError) {
    let now = Self.now
    guard let first else { return first = (recorded, now) }
    let due = first.now &+ (recorded &- first.recorded)
    lateness.add(now &- due)
    while due > Self.now {
      guard !ReadingInterruption.isRequested else { throw .interrupted }
      // Some hundredths of a second at once, so that a signal ends it soon.
      usleep(useconds_t(min(due - Self.now, 50_000_000) / 1000 + 1))
    }
  }

  private static var now: Nanoseconds {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
  }
}

/// How far a replay with the program's pauses was behind the recording.
public struct ReplayLateness: Hashable, Sendable {
  public private(set) var steps: UInt64 = 0
  public private(set) var lateSteps: UInt64 = 0
  public private(set) var longest: Nanoseconds = 0
  // Arbitrary: a shorter delay is that of the machine's scheduler.
  private static let tolerance: Nanoseconds = 10_000_000

  mutating func add(_ delay: Nanoseconds) {
    steps += 1
    guard delay > Self.tolerance else { return }
    lateSteps += 1
    longest = max(longest, delay)
  }
}
