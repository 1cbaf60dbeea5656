// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import SQLiteDriver

extension CapsuleV1 {
  // Arbitrary: a schema of 100,000 objects and the forms of 100,000 statements are smaller.
  private static let maxBytes = 256 << 20

  public init(path: String) throws(CapsuleError) {
    struct Header: Codable {
      var schemaVersion: Int
      var kind: String
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    if let size = attributes?[.size] as? UInt64, size > Self.maxBytes { throw .tooLarge }
    guard let data = FileManager.default.contents(atPath: path),
      let header = try? JSONDecoder().decode(Header.self, from: data), header.kind == Self.kind
    else { throw .notACapsule }
    guard header.schemaVersion == 1 else { throw .otherVersion(header.schemaVersion) }
    guard let capsule = try? JSONDecoder().decode(Self.self, from: data) else { throw .notACapsule }
    self = capsule
  }

  /// Makes a private database of the schema and the statistics, without rows.
  ///
  /// SQLite compiles the schema and runs none of its SQL. Virtual tables of modules that are not SQLite's own are left out.
  public func open() throws(CapsuleError) -> InspectedDatabase {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "storescope-\(UUID().uuidString)", directoryHint: .isDirectory)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .notWritten(reason: "\(error)")
    }
    do {
      let path = folder.appending(path: "capsule.sqlite").path
      try make(Connection(path: path))
      let file = try InspectedDatabase(privateFile: path, in: folder)
      file.connection.distrustSchema()
      try CapsuleSizes.write(self, to: file.connection)
      return file
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error as? CapsuleError ?? .notWritten(reason: "\(error)")
    }
  }

  private func make(_ connection: Connection) throws {
    connection.distrustSchema()
    try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
    // Makes the tables of statistics, which no CREATE may name.
    if statistics != nil { try connection.execute("ANALYZE") }
    try connection.execute("BEGIN")
    try makeObjects(connection)
    if let statistics { try PlannerStatistics(rows: statistics).write(to: connection) }
    if let samples, try connection.hasTable("sqlite_stat4") {
      try StatisticsSample.write(samples, to: connection)
    }
    try connection.execute("COMMIT")
  }

  private func makeObjects(_ connection: Connection) throws(CapsuleError) {
    let schema = SchemaAuthority()
    connection.authorize { [schema] in schema.allows($0) }
    defer { connection.authorize { _ in true } }
    var missing = false
    // The tables of a virtual table are made with it.
    let objects = self.schema.map { ($0, SchemaAuthority.module(of: $0.sql)) }
    for (object, module) in objects.filter({ $0.1 != nil }) + objects.filter({ $0.1 == nil }) {
      if let module, !SchemaAuthority.modules.contains(module) {
        missing = true
        continue
      }
      do throws(SQLiteError) {
        schema.isReading = true
        if module == nil, try Self.exists(object, connection) { continue }
        schema.isReading = false
        schema.isVirtual = module != nil
        try MissingThing.retrying(on: connection) { () throws(SQLiteError) in
          // prepare() refuses a second statement.
          try connection.prepare(object.sql).run()
        }
      } catch {
        // It needs a table that was left out.
        if missing, error.message.hasPrefix("no such table") { continue }
        throw .object(object.name, reason: error.message)
      }
    }
  }

  private static func exists(
    _ object: Object, _ connection: Connection
  ) throws(SQLiteError) -> Bool {
    try !connection.texts(
      "SELECT name FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE", object.name
    ).isEmpty
  }
}
