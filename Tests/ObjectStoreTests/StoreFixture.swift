// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreEvents
import StoreInstruments
import TestSupport
import Testing

/// A new store in a folder of its own, and the events of its instruments.
struct StoreFixture {
  let folder: TemporaryDirectory
  let observer: RecordingObserver
  let container: PersistentContainer

  var context: ManagedObjectContext { container.mainContext }
  var url: URL { folder.url.appending(path: "store.sqlite") }

  init(
    _ entities: [any Entity.Type] = [Stop.self, StopTime.self],
    options: StoreOptions = StoreOptions()
  ) throws {
    folder = try TemporaryDirectory()
    observer = RecordingObserver()
    container = try PersistentContainer(
      at: folder.url.appending(path: "store.sqlite"), entities: entities, options: options,
      instruments: Instruments(observers: [observer]))
  }

  /// A second container on the same file.
  func reopened(
    _ entities: [any Entity.Type] = [Stop.self, StopTime.self],
    options: StoreOptions = StoreOptions(), observer: RecordingObserver = RecordingObserver()
  ) throws -> PersistentContainer {
    try PersistentContainer(
      at: url, entities: entities, options: options,
      instruments: Instruments(observers: [observer]))
  }

  /// A new stop, not saved, with stop times with the headsigns "0", "1" and so on.
  @discardableResult
  func makeStop(
    _ name: String, identifier: Int64 = 1, stopTimes: Int = 0
  ) -> ManagedObject<Stop> {
    let stop = context.insert(Stop.self)
    stop.identifier = identifier
    stop.name = name
    for index in 0..<stopTimes {
      let time = context.insert(StopTime.self)
      time.headsign = "\(index)"
      stop.stopTimes.append(time)
    }
    return stop
  }

  /// Rows of the file itself, by another connection: columns joined by `|`.
  func rows(_ sql: String) throws -> [String] {
    let statement = try Connection(path: url.path, mode: .readOnly).prepare(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append(
        (0..<statement.columnCount)
          .map { statement.isNull($0) ? "NULL" : statement.string($0) }
          .joined(separator: "|"))
    }
    return rows
  }
}
