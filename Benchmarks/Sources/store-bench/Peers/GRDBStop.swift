// SPDX-License-Identifier: Apache-2.0

import GRDB

/// A stop as a GRDB record with a hand-written row initializer.
struct GRDBStop: FetchableRecord, PersistableRecord {
  static let databaseTableName = "ZSTOP"
  let primaryKey: Int64
  let identifier: Int64
  let latitude: Double
  let longitude: Double
  var name: String

  init(row: Row) {
    primaryKey = row["Z_PK"]
    identifier = row["ZIDENTIFIER"]
    latitude = row["ZLATITUDE"]
    longitude = row["ZLONGITUDE"]
    name = row["ZNAME"]
  }
}

extension GRDBStop {
  init(
    primaryKey: Int64, identifier: Int64, latitude: Double, longitude: Double, name: String
  ) {
    self.primaryKey = primaryKey
    self.identifier = identifier
    self.latitude = latitude
    self.longitude = longitude
    self.name = name
  }

  func encode(to container: inout PersistenceContainer) {
    container["Z_PK"] = primaryKey
    container["ZIDENTIFIER"] = identifier
    container["ZLATITUDE"] = latitude
    container["ZLONGITUDE"] = longitude
    container["ZNAME"] = name
  }
}

/// The same through `Codable`.
struct GRDBCodableStop: FetchableRecord, PersistableRecord, Codable {
  static let databaseTableName = "ZSTOP"
  let Z_PK: Int64
  let ZIDENTIFIER: Int64
  let ZLATITUDE: Double
  let ZLONGITUDE: Double
  let ZNAME: String
}
