// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

@testable import ObjectStore

/// A small model with each kind of property, and its tables, without a store.
struct PredicateModel {
  let stop = EntityDescription(name: "Stop")
  let stopTime = EntityDescription(name: "StopTime")
  let tag = EntityDescription(name: "Tag")

  init() {
    func attribute(_ name: String, _ type: AttributeType) -> AttributeDescription {
      AttributeDescription(name: name, type: type, isOptional: true, defaultValue: .null)
    }
    func relationship(
      _ name: String, _ from: EntityDescription, _ to: EntityDescription, many: Bool,
      _ storage: RelationshipDescription.Storage
    ) -> RelationshipDescription {
      let relationship = RelationshipDescription(
        name: name, isToMany: many, isOrdered: false, isOptional: true, deleteRule: .nullify,
        entity: from, destination: to)
      relationship.storage = storage
      return relationship
    }
    let stopTimes = relationship(
      "stopTimes", stop, stopTime, many: true, .inverseColumn("ZSTOP", order: nil))
    let toStop = relationship("stop", stopTime, stop, many: false, .column("ZSTOP"))
    let tags = relationship(
      "tags", stop, tag, many: true,
      .joinTable("Z_1TAGS", source: "Z_1STOPS", destination: "Z_3TAGS", order: nil))
    let stops = relationship(
      "stops", tag, stop, many: true,
      .joinTable("Z_1TAGS", source: "Z_3TAGS", destination: "Z_1STOPS", order: nil))
    (stopTimes.inverse, toStop.inverse, tags.inverse, stops.inverse) = (
      toStop, stopTimes, stops, tags
    )
    stop.setProperties(
      attributes: [
        attribute("identifier", .int64), attribute("latitude", .double),
        attribute("longitude", .double), attribute("name", .string),
        attribute("normalizedName", .string), attribute("isOpen", .bool),
        attribute("opened", .date), attribute("key", .uuid), attribute("image", .data),
        attribute("page", .url),
      ], relationships: [stopTimes, tags])
    stopTime.setProperties(
      attributes: [attribute("departureTime", .int32), attribute("headsign", .string)],
      relationships: [toStop])
    tag.setProperties(attributes: [attribute("title", .string)], relationships: [stops])
  }

  /// A database in memory with the tables of the model.
  func connection() throws -> Connection {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE ZSTOP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZIDENTIFIER INTEGER, ZISOPEN INTEGER, ZLATITUDE FLOAT, ZLONGITUDE FLOAT,
        ZOPENED TIMESTAMP, ZNAME VARCHAR, ZNORMALIZEDNAME VARCHAR, ZPAGE VARCHAR,
        ZIMAGE BLOB, ZKEY BLOB);
      CREATE TABLE ZSTOPTIME (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZDEPARTURETIME INTEGER, ZSTOP INTEGER, ZHEADSIGN VARCHAR);
      CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR);
      CREATE TABLE Z_1TAGS (Z_1STOPS INTEGER, Z_3TAGS INTEGER, PRIMARY KEY (Z_1STOPS, Z_3TAGS));
      CREATE INDEX ZSTOP_ZNORMALIZEDNAME_INDEX ON ZSTOP (ZNORMALIZEDNAME);
      CREATE INDEX ZSTOPTIME_ZSTOP_INDEX ON ZSTOPTIME (ZSTOP);
      """)
    return connection
  }
}

extension Connection {
  /// The primary keys that a statement made by `objectIDs` selects.
  func primaryKeys(_ select: SelectStatement) throws -> [Int64] {
    let statement = try prepare(select.sql)
    for (index, value) in select.bindings.enumerated() {
      statement.bind(value, at: Int32(index + 1))
    }
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.int64(statement.columnCount - 1)) }
    return keys
  }
}

extension Statement {
  /// Binds a value as the store's columns hold it.
  func bind(_ value: StoreValue, at index: Int32) {
    switch value {
    case .null: bindNull(at: index)
    case .bool(let flag): bind(Int64(flag ? 1 : 0), at: index)
    case .integer(let number): bind(number, at: index)
    case .double(let number): bind(number, at: index)
    case .string(let string): bind(string, at: index)
    case .date(let date): bind(date.timeIntervalSinceReferenceDate, at: index)
    case .data(let data): data.withUnsafeBytes { bind(blob: $0, at: index) }
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { bind(blob: $0, at: index) }
    case .url(let url): bind(url.absoluteString, at: index)
    case .object(let id): bind(id.primaryKey, at: index)
    case .external, .decimal: preconditionFailure("no attribute of this model is of that type")
    }
  }
}
