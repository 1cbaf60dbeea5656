// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents

/// A database file that programs have open in a way that its locks or its log do not cover.
public struct SharedDatabase: Hashable, Sendable, Codable {
  /// The database file.
  public var path: String
  /// The program that opened it in the second way.
  public var process: String
  /// The files of the copies of SQLite through which a process has it open at a time, sorted; empty if it is only one.
  public var libraries: [String]
  /// The names under which it is open at a time, sorted; nil if it is only one.
  public var names: [String]?
  /// The line of the first statement of the connection that opened it in the second way; nil if it ran none.
  public var location: SourceLocation?
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
    var host: String
    /// Nil for all of the host.
    var process: Int?
    var device: UInt64
    var inode: UInt64
  }

  private var open: [Key: [(file: File, use: String)]] = [:]
  /// The open connections of each file of a process by their copy of SQLite, and of a host by the file's name.
  private var uses: [File: [String: Int]] = [:]
  private var shared: [File: SharedDatabase] = [:]
  /// Connections that opened a file in a second way, until their first statement.
  private var unlocated: [Key: Set<File>] = [:]
  private var settings: [LockSite.Key: LockSite] = [:]
  /// By database: its path, the open connections with their versions, and the versions that can lose a commit, once
  /// two connections were open.
  private var users: [String: (path: String, open: [Key: String], versions: Set<String>)] = [:]
  private var databases: [Key: String] = [:]

  mutating func add(
    _ event: ConnectionOpened, of database: String, on host: String, in process: Int
  ) {
    addUser(event, of: database, in: process)
    guard event.inode != 0, open.count < Self.maxConnections else { return }
    let connection = Key(process: process, id: event.connectionID)
    if !event.sqlitePath.isEmpty {
      let file = File(
        host: host, process: process, device: event.device, inode: event.inode)
      use(event.sqlitePath, of: file, event, by: connection)
    }
    // In another mount namespace a folder may have another name; a file of it does not.
    let file = File(host: host, process: nil, device: event.device, inode: event.inode)
    use(event.path, of: file, event, by: connection)
  }

  private mutating func use(
    _ use: String, of file: File, _ event: ConnectionOpened, by connection: Key
  ) {
    open[connection, default: []].append((file, use))
    uses[file, default: [:]][use, default: 0] += 1
    let all = Set((uses[file] ?? [:]).keys)
    let isName = file.process == nil
    guard isName ? Set(all.map(Self.lastPart(of:))).count > 1 : all.count > 1 else { return }
    if shared[file] == nil { unlocated[connection, default: []].insert(file) }
    var database =
      shared[file]
      ?? SharedDatabase(path: event.path, process: event.processName, libraries: [])
    if isName {
      database.names = all.union(database.names ?? []).sorted()
    } else {
      database.libraries = all.union(database.libraries).sorted()
    }
    shared[file] = database
  }

  private static func lastPart(of path: String) -> Substring {
    path.split(separator: "/").last ?? ""
  }

  /// Adds a statement of the program's own.
  mutating func run(on connection: Key, at location: SourceLocation) {
    guard !unlocated.isEmpty, let files = unlocated.removeValue(forKey: connection) else { return }
    for file in files { shared[file]?.location = location }
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
    for (file, use) in open.removeValue(forKey: connection) ?? [] {
      guard let count = uses[file]?[use] else { continue }
      uses[file]?[use] = count > 1 ? count - 1 : nil
      if uses[file]?.isEmpty == true { uses[file] = nil }
    }
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
    let shared = Set(shared.values).sorted()
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
