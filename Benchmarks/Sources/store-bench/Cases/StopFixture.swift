// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import ObjectStore

struct Stop: Entity {
  let identifier = Attribute<Int64>("identifier")
  let latitude = Attribute<Double>("latitude")
  let longitude = Attribute<Double>("longitude")
  let name = Attribute<String>("name")
  static let indexes = [Index<Stop>(\.longitude, \.latitude)]
}

/// A store of stops in a temporary folder, opened by every peer.
final class StopFixture {
  let url: URL
  let container: PersistentContainer
  let database: CDatabase

  init(count: Int) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "store-bench-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appending(path: "stops.sqlite")
    container = try PersistentContainer(at: url, entities: Stop.self)
    database = try CDatabase(path: url.path)
    try database.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO ZSTOP(Z_PK, Z_ENT, Z_OPT, ZIDENTIFIER, ZLATITUDE, ZLONGITUDE, ZNAME)
      SELECT i, 1, 1, i * 7, 52.3 + (i * 7919 % 100000) / 250000.0,
        13.1 + (i * 104729 % 100000) / 166666.0, 'U Görlitzer Bahnhof ' || i || ' (Berlin)' FROM n;
      UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_NAME = 'Stop';
      """)
  }

  deinit {
    container.close()
    try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
  }
}
