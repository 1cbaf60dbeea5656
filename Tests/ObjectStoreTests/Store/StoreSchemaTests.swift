// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import Testing

@Suite struct StoreSchemaTests {
  @Test func writesTheTablesThatCoreDataWrites() throws {
    let fixture = try StoreFixture()
    #expect(
      try fixture.rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid") == [
        "CREATE TABLE ZSTOP ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
          + "ZIDENTIFIER INTEGER, ZLATITUDE FLOAT, ZLONGITUDE FLOAT, ZNAME VARCHAR, ZNOTE VARCHAR )",
        "CREATE TABLE ZSTOPTIME ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
          + "ZDEPARTURETIME INTEGER, ZSTOP INTEGER, Z_FOK_STOP INTEGER, ZHEADSIGN VARCHAR )",
        "CREATE INDEX ZSTOP_ZLONGITUDE_ZLATITUDE ON ZSTOP (ZLONGITUDE, ZLATITUDE)",
        "CREATE INDEX ZSTOPTIME_ZSTOP_INDEX ON ZSTOPTIME (ZSTOP)",
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, "
          + "Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
      ])
  }

  @Test func numbersEntitiesAlphabetically() throws {
    let fixture = try StoreFixture()
    #expect(
      try fixture.rows("SELECT * FROM Z_PRIMARYKEY ORDER BY Z_ENT")
        == ["1|Stop|0|0", "2|StopTime|0|0"])
  }

  @Test func keepsOneRowOfMetadataAndCoreDatasFileSettings() throws {
    let fixture = try StoreFixture()
    #expect(
      try fixture.rows("SELECT Z_VERSION, Z_UUID, substr(Z_PLIST, 1, 8) FROM Z_METADATA")
        == ["1|\(fixture.container.storeUUID)|bplist00"])
    #expect(UUID(uuidString: fixture.container.storeUUID) != nil)
    #expect(try fixture.rows("PRAGMA page_size") == ["4096"])
    #expect(try fixture.rows("PRAGMA auto_vacuum") == ["2"])
    #expect(try fixture.rows("PRAGMA journal_mode") == ["wal"])
  }
}
