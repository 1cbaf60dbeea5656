// SPDX-License-Identifier: Apache-2.0

import Glibc
public import StoreEvents

/// The monotonic clock that all durations are taken from.
public enum TraceClock {
  /// Nanoseconds of `CLOCK_MONOTONIC`.
  public static var now: Nanoseconds {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
