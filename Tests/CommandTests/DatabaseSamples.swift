// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport

/// Databases in the states in which programs leave them, and a log of statements that fit.
struct DatabaseSamples: Sendable {
  let log: String
  let baseline: String
  private let folder: TemporaryDirectory
  private let files: [String: [String: [UInt8]]]

  init() throws {
    folder = try TemporaryDirectory()
    files = try [
      "closed": Self.state(in: folder, "WAL", ["": ""], closes: true),
      "crashed": Self.state(in: folder, "WAL", ["": "", "-wal": "-wal", "-shm": "-shm"]),
      "copied": Self.state(in: folder, "WAL", ["": "", "-wal": "-wal"]),
      "rollback": Self.state(in: folder, "DELETE", ["": ""], closes: true),
      "hot": Self.state(in: folder, "DELETE", ["": "", "-journal": "-journal"]),
      "persistent": Self.state(
        in: folder, "PERSIST", ["": "", "-journal": "-journal"], closes: true),
    ]
    log = folder.path("log.txt")
    baseline = folder.path("baseline.json")
    let line = "2024-01-05 09:10:11.125 App[7:29] CoreData: "
    let statements = [
      "SELECT a FROM t WHERE b = ?", "SELECT count(*) FROM t WHERE a > 5 ORDER BY b",
      "UPDATE t SET b = 'y' WHERE a = 4",
    ]
    try statements.map {
      "\(line)sql: \($0)\n\(line)annotation: sql connection fetch time: 0.01s\n"
    }
    .joined().write(toFile: log, atomically: true, encoding: .utf8)
    try #"{"schemaVersion":1}"#.write(toFile: baseline, atomically: true, encoding: .utf8)
  }

  /// - Parameter sides: the suffixes of the files to take while the database is in use.
  private static func state(
    in folder: TemporaryDirectory, _ journalMode: String, _ sides: [String: String],
    closes: Bool = false
  ) throws -> [String: [UInt8]] {
    let path = folder.path(UUID().uuidString)
    var connection: Connection? = try Connection(path: path)
    try connection?.execute(
      "PRAGMA journal_mode = \(journalMode); PRAGMA cache_size = 1; CREATE TABLE t(a, b); "
        + "CREATE INDEX i ON t(a); WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 400) "
        + "INSERT INTO t SELECT i, 'text ' || i FROM n")
    if closes {
      connection = nil
    } else {
      try connection?.execute("BEGIN; UPDATE t SET b = b || 'more'")
      if journalMode == "WAL" { try connection?.execute("COMMIT") }
    }
    var files: [String: [UInt8]] = [:]
    for (suffix, side) in sides {
      files["app.db" + suffix] = Array(try Data(contentsOf: URL(filePath: path + side)))
    }
    return files
  }

  /// Writes a state of a seed, damaged.
  func damage(seed: UInt64, in folder: URL) throws {
    try DamagedFiles(files.sorted { $0.key < $1.key }.map(\.value)) { _ in false }
      .files(seed: seed).write(to: folder)
  }

  /// Builds a shape.
  func make(_ shape: DatabaseShape, in folder: URL) throws {
    let path = folder.appending(path: "app.db").path
    try write(shape.database, to: path, like: "")
    for (suffix, content) in shape.companions {
      try write(content, to: path + suffix, like: suffix)
    }
  }

  private func bytes(_ state: String, _ suffix: String) -> Data {
    Data(files[state]?["app.db" + suffix] ?? [])
  }

  private func write(_ content: DatabaseShape.Content, to path: String, like suffix: String) throws
  {
    let url = URL(filePath: path)
    let other = folder.url.appending(path: UUID().uuidString)
    switch content {
    case .of(let state): try bytes(state, suffix).write(to: url)
    case .cut(let state, let count): try bytes(state, suffix).prefix(count).write(to: url)
    case .zeros(let count): try Data(count: count).write(to: url)
    case .text: try Data("no database, but some text of a user\n".utf8).write(to: url)
    case .folder:
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    case .pipe: mkfifo(path, 0o600)
    case .link(let state):
      try bytes(state, suffix).write(to: other)
      symlink(other.path, path)
    case .deadLink: symlink(other.path, path)
    }
  }
}

/// A database and the files beside it, as a disk or a user may leave them.
struct DatabaseShape: Sendable {
  enum Content: Sendable {
    case of(String), cut(String, Int), zeros(Int), text, folder, pipe, link(String), deadLink
  }

  let database: Content
  let companions: [String: Content]

  private static let databases: [Content] = [
    .zeros(0), .zeros(1), .cut("crashed", 511), .cut("crashed", 1000), .zeros(4096),
    .cut("crashed", 6000), .of("crashed"), .of("closed"), .of("rollback"), .of("hot"), .text,
    .folder, .pipe, .link("crashed"), .deadLink,
  ]

  private static let beside: [[String: Content]] = [
    [:], ["-wal": .of("crashed")], ["-wal": .of("crashed"), "-shm": .of("crashed")],
    ["-wal": .zeros(0)], ["-wal": .cut("crashed", 32)], ["-wal": .cut("crashed", 5000)],
    ["-wal": .zeros(5000), "-shm": .zeros(32768)], ["-wal": .pipe], ["-wal": .folder],
    ["-wal": .link("crashed")], ["-shm": .of("crashed")], ["-shm": .pipe],
    ["-journal": .of("hot")], ["-journal": .cut("hot", 512)], ["-journal": .pipe],
    ["-journal": .of("persistent"), "-wal": .of("copied")],
  ]

  static let all = databases.flatMap { database in
    beside.map { Self(database: database, companions: $0) }
  }
}
