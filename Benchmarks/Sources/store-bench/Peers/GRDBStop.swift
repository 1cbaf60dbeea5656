// SPDX-License-Identifier: Apache-2.0

import GRDB

/// A stop as a GRDB record with a hand-written row initializer.
struct GRDBStop: FetchableRecord, TableRecord {
  static let databaseTableName = "ZSTOP"
  let primaryKey: Int64
  let identifier: Int64
  let latitude: Double
  let longitude: Double
  let name: String

  init(row: Row) {
    primaryKey = row["Z_PK"]
    identifier = row["ZIDENTIFIER"]
    latitude = row["ZLATITUDE"]
    longitude = row["ZLONGITUDE"]
    name = row["ZNAME"]
  }
}

/// The same through `Decodable`.
struct GRDBCodableStop: FetchableRecord, TableRecord, Decodable {
  static let databaseTableName = "ZSTOP"
  let Z_PK: Int64
  let ZIDENTIFIER: Int64
  let ZLATITUDE: Double
  let ZLONGITUDE: Double
  let ZNAME: String
}
