// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// What runs cost, as `replay --json` has it.
public struct ReplayWork: CountedFields, Additive {
  /// Runs and their time.
  public struct Fields: Codable, Hashable, Sendable {
    public var runs: UInt64 = 0
    /// In `sqlite3_step`.
    public var timeNs: UInt64 = 0

    public init() {}
  }

  public var fields: Fields
  public var counters: StatementCounters

  public init(fields: Fields = Fields(), counters: StatementCounters = StatementCounters()) {
    (self.fields, self.counters) = (fields, counters)
  }

  /// A counter.
  public subscript(dynamicMember path: KeyPath<StatementCounters, UInt64>) -> UInt64 {
    counters[keyPath: path]
  }

  /// Adds the work of other runs.
  public mutating func add(_ other: Self) {
    fields.runs.add(other.runs)
    fields.timeNs.add(other.timeNs)
    counters.add(other.counters)
  }
}
