// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// A database that a process has open through several copies of SQLite at a time.
public struct SharedDatabase: Hashable, Sendable, Codable {
  /// The database file.
  public var path: String
  /// The program.
  public var process: String
  /// The files with the copies, sorted.
  public var libraries: [String]
}

extension SharedDatabase: Comparable {
  public static func < (a: Self, b: Self) -> Bool {
    (a.path, a.process, a.libraries.joined()) < (b.path, b.process, b.libraries.joined())
  }
}

/// A database with a log and several connections, with versions that can lose a commit.
public struct ResetRace: Hashable, Sendable, Codable {
  /// The database file.
  public var path: String
  /// The versions without the fix, sorted.
  public var versions: [String]
}

/// Finds what endangers a database file in the events of its own programs: several copies of SQLite in
/// a process, and settings without protection.
struct RiskTally {
  typealias Key = ProfileBuilder.Key
  // Arbitrary, as in `Bounds`.
  private static let maxConnections = 10_000
  private static let maxSites = 1000

  private struct File: Hashable {
    var process: Int
    var device: UInt64
    var inode: UInt64
  }

  private var open: [Key: (file: File, library: String)] = [:]
  /// The open connections of each file by their copy of SQLite.
  private var libraries: [File: [String: Int]] = [:]
  private var copies: [File: SharedDatabase] = [:]
  private var settings: [LockSite.Key: LockSite] = [:]
  /// By database: its path, the open connections with their versions, and the versions that can lose a commit, once
  /// two connections were open.
  private var users: [String: (path: String, open: [Key: String], versions: Set<String>)] = [:]
  private var databases: [Key: String] = [:]

  mutating func add(_ event: ConnectionOpened, of database: String, in process: Int) {
    addUser(event, of: database, in: process)
    guard event.inode != 0, !event.sqlitePath.isEmpty, open.count < Self.maxConnections else {
      return
    }
    let file = File(process: process, device: event.device, inode: event.inode)
    open[Key(process: process, id: event.connectionID)] = (file, event.sqlitePath)
    libraries[file, default: [:]][event.sqlitePath, default: 0] += 1
    let names = (libraries[file] ?? [:]).keys.sorted()
    guard names.count > 1 else { return }
    let known = copies[file]?.libraries ?? []
    copies[file] = SharedDatabase(
      path: event.path, process: event.processName, libraries: Set(names + known).sorted())
  }

  private mutating func addUser(_ event: ConnectionOpened, of database: String, in process: Int) {
    guard event.inode != 0, databases.count < Self.maxConnections else { return }
    let connection = Key(process: process, id: event.connectionID)
    databases[connection] = database
    users[database, default: (event.path, [:], [])].open[connection] = event.sqliteVersion
    guard let open = users[database]?.open, open.count > 1 else { return }
    users[database]?.versions.formUnion(
      open.values.filter { SQLiteVersion.hasResetFix($0) == false })
  }

  mutating func close(_ connection: Key) {
    if let database = databases.removeValue(forKey: connection) {
      users[database]?.open[connection] = nil
    }
    guard let (file, library) = open.removeValue(forKey: connection),
      let count = libraries[file]?[library]
    else { return }
    libraries[file]?[library] = count > 1 ? count - 1 : nil
    if libraries[file]?.isEmpty == true { libraries[file] = nil }
  }

  mutating func addSetting(_ site: LockSite) {
    guard settings.count < Self.maxSites || settings[site.key] != nil else { return }
    settings[site.key, default: LockSite(site, count: 0)].count.add(1)
  }

  func finish(_ profile: inout LockProfile, hasLog: (String) -> Bool) {
    let races = users.filter { !$0.value.versions.isEmpty && hasLog($0.key) }
      .map { ResetRace(path: $0.value.path, versions: $0.value.versions.sorted()) }
      .sorted { $0.path < $1.path }
    profile.resetRaces = races.isEmpty ? nil : races
    let shared = Set(copies.values).sorted()
    profile.copies = shared.isEmpty ? nil : shared
    profile.settings = settings.isEmpty ? nil : Array(settings.values).summed(+)
  }

  /// Whether a PRAGMA takes a protection away: `PRAGMA main.synchronous = OFF`.
  static func isRisky(_ sql: String) -> Bool {
    guard let name = StatementCommand.pragma(of: sql) else { return false }
    let values: [String: Set<String>] = [
      "synchronous": ["off", "0"], "journal_mode": ["off", "memory"],
      "writable_schema": ["on", "1", "true", "yes"],
    ]
    guard let risky = values[name.lowercased()],
      let value = sql.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber }).last
    else { return false }
    return risky.contains(String(value))
  }
}
