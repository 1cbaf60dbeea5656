// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TraceReading

/// Where statements ran: the host, the database, the copy of SQLite, and the labels of the
/// recording.
public struct OriginProfile: Hashable, Sendable, Codable {
  /// "" where the source does not contain it; the label `host` comes before the system's name.
  public var host = ""
  /// The path of the database; "" for one in memory, or where it is unknown.
  public var database = ""
  /// "" where it is unknown.
  public var sqliteVersion = ""
  /// The labels of `record --label`, without `host`.
  public var labels: [String: String] = [:]

  /// The application's version; "" without the label `version`.
  public var version: String { labels["version"] ?? "" }

  /// The origin with the labels of its recording.
  func labelled(_ labels: [String: String]) -> Self {
    var origin = self
    origin.labels = labels
    if let host = origin.labels.removeValue(forKey: "host") { origin.host = host }
    return origin
  }

  var sortKey: String {
    ([host, database, sqliteVersion]
      + labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
      .joined(separator: "\u{1}")
  }
}

extension ReadingReport {
  /// The labels that all inputs have; none if they differ.
  var commonLabels: [String: String] {
    let labels = Set(sources.map { $0.labels ?? [:] })
    return labels.count == 1 ? labels.first ?? [:] : [:]
  }
}

/// The origins of statements, by process and connection, in bounded memory.
struct OriginTable {
  typealias Key = ProfileBuilder.Key
  private var origins: [OriginProfile] = []
  private var indexes: [OriginProfile: Int] = [:]
  /// Connections by their numbers, contexts of stores by theirs.
  private var connections: [Key: Int] = [:]
  private var contexts: [Key: Int] = [:]
  private var stores: [Key: Int] = [:]
  /// The origins by process: that of its stores, or one that represents several of them.
  private var processes: [Int: Int] = [:]
  private var lastConnection: (key: Key, index: Int)?
  private var lastContext: (key: Key, index: Int)?

  // Arbitrary both: far more than programs open, and each takes a few hundred bytes.
  private static let maxOrigins = 1000
  private static let maxConnections = 100_000
  private static let others = OriginProfile(host: "", database: "other databases")

  mutating func add(_ event: ConnectionOpened, _ record: EventRecord, in process: Int) {
    guard connections.count < Self.maxConnections else { return }
    let index = index(
      of: OriginProfile(
        host: record.process.host, database: event.path, sqliteVersion: event.sqliteVersion))
    lastConnection = nil
    connections[Key(process: process, id: event.connectionID)] = index
  }

  mutating func add(_ event: StoreOpened, _ record: EventRecord, in process: Int) {
    guard stores.count < Self.maxConnections else { return }
    let host = record.process.host
    let index = index(
      of: OriginProfile(
        host: host, database: event.path, sqliteVersion: event.sqliteVersion))
    lastContext = nil
    stores[Key(process: process, id: event.storeID)] = index
    if let known = processes[process], known != index {
      processes[process] = self.index(of: OriginProfile(host: host, database: "several databases"))
    } else {
      processes[process] = index
    }
  }

  mutating func add(_ event: ContextCreated, _ context: Key) {
    guard contexts.count < Self.maxConnections,
      let index = stores[Key(process: context.process, id: event.storeID)]
    else { return }
    lastContext = nil
    contexts[context] = index
  }

  mutating func index(
    ofConnection id: UInt64, in process: Int, host: @autoclosure () -> String
  ) -> Int {
    let key = Key(process: process, id: id)
    if let lastConnection, lastConnection.key == key { return lastConnection.index }
    let index = connections[key] ?? self.index(of: OriginProfile(host: host()))
    lastConnection = (key, index)
    return index
  }

  mutating func index(ofContext key: Key, host: @autoclosure () -> String) -> Int {
    if let lastContext, lastContext.key == key { return lastContext.index }
    let index =
      contexts[key] ?? processes[key.process] ?? self.index(of: OriginProfile(host: host()))
    lastContext = (key, index)
    return index
  }

  /// The origin of an event; for events of the probe, `store_id` is the number of a connection.
  mutating func index(
    ofStoreOrConnection id: UInt64, _ context: Key, host: @autoclosure () -> String
  ) -> Int {
    let key = Key(process: context.process, id: id)
    // The probe has no contexts.
    if let store = stores[key], context.id != 0 || connections[key] == nil { return store }
    return connections[key] ?? index(ofContext: context, host: host())
  }

  func origin(_ index: Int?) -> OriginProfile? { index.map { origins[$0] } }

  private mutating func index(of origin: OriginProfile) -> Int {
    if let known = indexes[origin] { return known }
    guard origins.count < Self.maxOrigins || origin == Self.others else {
      return index(of: Self.others)
    }
    indexes[origin] = origins.count
    origins.append(origin)
    return origins.count - 1
  }
}
