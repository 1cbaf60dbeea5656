// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import SQLiteDriver

/// Writes stops and their times into a new store, in one transaction, without making objects.
public final class StopWriter {
  private let connection: Connection
  private let insertStop: Statement
  private let insertTime: Statement
  private let entityIDs: (stop: Int64, time: Int64)
  private var counts: (stops: Int64, times: Int64) = (0, 0)

  init(path: String) throws {
    let container = try StopStore.open(path, version: .after)
    entityIDs = (
      container.model.entity(named: "Stop")?.entityID ?? 0,
      container.model.entity(named: "StopTime")?.entityID ?? 0
    )
    container.close()
    connection = try Connection(path: path, mode: .readWrite)
    try connection.execute("PRAGMA synchronous = OFF; BEGIN")
    insertStop = try connection.prepare(
      """
      INSERT INTO ZSTOP(Z_PK, Z_ENT, Z_OPT, ZIDENTIFIER, ZLATITUDE, ZLONGITUDE, ZNAME, ZNORMALIZEDNAME)
      VALUES(?, ?, 1, ?, ?, ?, ?, ?)
      """)
    insertTime = try connection.prepare(
      """
      INSERT INTO ZSTOPTIME(Z_PK, Z_ENT, Z_OPT, ZARRIVALTIME, ZDEPARTURETIME, ZDROPOFFTYPE,
        ZPICKUPTYPE, ZSTOP, Z_FOK_STOP)
      VALUES(?, ?, 1, ?, ?, ?, ?, ?, ?)
      """)
  }

  /// Inserts a stop and gives its primary key.
  func insert(_ stop: StopRecord) throws -> Int64 {
    counts.stops += 1
    insertStop.bind(counts.stops, at: 1)
    insertStop.bind(entityIDs.stop, at: 2)
    insertStop.bind(stop.identifier, at: 3)
    insertStop.bind(stop.coordinate.latitude, at: 4)
    insertStop.bind(stop.coordinate.longitude, at: 5)
    insertStop.bind(stop.name, at: 6)
    insertStop.bind(stop.name.searchNormalized, at: 7)
    try insertStop.run()
    return counts.stops
  }

  /// Inserts a stop time of the stop with a primary key, at a place among its stop times.
  func insert(_ time: StopTimeRecord, ofStop stop: Int64, place: Int64) throws {
    counts.times += 1
    insertTime.bind(counts.times, at: 1)
    insertTime.bind(entityIDs.time, at: 2)
    bind(time.arrivalTime, at: 3)
    bind(time.departureTime, at: 4)
    insertTime.bind(Int64(time.dropOffType), at: 5)
    insertTime.bind(Int64(time.pickupType), at: 6)
    insertTime.bind(stop, at: 7)
    insertTime.bind(place, at: 8)
    try insertTime.run()
  }

  private func bind(_ time: Int64?, at index: Int32) {
    if let time { insertTime.bind(time, at: index) } else { insertTime.bindNull(at: index) }
  }

  /// Commits, and leaves no log beside the file.
  func close() throws {
    try connection.execute(
      """
      UPDATE Z_PRIMARYKEY SET Z_MAX = \(counts.stops) WHERE Z_NAME = 'Stop';
      UPDATE Z_PRIMARYKEY SET Z_MAX = \(counts.times) WHERE Z_NAME = 'StopTime';
      COMMIT
      """)
    _ = try connection.checkpoint(.truncate)
  }
}
