// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport

/// A store as Core Data writes it: made from SQL, with Core Data's own tables and metadata.
struct CoreDataFile {
  let folder: TemporaryDirectory
  let url: URL

  /// - Parameters:
  ///   - entities: in the order of their numbers, from 1: a name, or `Name:Parent`.
  ///   - sql: the tables of entities and pairs, with their rows.
  ///   - journal: `wal`, or `delete` as stores before 2013 have it.
  init(
    _ entities: [String], _ sql: String, journal: String = "wal", hasModelCache: Bool = true
  ) throws {
    folder = try TemporaryDirectory()
    url = folder.url.appending(path: "store.sqlite")
    let connection = try Connection(path: url.path)
    try connection.execute(
      """
      PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2; PRAGMA journal_mode = \(journal);
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      """)
    if hasModelCache { try connection.execute("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)") }
    let names = entities.map { $0.split(separator: ":").map(String.init) }
    for (index, name) in names.enumerated() {
      let parent = name.count > 1 ? (names.firstIndex { $0[0] == name[1] } ?? -1) + 1 : 0
      try connection.execute(
        "INSERT INTO Z_PRIMARYKEY VALUES (\(index + 1), '\(name[0])', \(parent), 0)")
    }
    try connection.execute(sql)
    for (index, name) in names.enumerated() where name.count == 1 {
      try? connection.execute(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT ifnull(max(Z_PK), 0) FROM Z\(name[0].uppercased())) "
          + "WHERE Z_ENT = \(index + 1)")
    }
    let insert = try connection.prepare(
      "INSERT INTO Z_METADATA VALUES (1, '0F6B2C4E-9D6B-4C65-9E3C-0B61E2C1D7A5', ?)")
    let hashes = Dictionary(
      uniqueKeysWithValues: names.enumerated().map {
        ($1[0], Data(repeating: UInt8($0 + 1), count: 32))
      })
    let list: [String: Any] = [
      "NSStoreType": "SQLite", "NSStoreModelVersionIdentifiers": [String](),
      "NSStoreModelVersionHashes": hashes, "NSStoreModelVersionHashesVersion": 3,
      "NSPersistenceFrameworkVersion": 1145, "_NSAutoVacuumLevel": "2", "app key": "kept",
    ]
    try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
      .withUnsafeBytes { insert.bind(blob: $0, at: 1) }
    try insert.run()
  }

  func open(
    _ model: ManagedObjectModel, _ configure: (inout StoreOptions) -> Void = { _ in }
  ) throws -> PersistentContainer {
    var options = StoreOptions()
    options.isReadOnly = false
    configure(&options)
    return try PersistentContainer(at: url, model: model, options: options)
  }

  var bytes: Data { (try? Data(contentsOf: url)) ?? Data() }

  /// The names in the folder, sorted.
  var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []).sorted()
  }

  /// By a connection that may write: it removes its side files when it closes.
  func rows(_ sql: String) throws -> [String] {
    let connection = try Connection(path: url.path, mode: .readWrite)
    var rows: [String] = []
    do {
      let statement = try connection.prepare(sql)
      while try statement.step() {
        rows.append(
          (0..<statement.columnCount)
            .map { statement.isNull($0) ? "NULL" : statement.string($0) }
            .joined(separator: "|"))
      }
    }
    return withExtendedLifetime(connection) { rows }
  }

  /// Everything that must not be lost, by kind: the values of each object by its entity, whatever
  /// columns they are in, and the pairs, whatever table they are in.
  func contents() throws -> [String: Int] {
    var contents: [String: Int] = [:]
    let tables = try rows(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z*' "
        + "AND name NOT LIKE 'Z_RT_%' AND name NOT IN ('Z_PRIMARYKEY', 'Z_METADATA', 'Z_MODELCACHE')"
    )
    for table in tables {
      let columns = try rows("SELECT name FROM pragma_table_info('\(table)')")
      let values = columns.filter { !["Z_PK", "Z_ENT", "Z_OPT"].contains($0) }
      let isPairs = !columns.contains("Z_PK")
      let head = isPairs ? "'pair'" : "'Z_ENT ' || Z_ENT || ' key ' || Z_PK"
      let list = values.map { "quote(\($0))" }.joined(separator: " || char(10) || ")
      for row in try rows("SELECT \(head), \(list.isEmpty ? "''" : list) FROM \(table)") {
        let parts = row.split(separator: "|", maxSplits: 1).map(String.init)
        let found = (parts.count > 1 ? parts[1] : "").split(separator: "\n").filter { $0 != "NULL" }
          .sorted()
        if isPairs {
          contents["pair " + found.joined(separator: ","), default: 0] += 1
        } else {
          contents[parts[0], default: 0] += 1
          for value in found { contents["\(parts[0]): \(value)", default: 0] += 1 }
        }
      }
    }
    return contents
  }

  /// The rows and values that an earlier state had and the file lacks now.
  func lost(since earlier: [String: Int]) throws -> [String] {
    let now = try contents()
    return earlier.filter { now[$0.key, default: 0] < $0.value }.map(\.key).sorted()
  }
}

/// A model file's text, to be changed in steps.
struct ModelText {
  var entities: [Entity]

  struct Entity {
    var name: String
    var attributes = ""
    var properties: [String] = []
  }

  /// Reads `Name: property; property`, one entity a line; each property such as `name String`,
  /// `tags ->> Tag/items`, `owner -> User/items`, with `!` for required, `=v` for a default, `<old`
  /// for a renaming identifier, `#` for ordered, `~items.@count` for a derivation.
  init(_ text: String) {
    entities = text.split(separator: "\n").map { line in
      let parts = line.split(separator: ":", maxSplits: 1).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      let head = parts[0].split(separator: " ").map(String.init)
      var entity = Entity(name: head[0])
      for word in head.dropFirst() {
        if word.hasPrefix("<") { entity.attributes += " elementID=\"\(word.dropFirst())\"" }
        if word.hasPrefix("^") { entity.attributes += " parentEntity=\"\(word.dropFirst())\"" }
        if word == "abstract" { entity.attributes += " isAbstract=\"YES\"" }
        if word.hasPrefix("v=") {
          entity.attributes += " versionHashModifier=\"\(word.dropFirst(2))\""
        }
        if word.hasPrefix("u=") {
          entity.properties.append(
            "<uniquenessConstraints><uniquenessConstraint>"
              + word.dropFirst(2).split(separator: "+").map { "<constraint value=\"\($0)\"/>" }
              .joined() + "</uniquenessConstraint></uniquenessConstraints>")
        }
      }
      let properties = parts.count > 1 ? parts[1].split(separator: ";") : []
      entity.properties += properties.map(Self.property)
      return entity
    }
  }

  private static func property(_ text: Substring) -> String {
    let words = text.split(separator: " ").map(String.init)
    var rest = ""
    var isOptional = true
    for word in words.dropFirst(2) {
      switch word.first {
      case "!": isOptional = false
      case "=": rest += " defaultValueString=\"\(word.dropFirst())\""
      case "<": rest += " elementID=\"\(word.dropFirst())\""
      case "#": rest += " ordered=\"YES\""
      case "E": rest += " allowsExternalBinaryDataStorage=\"YES\""
      case "~": rest += " derived=\"YES\" derivationExpression=\"\(word.dropFirst())\""
      default: break
      }
    }
    if isOptional { rest += " optional=\"YES\"" }
    guard words[1] == "->" || words[1] == "->>" else {
      let type = words[1].replacingOccurrences(of: "Int", with: "Integer ")
      return "<attribute name=\"\(words[0])\" attributeType=\"\(type)\"\(rest)/>"
    }
    var end = words[2].split(separator: "/").map(String.init)
    if end.count == 1 { end.append("") }
    let inverse =
      end[1].isEmpty ? "" : " inverseName=\"\(end[1])\" inverseEntity=\"\(end[0])\""
    return "<relationship name=\"\(words[0])\" destinationEntity=\"\(end[0])\"\(inverse)"
      + (words[1] == "->>" ? " toMany=\"YES\"" : " maxCount=\"1\"")
      + " deletionRule=\"Nullify\"\(rest)/>"
  }

  var xml: String {
    "<model>\n"
      + entities.map { entity in
        "<entity name=\"\(entity.name)\"\(entity.attributes)>\n"
          + entity.properties.joined(separator: "\n") + "</entity>\n"
      }.joined() + "</model>"
  }

  func model(in folder: TemporaryDirectory) throws -> ManagedObjectModel {
    let url = folder.url.appending(path: "model-\(UUID().uuidString)")
    try Data(xml.utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    return try ManagedObjectModel(contentsOf: url)
  }
}
