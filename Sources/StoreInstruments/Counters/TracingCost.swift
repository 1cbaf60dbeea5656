// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Synchronization

/// The total time of the observers, estimated from a sample of timed calls.
///
///     call      1 … 61   122   183   …
///     weight    1 each    61    61        a timed call counts for all since the previous one
final class TracingCost: Sendable {
  /// A prime, so that it meets every kind of event of a program that repeats itself; so large
  /// that reading the clock adds less than a hundredth to what an event costs.
  static let stride: UInt64 = 61

  private let calls = Atomic<UInt64>(0)
  private let weightedTime = Atomic<Int64>(0)

  var time: Nanoseconds { weightedTime.load(ordering: .relaxed) }

  @inline(__always)
  func measuring(_ body: () -> Void) {
    let call = calls.wrappingAdd(1, ordering: .relaxed).newValue
    guard call <= Self.stride || call % Self.stride == 0 else { return body() }
    let start = TraceClock.now
    body()
    let time = TraceClock.now - start
    let weight: Int64 = call <= Self.stride ? 1 : Int64(Self.stride)
    weightedTime.wrappingAdd(weight &* time, ordering: .relaxed)
  }
}
