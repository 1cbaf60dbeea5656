// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver

/// A model of a file's tables: the names of entities as they were, those of properties in lower case.
///
/// Integers, to-ones and Booleans have one type of column, so all of them are integers here; many-to-many
/// relationships are named by their tables.
struct StoreOutline {
  private struct Entity {
    let name: String
    let number: Int64
    let parent: String?
    let isRoot: Bool
    var columns: [(name: String, type: String)] = []
    var relationships: [(name: String, destination: String, inverse: String)] = []
  }

  private var entities: [Entity] = []

  private static let types = [
    "INTEGER": "Integer 64", "TIMESTAMP": "Date", "FLOAT": "Double", "DECIMAL": "Decimal",
    "VARCHAR": "String", "BLOB": "Binary",
  ]

  /// - Throws: ``OutlineError`` for a file that is not a store, `InspectionError`, `SQLiteError`.
  init(path: String) throws {
    let database = try InspectedDatabase(path: path)
    let connection = database.connection
    guard try connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'Z_PRIMARYKEY'").step()
    else { throw OutlineError.notAStore(path) }
    let find = try connection.prepare(
      "SELECT e.Z_NAME, e.Z_ENT, p.Z_NAME FROM Z_PRIMARYKEY e LEFT JOIN Z_PRIMARYKEY p "
        + "ON p.Z_ENT = e.Z_SUPER AND e.Z_SUPER > 0 WHERE e.Z_ENT BETWEEN 1 AND 15999 ORDER BY e.Z_ENT"
    )
    while try find.step() {
      let parent = find.isNull(2) ? nil : find.string(2)
      entities.append(
        Entity(
          name: find.string(0), number: find.int64(1), parent: parent, isRoot: parent == nil))
    }
    for index in entities.indices where entities[index].isRoot {
      let table = "Z" + entities[index].name.uppercased()
      let columns = try connection.prepare("SELECT name, type FROM pragma_table_info(?)")
      columns.bind(table, at: 1)
      while try columns.step() {
        let name = columns.string(0)
        guard name.hasPrefix("Z"), !name.hasPrefix("Z_"),
          name.dropFirst().first?.isNumber == false,
          let type = Self.types[columns.string(1).uppercased()]
        else { continue }
        entities[index].columns.append((name.dropFirst().lowercased(), type))
      }
    }
    try readPairs(connection)
    withExtendedLifetime(database) {}
  }

  /// `Z_1TAGS (Z_1ITEMS, Z_2TAGS)`: entity 1 has `tags`, and entity 2 has `items`.
  private mutating func readPairs(_ connection: Connection) throws {
    let tables = try connection.prepare(
      "SELECT m.name, group_concat(c.name, ' ') FROM sqlite_master m, pragma_table_info(m.name) c "
        + "WHERE m.type = 'table' AND m.name GLOB 'Z_[0-9]*' AND c.name GLOB 'Z_[0-9]*' GROUP BY 1")
    while try tables.step() {
      let ends = tables.string(1).split(separator: " ").compactMap { Self.end(String($0)) }
      guard ends.count == 2, let one = entityIndex(ends[0].number),
        let other = entityIndex(ends[1].number)
      else { continue }
      entities[one].relationships.append(
        (ends[1].name, entities[other].name, ends[0].name))
      guard one != other || ends[0].name != ends[1].name else { continue }
      entities[other].relationships.append(
        (ends[0].name, entities[one].name, ends[1].name))
    }
  }

  private static func end(_ column: String) -> (number: Int64, name: String)? {
    let digits = column.dropFirst(2).prefix(while: \.isNumber)
    let name = column.dropFirst(2 + digits.count).lowercased()
    guard let number = Int64(digits), !name.isEmpty else { return nil }
    return (number, name)
  }

  private func entityIndex(_ number: Int64) -> Int? { entities.firstIndex { $0.number == number } }

  // MARK: - As a model

  var xml: String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
      + "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\" "
      + "sourceLanguage=\"Swift\">\n" + entities.map(Self.xml).joined() + "</model>\n"
  }

  private static func xml(_ entity: Entity) -> String {
    let parent = entity.parent.map { " parentEntity=\"\(escaped($0))\"" } ?? ""
    let attributes = entity.columns.map {
      "    <attribute name=\"\(escaped($0.name))\" optional=\"YES\" attributeType=\"\($0.type)\"/>\n"
    }
    let relationships = entity.relationships.map {
      "    <relationship name=\"\(escaped($0.name))\" optional=\"YES\" toMany=\"YES\" "
        + "deletionRule=\"Nullify\" destinationEntity=\"\(escaped($0.destination))\" "
        + "inverseName=\"\(escaped($0.inverse))\" inverseEntity=\"\(escaped($0.destination))\"/>\n"
    }
    return "  <entity name=\"\(escaped(entity.name))\"\(parent) syncable=\"YES\">\n"
      + attributes.joined() + relationships.joined() + "  </entity>\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }

  /// Never over a file that is there.
  func write(to path: String) throws {
    let folder = URL(filePath: path)
    guard !FileManager.default.fileExists(atPath: path) else { throw OutlineError.exists(path) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(xml.utf8).write(to: folder.appending(path: "contents"))
  }

  func model() throws -> ManagedObjectModel {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "store-report-\(UUID().uuidString).xcdatamodel")
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(to: folder.path)
    return try ManagedObjectModel(contentsOf: folder)
  }

  /// The entities and columns that a model lacks.
  func surplus(over model: ManagedObjectModel) -> [String] {
    entities.flatMap { entity -> [String] in
      guard let known = model.entity(named: entity.name) else {
        return ["  the model has no entity \(entity.name)"]
      }
      let columns = Set(known.columns.map { $0.lowercased() })
      return entity.columns.filter { !columns.contains("z" + $0.name) }
        .map { "  the model has no column Z\(entity.name.uppercased()).Z\($0.name.uppercased())" }
    }
  }
}

enum OutlineError: Error, CustomStringConvertible {
  case notAStore(String)
  case exists(String)

  var description: String {
    switch self {
    case .notAStore(let path):
      "'\(path)' has no table Z_PRIMARYKEY, so it is not a store of Core Data or ObjectStore; choose another file"
    case .exists(let path): "'\(path)' exists; name a new folder for the outline"
    }
  }
}
