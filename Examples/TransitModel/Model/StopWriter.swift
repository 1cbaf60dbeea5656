// SPDX-License-Identifier: Apache-2.0

import ObjectStore

/// Writes stops and their times into a new store, in batches, without making objects.
public final class StopWriter {
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private var pending: [(stop: ManagedObjectID, time: StopTimeRecord)] = []

  // Large enough that the cost of a transaction is negligible, small enough that its log stays in
  // memory.
  private static let batchSize = 32_768

  init(path: String) throws {
    container = try StopStore.open(path, version: .after)
    context = container.newBackgroundContext()
    pending.reserveCapacity(Self.batchSize)
  }

  /// Inserts stops and the words of their names, and returns their ids in the same order.
  func insert(_ records: [StopRecord]) throws -> [ManagedObjectID] {
    let result = try context.batchInsert(Stop.self, count: records.count) { row, index in
      let record = records[index]
      row.identifier = record.identifier
      row.latitude = record.coordinate.latitude
      row.longitude = record.coordinate.longitude
      row.name = record.name
    }
    let ids = records.indices.map(result.objectID(at:))
    try context.insertTerms(
      zip(records, ids).flatMap { stop, id in stop.name.searchWords.map { ($0, id) } })
    return ids
  }

  /// Inserts a stop time after the existing ones of its stop.
  func insert(_ time: StopTimeRecord, of stop: ManagedObjectID) throws {
    pending.append((stop, time))
    if pending.count == Self.batchSize { try flush() }
  }

  /// Inserts what waits for its batch to be full.
  private func flush() throws {
    try context.batchInsert(StopTime.self, count: pending.count) { row, index in
      let (stop, time) = pending[index]
      row.arrivalTime = time.arrivalTime
      row.departureTime = time.departureTime
      row.pickupType = time.pickupType
      row.dropOffType = time.dropOffType
      row.stop = stop
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Inserts the last batch, and leaves no log beside the file.
  func close() throws {
    try flush()
    container.close()
  }
}

extension ManagedObjectContext {
  /// Inserts words of names, each with its stop.
  func insertTerms(_ terms: [(word: String, stop: ManagedObjectID)]) throws {
    try batchInsert(SearchTerm.self, count: terms.count) { row, index in
      row.normalizedWord = terms[index].word
      row.stop = terms[index].stop
    }
  }
}
