// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The occurrences that met a condition of a flight recorder and have no incident.
public struct SkippedEvents: Sendable {
  private var incidents: [Offender] = []
  private var skipped: [Offender] = []
  /// The time of the newest event that was counted: the next snapshot contains it again.
  private var counted: Nanoseconds = .min

  /// Makes an empty list.
  public init() {}

  /// The number of occurrences.
  public var count: UInt64 { UInt64(skipped.count) }

  /// Adds the new events of a snapshot, the oldest first.
  public mutating func add(_ events: [Offender]) {
    for event in events where event.timestamp > counted {
      counted = event.timestamp
      guard !incidents.contains(where: event.isSameOccurrence) else { continue }
      if let last = skipped.lastIndex(where: event.isSameOccurrence) {
        skipped[last] = event
      } else {
        skipped.append(event)
      }
    }
  }

  /// Removes the occurrence of an incident.
  public mutating func remove(_ offender: Offender) {
    incidents.append(offender)
    skipped.removeAll(where: offender.isSameOccurrence)
  }
}
