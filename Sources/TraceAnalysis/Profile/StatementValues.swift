// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The values that runs of each statement bound, as far as they were recorded, in bounded memory.
public struct StatementValues: Sendable {
  private struct Sample {
    var sampler: RunSampler
    var first: [String] = []
    var later: [String] = []
  }

  private var samples: [StatementID: Sample] = [:]
  private var byteCount = 0

  /// Makes an empty table.
  public init() {}

  /// The values of some runs of a statement: the first distinct ones, then a sample of the others.
  public subscript(id: StatementID) -> [RecordedValues] {
    guard let sample = samples[id] else { return [] }
    return (sample.first + sample.later).compactMap { RecordedValues(text: $0) }
  }

  mutating func add(_ event: ValuesBound) {
    // Whole values, for a replay, have no limit of their own.
    guard byteCount < Bounds.values, event.values.utf8.count <= 4 * RecordedValues.maxSize else {
      return
    }
    var sample = samples[event.statementID] ?? Sample(sampler: RunSampler(event.statementID))
    // Stable from one process to the next, as `hashValue` is not: the choice is reproducible.
    let hash = Int(truncatingIfNeeded: StatementID(sql: event.values).rawValue)
    switch sample.sampler.choose(hash: hash) {
    case .first: sample.first.append(event.values)
    case .sample(let slot) where slot < sample.later.count: sample.later[slot] = event.values
    case .sample: sample.later.append(event.values)
    case .skip: return
    }
    byteCount += event.values.utf8.count
    samples[event.statementID] = sample
  }
}
