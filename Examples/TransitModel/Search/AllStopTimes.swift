// SPDX-License-Identifier: Apache-2.0

import ObjectStore

/// The cost of iterating over all stop times of a store.
public struct AllStopTimes: Sendable {
  /// The number of stop times.
  public var count: Int
  /// The first and the last departure; nil if there are none.
  public var departures: ClosedRange<ServiceTime>?
  /// Until the count was known.
  public var fetchTime: Duration
  /// The time from the first object to the last.
  public var readTime: Duration
  /// The most memory that the process was seen to take meanwhile, in bytes.
  public var peakMemory: Int
}

extension StopStore {
  /// Reads the departure of every stop time.
  ///
  ///     SELECT 0, t0.Z_PK FROM ZSTOPTIME t0 ORDER BY t0.Z_PK
  ///     SELECT 0, t0.Z_PK, … FROM ZSTOPTIME t0 WHERE  t0.Z_PK BETWEEN ? AND ?  LIMIT 50
  ///
  /// - Parameter batchSize: how many are loaded at a time; 0 for all at once.
  /// - Throws: `StoreError`.
  public func readAllStopTimes(batchSize: Int) throws -> AllStopTimes {
    let context = container.newBackgroundContext()
    var request = FetchRequest<StopTime>()
    request.returnsObjectsAsFaults = false
    request.fetchBatchSize = batchSize
    let start = ContinuousClock.now
    guard batchSize > 0 else {
      return read(try context.fetch(request), since: start)
    }
    return read(try context.fetchInBatches(request), since: start)
  }

  private func read(
    _ stopTimes: some Collection<ManagedObject<StopTime>>, since start: ContinuousClock.Instant
  ) -> AllStopTimes {
    let known = ContinuousClock.now
    var first = Int64.max
    var last = Int64.min
    var peak = 0
    for (index, stopTime) in stopTimes.enumerated() {
      if index % 4096 == 0 { peak = max(peak, ProcessMemory.current ?? 0) }
      guard let departure = stopTime.departureTime else { continue }
      first = min(first, departure)
      last = max(last, departure)
    }
    return AllStopTimes(
      count: stopTimes.count,
      departures: first <= last ? ServiceTime(seconds: first)...ServiceTime(seconds: last) : nil,
      fetchTime: known - start, readTime: ContinuousClock.now - known,
      peakMemory: max(peak, ProcessMemory.current ?? 0))
  }
}
