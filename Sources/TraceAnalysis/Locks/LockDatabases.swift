// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The databases of connections and stores: by inode where the probe reports it, so that two paths
/// of one file are one database; otherwise by path.
struct LockDatabases {
  private typealias Key = ProfileBuilder.Key
  private var ids: [ProfileBuilder.Key: String] = [:]
  /// The names of databases without a file.
  private var fileless: [ProfileBuilder.Key: String] = [:]
  /// By path: the database of the probe's connection to that path.
  private var inodes: [String: String] = [:]
  private var paths: [String: String] = [:]
  // 100,000 is arbitrary: a program may open a connection for each request.
  private static let maxConnections = 100_000

  mutating func add(_ event: ConnectionOpened, on host: String, in process: Int) {
    let key = Key(process: process, id: event.connectionID)
    guard ids.count + fileless.count < Self.maxConnections else { return }
    guard !event.path.isEmpty else {
      fileless[key] = Self.nameless(key)
      return
    }
    let path = Self.path(event.path, on: host)
    let id = event.inode == 0 ? path : Self.path("\(event.device):\(event.inode)", on: host)
    ids[key] = id
    inodes[path] = id
    if paths[id] == nil { paths[id] = event.path }
  }

  mutating func add(_ event: StoreOpened, on host: String, in process: Int) {
    guard ids.count < Self.maxConnections, !event.path.isEmpty else { return }
    let path = Self.path(event.path, on: host)
    ids[Self.store(event.storeID, in: process)] = path
    if paths[path] == nil { paths[path] = event.path }
  }

  private static func path(_ path: String, on host: String) -> String {
    host.isEmpty ? path : "\(host)\u{0}\(path)"
  }

  /// A store's key, apart from that of the connection of the same number.
  static func store(_ id: UInt64, in process: Int) -> ProfileBuilder.Key {
    Key(process: process, id: id | 1 << 63)
  }

  /// The store or the connection that waited: both providers call its number `store_id`.
  func waiter(_ id: UInt64, _ record: EventRecord, in process: Int) -> ProfileBuilder.Key {
    let connection = Key(process: process, id: id)
    let store = Self.store(id, in: process)
    guard ids[store] != nil else { return connection }
    // The probe has no contexts.
    return ids[connection] == nil || record.contextID != 0 ? store : connection
  }

  /// Whether a connection's database is a file that stays.
  func isInFile(_ connection: ProfileBuilder.Key) -> Bool {
    guard let path = ids[connection].flatMap({ paths[$0] }) else { return false }
    return path != ":memory:" && !path.hasPrefix("file::memory:") && !path.contains("mode=memory")
  }

  /// Whether a connection's database is known to be in memory or temporary.
  func isInMemory(_ connection: ProfileBuilder.Key) -> Bool {
    fileless[connection] != nil || isKnown(connection) && !isInFile(connection)
  }

  /// Whether the probe reported the connection.
  func isKnown(_ connection: ProfileBuilder.Key) -> Bool { ids[connection] != nil }

  /// The database of a connection; one without a name is its own.
  subscript(connection: ProfileBuilder.Key) -> String {
    guard let id = ids[connection] else { return fileless[connection] ?? Self.nameless(connection) }
    return inodes[id] ?? id
  }

  private static func nameless(_ connection: ProfileBuilder.Key) -> String {
    "\(connection.process)#\(connection.id)"
  }

  func path(of database: String) -> String { paths[database] ?? "" }
}
