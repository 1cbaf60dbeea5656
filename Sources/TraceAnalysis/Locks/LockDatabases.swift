// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The databases of connections and stores: by inode where the probe reports it, so that two paths
/// of one file are one database; otherwise by path.
struct LockDatabases {
  private typealias Key = ProfileBuilder.Key
  private var ids: [ProfileBuilder.Key: String] = [:]
  /// By path: the database that a connection of the probe found there.
  private var inodes: [String: String] = [:]
  private var paths: [String: String] = [:]
  // 100,000 is arbitrary: a program may open a connection for each request.
  private static let maxConnections = 100_000

  mutating func add(_ event: ConnectionOpened, in process: Int) {
    guard ids.count < Self.maxConnections, !event.path.isEmpty else { return }
    let id = event.inode == 0 ? event.path : "\(event.device):\(event.inode)"
    ids[Key(process: process, id: event.connectionID)] = id
    inodes[event.path] = id
    if paths[id] == nil { paths[id] = event.path }
  }

  mutating func add(_ event: StoreOpened, in process: Int) {
    guard ids.count < Self.maxConnections, !event.path.isEmpty else { return }
    ids[Self.store(event.storeID, in: process)] = event.path
    if paths[event.path] == nil { paths[event.path] = event.path }
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

  /// The database of a connection; one without a name is its own.
  subscript(connection: ProfileBuilder.Key) -> String {
    guard let id = ids[connection] else { return "\(connection.process)#\(connection.id)" }
    return inodes[id] ?? id
  }

  func path(of database: String) -> String { paths[database] ?? "" }
}
