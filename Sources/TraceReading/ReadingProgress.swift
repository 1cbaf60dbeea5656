// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// How far a reading is.
public struct ReadingProgress: Hashable, Sendable {
  /// The events that were read so far.
  public var events: UInt64
  /// How much of the inputs that is, from 0 to 1; nil where it is unknown, as of a pipe.
  public var part: Double?
}

/// Bytes of an input that were read, and all of them.
package struct ReadingExtent {
  package var read: Double
  package var all: Double
}

extension [any EventSource] {
  /// - Parameter elapsed: the time between the first event and the last one that was read.
  func part(after elapsed: Nanoseconds) -> Double? {
    var (read, all) = (0.0, 0.0)
    for source in self {
      guard let extent = source.extent(after: elapsed) else { return nil }
      read += extent.read
      all += extent.all
    }
    return all > 0 ? Swift.min(read / all, 1) : nil
  }
}
