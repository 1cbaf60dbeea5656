// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// The batched fetches of one line of code, and the objects that were loaded of them.
public struct BatchProfile: Hashable, Sendable, Codable {
  /// The line of code.
  public var location: SourceLocation
  /// The entity's name.
  public var entity: String
  /// The statement that found the keys.
  public var statement: StatementID
  /// The largest one requested.
  public var batchSize: UInt64 = 0
  /// Batched fetches.
  public var fetches: UInt64 = 0
  /// Rows that the fetches found.
  public var rows: UInt64 = 0
  /// Batches loaded.
  public var batches: UInt64 = 0
  /// Rows that the batches loaded; a row that was loaded twice counts twice.
  public var rowsLoaded: UInt64 = 0
  /// The time that loading the batches took.
  public var batchTime: Nanoseconds = 0
}

extension BatchProfile: Summed {
  public static let sums = Sums<Self, Self>(
    \.fetches, \.rows, \.batches, \.rowsLoaded, \.batchTime, max: \.batchSize)
}

extension ProfileBuilder {
  struct BatchKey: Hashable {
    var location: SourceLocation
    var statement: StatementID
  }

  // 10,000 results are more than a program keeps; the oldest ones beyond that are evicted.
  private static let maxBatchedFetches = 10_000

  /// Records a batched fetch.
  mutating func addBatch(_ event: FetchEnd, from location: SourceLocation, in process: Int) {
    if event.kind == .batch {
      guard let fetch = batchedFetches[Key(process: process, id: event.parentID)] else { return }
      batches[fetch]?.batches.add(1)
      batches[fetch]?.rowsLoaded.add(event.rows)
      batches[fetch]?.batchTime.add(event.totalTime)
    } else if event.batchSize > 0 {
      if batchedFetches.count >= Self.maxBatchedFetches { batchedFetches.removeAll() }
      let key = BatchKey(location: location, statement: event.statementID)
      guard batches.count < Bounds.statements || batches[key] != nil else { return }
      batchedFetches[Key(process: process, id: event.fetchID)] = key
      var profile =
        batches[key]
        ?? BatchProfile(location: location, entity: event.entity, statement: event.statementID)
      profile.batchSize = max(profile.batchSize, event.batchSize)
      profile.fetches.add(1)
      profile.rows.add(event.rows)
      batches[key] = profile
    }
  }

  var batchProfiles: [BatchProfile] {
    batches.values.sorted(
      by: \.batchTime,
      then: \.sortKey)
  }
}

extension BatchProfile {
  var sortKey: String { "\(location.file):\(location.line) \(statement)" }
}
