// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The repeats of a statement while they are being counted.
///
///     run(values 7) · run(values 9) · run(values 7) ── a repeat ── commit · run(values 7) ── none
struct RepeatTally {
  // 256 is arbitrary: a value that repeats after more than this many others is not tracked.
  static let maxValues = 256

  /// Values that one process bound; on one connection where a program has its own, since a server's requests have one
  /// each.
  struct Values: TallyKey {
    var process: Int
    var connection: UInt64 = 0
    var hash: UInt64
    var mixed: UInt64 {
      hash ^ UInt64(truncatingIfNeeded: process) << 48 ^ connection << 32
    }
  }

  // Arbitrary: the statements of a loop's body, and the time that a request of a server may take.
  private static let maxBetween: UInt64 = 4
  private static let maxPause: Nanoseconds = 1_000_000_000
  // A poll sleeps, and would take a fiftieth less time without the repeats. A language may take some milliseconds for a
  // row.
  private static let maxPausePerTime: Nanoseconds = 50
  private static let minPause: Nanoseconds = 5_000_000

  /// When a run was: how many its connection had run before, and the time.
  struct Moment {
    var number: UInt64
    var time: Nanoseconds

    /// - Parameter duration: the time of the run; 0 if it is not known.
    func isNear(_ earlier: Self, _ duration: Nanoseconds) -> Bool {
      let (limit, isTooLarge) = duration.multipliedReportingOverflow(by: maxPausePerTime)
      let pause =
        duration > 0 && !isTooLarge ? min(max(limit, minPause), maxPause) : maxPause
      return number.since(earlier.number) <= maxBetween + 1
        && self.time.since(earlier.time) <= pause
    }
  }

  private struct Seen {
    /// The number of commits of its process at that time.
    var generation: UInt64
    var runs: UInt64
    var last: Moment?
  }

  private(set) var repeats = Repeats()
  private var seen = SmallTable<Values, Seen>()

  /// - Parameter generation: the number of commits of the process so far; the rows may differ after
  ///   a commit.
  mutating func add(
    _ values: Values, generation: UInt64, time: Nanoseconds, at moment: Moment? = nil
  ) {
    // A source without values writes 0.
    guard values.hash != 0 else { return }
    guard var known = seen[values], known.generation == generation else {
      if seen.count >= Self.maxValues { seen.keep { $0.runs > 1 } }
      if seen.count < Self.maxValues {
        seen.set(Seen(generation: generation, runs: 1, last: moment), for: values)
      }
      return
    }
    known.runs.add(1)
    if let moment, let last = known.last, moment.isNear(last, time) { repeats.near.add(1) }
    known.last = moment
    seen.set(known, for: values)
    repeats.runs.add(1)
    repeats.time.add(time)
    repeats.mostOfOneValue = max(repeats.mostOfOneValue, known.runs)
  }
}
