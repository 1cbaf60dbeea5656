// SPDX-License-Identifier: Apache-2.0

public import StoreEvents

/// A line's operation on the file of a database that was open in its process, without SQLite; or
/// its use of a connection after `fork()`.
public struct FileTouch: Hashable, Sendable, Codable {
  /// `close`, `truncate`, `delete`, `rename`, `replace` or `fork`.
  public var operation: String
  /// `database`, `wal`, `shm` or `journal`.
  public var file: String
  /// The first path; a line may do the same to many databases.
  public var path: String
  /// The program.
  public var process: String
  /// The line.
  public var location: SourceLocation
  /// How often it happened.
  public var count: UInt64 = 0
  /// How many of them a statement on a connection followed that was open at that time.
  public var usedAfterwards: UInt64 = 0
  /// When it happened first.
  public var first: Nanoseconds?

  struct Key: Hashable {
    var operation: String
    var file: String
    var process: String
    var location: SourceLocation
  }

  var key: Key { Key(operation: operation, file: file, process: process, location: location) }

  mutating func add(_ other: Self) {
    if other.first ?? .max < first ?? .max { path = other.path }
    first = [first, other.first].compactMap { $0 }.min()
    count.add(other.count)
    usedAfterwards.add(other.usedAfterwards)
  }
}

extension [FileTouch] {
  /// Each line, operation and kind of file once, in the order in which they happened first.
  var merged: Self {
    merged(by: \.key) { $0.add($1) }.sorted {
      ($0.first ?? .max, $0.sortKey) < ($1.first ?? .max, $1.sortKey)
    }
  }
}

extension FileTouch {
  fileprivate var sortKey: String { "\(location.sortKey) \(operation) \(file) \(process) \(path)" }
}

/// Counts lines' operations on the files of databases, and the use of the connections afterwards.
struct FileTouchTally {
  typealias Key = ProfileBuilder.Key
  // Arbitrary, as in `Bounds`.
  private static let maxSites = 1000
  private static let maxWaiting = 1000

  private struct Waiting {
    var site: FileTouch.Key
    var database: String
    var process: Int
    var lastConnection: UInt64
    var count: UInt64
  }

  private var sites: [FileTouch.Key: FileTouch] = [:]
  /// By process: the connection that was opened last.
  private var lastConnections: [Int: UInt64] = [:]
  /// The operations that no statement has followed yet.
  private var waiting: [Waiting] = []
  /// By database and by path: the last ones, for a failure that follows.
  private var recent: [String: [(site: FileTouch.Key, time: Nanoseconds)]] = [:]

  mutating func open(_ event: ConnectionOpened, in process: Int) {
    lastConnections[process] = max(lastConnections[process] ?? 0, event.connectionID)
  }

  mutating func add(
    _ event: DatabaseFileTouched, at location: SourceLocation, _ record: EventRecord,
    of database: String,
    in process: Int
  ) {
    let touch = FileTouch(
      operation: event.operation, file: event.file, path: event.path, process: record.process.name,
      location: location, count: 1, first: record.timestamp)
    guard sites.count < Self.maxSites || sites[touch.key] != nil else { return }
    if sites[touch.key] == nil { sites[touch.key] = touch } else { sites[touch.key]?.add(touch) }
    keep(touch.key, at: record.timestamp, of: database)
    if let index = waiting.firstIndex(where: {
      $0.site == touch.key && $0.database == database && $0.process == process
    }) {
      waiting[index].count.add(1)
    } else if waiting.count < Self.maxWaiting {
      waiting.append(
        Waiting(
          site: touch.key, database: database, process: process,
          lastConnection: lastConnections[process] ?? event.connectionID, count: 1))
    }
  }

  /// A statement ran.
  mutating func use(_ connection: Key, of database: String) {
    guard !waiting.isEmpty else { return }
    waiting.removeAll {
      guard $0.process == connection.process, $0.database == database,
        connection.id <= $0.lastConnection
      else { return false }
      sites[$0.site]?.usedAfterwards.add($0.count)
      return true
    }
  }

  // Arbitrary: the number of operations in a message.
  private static let maxRecent = 3

  private mutating func keep(_ site: FileTouch.Key, at time: Nanoseconds, of database: String) {
    guard recent.count < Self.maxSites || recent[database] != nil else { return }
    recent[database, default: []].removeAll { $0.site == site }
    recent[database]?.append((site, time))
    if recent[database]?.count ?? 0 > Self.maxRecent { recent[database]?.removeFirst() }
  }

  /// Operations on the files of a database until now, the last first.
  func before(of database: String) -> [(touch: FileTouch, time: Nanoseconds)] {
    (recent[database] ?? []).reversed().compactMap { last in
      // A read of the log cancels nothing.
      guard let touch = sites[last.site], touch.isHazard else { return nil }
      return (touch, last.time)
    }
  }

  var finished: [FileTouch]? { sites.isEmpty ? nil : Array(sites.values).merged }
}

extension FileTouch {
  /// Whether it endangers the file: SQLite locks the database and the `-shm` file alone.
  var isHazard: Bool { operation != "close" || file == "database" || file == "shm" }

  /// `opened and closed the -shm file`.
  var action: String {
    let file = file == "database" ? "the database file" : "the -\(file) file"
    switch operation {
    case "close": return "opened and closed \(file)"
    case "truncate": return "truncated \(file)"
    case "delete": return "deleted \(file)"
    case "rename": return "renamed \(file)"
    case "replace": return "replaced \(file)"
    case "fork": return "used a connection that its parent process had opened"
    default: return "changed \(file)"
    }
  }
}
