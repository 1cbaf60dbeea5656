// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ObjectStore

package struct Platform: Entity {
  package let name = Attribute<String>("name")
  /// In the order of the timetable.
  package let calls: ToMany<Call> = ToMany("calls", inverse: \.platform, ordered: true)
  package static let indexes = [Index<Platform>(\.name)]

  package init() {}
}

package struct Call: Entity {
  package let arrivalTime = Attribute<Int64?>("arrivalTime")
  package let departureTime = Attribute<Int64?>("departureTime")
  package let pickupType = Attribute<Int16>("pickupType")
  package let dropOffType = Attribute<Int16>("dropOffType")
  package let platform = ToOne<Platform>("platform", inverse: \.calls)

  package init() {}
}

/// Platforms with 100 calls each, in a store in a temporary folder.
package final class TimetableFixture {
  package static let callsPerPlatform = 100

  package let url: URL
  package let container: PersistentContainer

  package init(platforms: Int) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "store-bench-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appending(path: "timetable.sqlite")
    container = try PersistentContainer(at: url, entities: Platform.self, Call.self)
    try fill(platforms)
  }

  /// The calls of a platform are as far from each other as in a timetable that was read by rides.
  private func fill(_ platforms: Int) throws {
    let calls = platforms * Self.callsPerPlatform
    try CDatabase(path: url.path).execute(
      """
      BEGIN;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(platforms))
      INSERT INTO ZPLATFORM(Z_PK, Z_ENT, Z_OPT, ZNAME)
      SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Platform'), 1,
        'u gorlitzer bahnhof ' || i FROM n;
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(calls))
      INSERT INTO ZCALL(Z_PK, Z_ENT, Z_OPT, ZARRIVALTIME, ZDEPARTURETIME, ZPICKUPTYPE,
        ZDROPOFFTYPE, ZPLATFORM, Z_FOK_PLATFORM)
      SELECT i + 1, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Call'), 1,
        i * 60, i * 60 + 30, 0, 0, i % \(platforms) + 1, i / \(platforms) * 1024 FROM n;
      UPDATE Z_PRIMARYKEY SET Z_MAX = \(platforms) WHERE Z_NAME = 'Platform';
      UPDATE Z_PRIMARYKEY SET Z_MAX = \(calls) WHERE Z_NAME = 'Call'; COMMIT;
      """)
  }

  deinit {
    container.close()
    try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
  }
}
