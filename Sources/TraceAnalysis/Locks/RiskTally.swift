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
  /// The type of its file system, such as `nfs4`; nil if its files are on this machine.
  public var fileSystem: String?
  /// The line of the first statement of the connection that opened it so, or where it ran none, of its opening; nil if
  /// neither is known.
  public var location: SourceLocation?

  /// The first statement of the connection.
  fileprivate mutating func run(at location: SourceLocation) {
    if location != .unknown { self.location = location }
  }
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

/// Finds dangers for a database file in the events of its own programs: several copies of SQLite in
/// a process, and settings without protection.
struct RiskTally {
  typealias Key = ProfileBuilder.Key
  // Arbitrary, as in `Bounds`.
  private static let maxConnections = 10_000
  private static let maxSites = 1000

  private struct File: Hashable {
    var host: String
    var device: UInt64
    var inode: UInt64
  }

  private struct FileOfProcess: Hashable {
    var process: Int
    var file: File
  }

  /// The last connection that opened a file under a second name, and the connections that had it
  /// open under another one.
  private struct SecondName {
    var connection: Key
    var others: [Key: String]
    /// Its names are nil until one of the others runs a statement: the process of the others may have been killed, and
    /// the file may be a new one with the same number.
    var database: SharedDatabase
    var hasRun = false
  }

  private var open: [Key: (file: File, library: String, name: String)] = [:]
  /// The open connections by their copy of SQLite.
  private var libraries: [FileOfProcess: [String: Int]] = [:]
  private var copies: [FileOfProcess: SharedDatabase] = [:]
  /// Connections that opened a file through a second copy, until their first statement.
  private var unlocated: [Key: FileOfProcess] = [:]
  /// The open connections by the file's name.
  private var names: [File: [String: Int]] = [:]
  private var secondNames: [File: SecondName] = [:]
  private var remote: [File: SharedDatabase] = [:]
  /// The connections that opened such a file first, until their first statement.
  private var unlocatedRemote: [Key: File] = [:]
  private var settings: [LockSite.Key: LockSite] = [:]
  /// By database: its path, the open connections with their versions, and the versions that can lose a commit, once
  /// two connections were open.
  private var users: [String: (path: String, open: [Key: String], versions: Set<String>)] = [:]
  private var databases: [Key: String] = [:]

  mutating func add(
    _ event: ConnectionOpened, of database: String, at line: SourceLocation?, on host: String,
    in process: Int
  ) {
    addUser(event, of: database, in: process)
    guard event.inode != 0, open.count < Self.maxConnections else { return }
    let connection = Key(process: process, id: event.connectionID)
    let file = File(host: host, device: event.device, inode: event.inode)
    let line = line == .unknown ? nil : line
    open[connection] = (file, event.sqlitePath, event.path)
    if !event.sqlitePath.isEmpty {
      addLibrary(event, of: FileOfProcess(process: process, file: file), by: connection, at: line)
    }
    addName(event, of: file, by: connection, at: line)
    guard NetworkFileSystem.isType(event.fileSystem), remote[file] == nil else { return }
    unlocatedRemote[connection] = file
    remote[file] = SharedDatabase(
      path: event.path, process: event.processName, libraries: [], fileSystem: event.fileSystem,
      location: line)
  }

  private mutating func addLibrary(
    _ event: ConnectionOpened, of file: FileOfProcess, by connection: Key,
    at line: SourceLocation?
  ) {
    libraries[file, default: [:]][event.sqlitePath, default: 0] += 1
    let all = Set((libraries[file] ?? [:]).keys)
    guard all.count > 1 else { return }
    if copies[file] == nil { unlocated[connection] = file }
    let known = copies[file]?.libraries ?? []
    copies[file] = SharedDatabase(
      path: event.path, process: event.processName, libraries: all.union(known).sorted(),
      location: copies[file]?.location ?? line)
  }

  private mutating func addName(
    _ event: ConnectionOpened, of file: File, by connection: Key, at line: SourceLocation?
  ) {
    names[file, default: [:]][event.path, default: 0] += 1
    // In another mount namespace a folder may have another name; a file of it does not.
    let own = Self.lastPart(of: event.path)
    guard secondNames[file]?.database.names == nil,
      names[file]?.keys.contains(where: { Self.lastPart(of: $0) != own }) == true
    else { return }
    let others = open.filter { $0.value.file == file && Self.lastPart(of: $0.value.name) != own }
    secondNames[file] = SecondName(
      connection: connection, others: others.mapValues(\.name),
      database: SharedDatabase(
        path: event.path, process: event.processName, libraries: [], location: line))
  }

  private static func lastPart(of path: String) -> Substring {
    path.split(separator: "/").last ?? ""
  }

  /// Adds a statement of the program's own.
  mutating func run(on connection: Key, at location: SourceLocation) {
    if !unlocated.isEmpty, let file = unlocated.removeValue(forKey: connection) {
      copies[file]?.run(at: location)
    }
    if !unlocatedRemote.isEmpty, let file = unlocatedRemote.removeValue(forKey: connection) {
      remote[file]?.run(at: location)
    }
    guard !secondNames.isEmpty, let file = open[connection]?.file, var second = secondNames[file]
    else { return }
    if let name = second.others[connection], second.database.names == nil {
      second.database.names = [name, second.database.path].sorted()
    } else if connection == second.connection, !second.hasRun {
      second.database.run(at: location)
      second.hasRun = true
    } else {
      return
    }
    secondNames[file] = second
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
    unlocated[connection] = nil
    unlocatedRemote[connection] = nil
    guard let (file, library, name) = open.removeValue(forKey: connection) else { return }
    let own = FileOfProcess(process: connection.process, file: file)
    Self.close(library, in: &libraries[own])
    Self.close(name, in: &names[file])
  }

  private static func close(_ use: String, in counts: inout [String: Int]?) {
    guard let count = counts?[use] else { return }
    counts?[use] = count > 1 ? count - 1 : nil
    if counts?.isEmpty == true { counts = nil }
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
    let renamed = secondNames.values.map(\.database).filter { $0.names != nil }
    let shared = Array(copies.values) + renamed + Array(remote.values)
    profile.copies = shared.isEmpty ? nil : Set(shared).sorted()
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
