// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The cost of tracing in the traced programs' time, which they measured for a sample of their
/// events.
///
/// The cost of the tracer's own processes is not included.
public struct TracingCost: Hashable, Sendable {
  /// The time that tracing took.
  public var time: Nanoseconds
  /// The mean of all events.
  public var timePerEvent: Nanoseconds
}

extension Profile {
  /// Nil if it is unknown for a process: it is of an older version, or was killed early.
  public var tracingCost: TracingCost? {
    var (time, events): (Nanoseconds, UInt64) = (0, 0)
    for process in processes {
      guard let part = process.tracingTime, let emitted = process.eventsEmitted else { return nil }
      time.add(part)
      events.add(emitted)
    }
    guard events > 0 else { return nil }
    return TracingCost(time: time, timePerEvent: time / Int64(clamping: events))
  }
}
