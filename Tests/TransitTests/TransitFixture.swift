// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import TestSupport
import TransitModel

/// A small city's store in a folder of its own, and SQL written by hand to hold it against.
final class TransitFixture {
  let folder: TemporaryDirectory
  let path: String

  init(stops: Int = 300, stopTimes: Int = 12_000, seed: UInt64 = 1) async throws {
    folder = try TemporaryDirectory()
    path = folder.path("transit.sqlite")
    let city = City(stops: stops, stopTimes: stopTimes, seed: seed)
    try await NewStore.make(at: path, replacing: false) { try $0.write(city) }
  }

  /// The first column of a query's rows.
  func integers(_ sql: String) throws -> [Int64] { try Self.integers(sql, in: path) }

  static func integers(_ sql: String, in path: String) throws -> [Int64] {
    let statement = try Connection(path: path, mode: .readOnly).prepare(sql)
    var rows: [Int64] = []
    while try statement.step() { rows.append(statement.int64(0)) }
    return rows
  }

  /// The identifiers that a search finds, in the order in which it shows them.
  func search(_ search: StopSearch, _ version: Version) throws -> [Int64] {
    try StopStore(path: path, version: version).run(search).found.map(\.identifier)
  }
}
