// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

extension Profile.Totals {
  /// The difference to an earlier moment.
  func since(_ earlier: Self) -> Self {
    var totals = Self()
    for path in Self.counts {
      totals[keyPath: path] = self[keyPath: path] &- earlier[keyPath: path]
    }
    for path in Self.times { totals[keyPath: path] = self[keyPath: path] &- earlier[keyPath: path] }
    return totals
  }

  /// Every count of them.
  public static var counts: [WritableKeyPath<Self, UInt64>] {
    [
      \.fetches, \.counts, \.nestedFetches, \.rows, \.faults, \.relationshipFaults, \.cacheHits,
      \.cacheMisses, \.saves, \.errors,
    ]
  }

  /// Every time of them.
  public static var times: [WritableKeyPath<Self, Nanoseconds>] {
    [\.connectionTime, \.totalTime, \.faultTime, \.saveTime]
  }
}
