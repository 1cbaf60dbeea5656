// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ObjectStore

package struct Stop: Entity {
  package let identifier = Attribute<Int64>("identifier")
  package let latitude = Attribute<Double>("latitude")
  package let longitude = Attribute<Double>("longitude")
  package let name = Attribute<String>("name")
  package static let indexes = [Index<Stop>(\.longitude, \.latitude)]

  package init() {}
}

/// A store of stops in a temporary folder, opened by every peer.
package final class StopFixture {
  package let url: URL
  package let container: PersistentContainer
  package let database: CDatabase

  package init(count: Int) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "store-bench-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appending(path: "stops.sqlite")
    container = try PersistentContainer(at: url, entities: Stop.self)
    database = try CDatabase(path: url.path)
    try fill(count: count)
  }

  /// Puts so many stops in the place of those that are there.
  package func fill(count: Int) throws {
    try database.execute(
      """
      BEGIN; DELETE FROM ZSTOP;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO ZSTOP(Z_PK, Z_ENT, Z_OPT, ZIDENTIFIER, ZLATITUDE, ZLONGITUDE, ZNAME)
      SELECT i, 1, 1, i * 7, 52.3 + (i * 7919 % 100000) / 250000.0,
        13.1 + (i * 104729 % 100000) / 166666.0, 'U Görlitzer Bahnhof ' || i || ' (Berlin)' FROM n
        WHERE \(count) > 0;
      UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_NAME = 'Stop'; COMMIT;
      """)
  }

  deinit {
    container.close()
    try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
  }
}
