// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

@testable import ObjectStore

/// Rows of a ``PredicateModel`` in memory, as the other way to evaluate a predicate.
final class PredicateRows {
  let model: PredicateModel
  private(set) var objects: [String: [Object]] = ["Stop": [], "StopTime": [], "Tag": []]

  init(_ model: PredicateModel) { self.model = model }

  final class Object: PredicateSource {
    let predicateObjectID: ManagedObjectID
    var values: [String: StoreValue] = [:]
    var toOne: [String: Object] = [:]
    var toMany: [String: [Object]] = [:]

    init(_ id: ManagedObjectID) { predicateObjectID = id }

    func predicateValue(of attribute: AttributeDescription) -> StoreValue {
      values[attribute.name] ?? .null
    }
    func predicateObject(of relationship: RelationshipDescription) -> (any PredicateSource)? {
      toOne[relationship.name]
    }
    func predicateObjects(of relationship: RelationshipDescription) -> [any PredicateSource] {
      toMany[relationship.name] ?? []
    }
  }

  @discardableResult
  func add(_ entity: String, _ values: [String: StoreValue] = [:]) -> Object {
    let key = Int64(objects[entity, default: []].count + 1)
    let object = Object(ManagedObjectID(entityName: entity, primaryKey: key, storeUUID: "S"))
    object.values = values
    objects[entity, default: []].append(object)
    return object
  }

  func link(_ stopTime: Object, to stop: Object) {
    stopTime.toOne["stop"] = stop
    stop.toMany["stopTimes", default: []].append(stopTime)
  }

  func link(_ stop: Object, tag: Object) {
    guard !stop.toMany["tags", default: []].contains(where: { $0 === tag }) else { return }
    stop.toMany["tags", default: []].append(tag)
    tag.toMany["stops", default: []].append(stop)
  }

  func removeAll() { for entity in objects.keys { objects[entity] = [] } }

  /// The primary keys of the objects that fulfil a predicate.
  func primaryKeys(_ entity: EntityDescription, _ predicate: FetchPredicate) throws -> [Int64] {
    let prepared = try PreparedPredicate(predicate, for: entity)
    return try (objects[entity.name] ?? []).filter { try prepared.matches($0) }
      .map(\.predicateObjectID.primaryKey)
  }

  /// Replaces the rows of a database by these rows.
  func write(to connection: Connection) throws {
    try connection.execute(
      "BEGIN; DELETE FROM ZSTOP; DELETE FROM ZSTOPTIME; DELETE FROM ZTAG; DELETE FROM Z_1TAGS")
    for entity in [model.stop, model.stopTime, model.tag] {
      for object in objects[entity.name] ?? [] { try write(object, of: entity, to: connection) }
    }
    for stop in objects["Stop"] ?? [] {
      for tag in stop.toMany["tags"] ?? [] {
        try connection.execute(
          "INSERT INTO Z_1TAGS VALUES (\(stop.predicateObjectID.primaryKey), "
            + "\(tag.predicateObjectID.primaryKey))")
      }
    }
    try connection.execute("COMMIT")
  }

  private func write(
    _ object: Object, of entity: EntityDescription, to connection: Connection
  ) throws {
    var columns = ["Z_PK"]
    var values: [StoreValue] = [.integer(object.predicateObjectID.primaryKey)]
    for attribute in entity.attributes {
      columns.append(attribute.column)
      values.append(object.values[attribute.name] ?? .null)
    }
    if entity.name == "StopTime" {
      columns.append("ZSTOP")
      values.append(object.toOne["stop"].map { .object($0.predicateObjectID) } ?? .null)
    }
    let insert = try connection.cachedStatement(
      "INSERT INTO \(entity.table) (\(columns.joined(separator: ", "))) VALUES "
        + "(\(columns.map { _ in "?" }.joined(separator: ", ")))")
    for (index, value) in values.enumerated() { insert.bind(value, at: Int32(index + 1)) }
    try insert.run()
    connection.recycle(insert)
  }
}
