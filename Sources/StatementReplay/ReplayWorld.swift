// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import QueryPlans
import StoreEvents
import Synchronization

/// The copies of all databases, and the program's connections to them, as they were or with a change.
final class ReplayWorld {
  let change: ReplayChange
  private let folder: ReplayFolder
  /// The copies, by the path that the program opened.
  private var copies: [String: String] = [:]
  private var connections: [RecordedConnection: ReplayConnection] = [:]
  /// The URIs of databases in memory that connections share; the numbers are those of one process.
  private var memories: [RecordedConnection: String] = [:]
  /// What the schemas' defaults and triggers make the rows depend on.
  private(set) var variation: Variation = []
  /// Preparations that failed on each database, since the program makes their tables, with the message.
  private(set) var pending: [(sql: String, message: String)] = []

  /// - Parameter starts: the databases as they were, by the path that the program opened; nil for one that did
  ///   not exist.
  init(_ change: ReplayChange, starts: [String: String?]) throws(ReplayError) {
    self.change = change
    folder = try ReplayFolder()
    var failures: [String: String] = [:]
    var done: Set<String> = []
    for (path, source) in starts.sorted(by: { $0.key < $1.key }) {
      let copy = try folder.copy(source)
      copies[path] = copy
      let connection = try ReplayConnection(change.library, path: copy, in: folder)
      for sql in connection.texts("SELECT sql FROM sqlite_master WHERE sql NOT NULL") {
        variation.formUnion(Variation(sql: sql).intersection([.random, .clock]))
      }
      for sql in change.preparations {
        if let message = connection.execute(sql) {
          failures[sql] = message
        } else {
          done.insert(sql)
        }
      }
    }
    pending = change.preparations.compactMap { sql in
      done.contains(sql) ? nil : failures[sql].map { (sql, $0) }
    }
  }

  func open(_ key: RecordedConnection, _ file: RecordedFile) throws(ReplayError) {
    guard let path = path(of: file, openedBy: key.process) else { return }
    let connection = try ReplayConnection(change.library, path: path, in: folder)
    for sql in change.settings { _ = connection.execute(sql) }
    connections[key] = connection
  }

  private func path(of file: RecordedFile, openedBy process: ProcessIdentity) -> String? {
    switch file {
    case .path(let path): return copies[path]
    case .none: return ":memory:"
    case .memory(let number):
      let key = RecordedConnection(process: process, id: number)
      let name = folder.path.split(separator: "/").last ?? ""
      let uri = memories[key] ?? "file:\(name)-\(memories.count)?mode=memory&cache=shared"
      memories[key] = uri
      return uri
    }
  }

  func close(_ key: RecordedConnection) { connections[key] = nil }

  func has(_ key: RecordedConnection) -> Bool { connections[key] != nil }

  func run(_ run: RecordedRun, mayStop: (UInt64) -> Bool) -> RunOutcome? {
    guard let connection = connections[run.connection] else { return nil }
    let (sql, values) = attached(run)
    ReplayClock.time.store(run.start, ordering: .relaxed)
    let outcome = connection.run(
      sql, values, rows: run.event.rows, mayStop: mayStop, maxSteps: run.interruption)
    if !pending.isEmpty, StatementCommand.name(of: sql) == "CREATE" {
      pending.removeAll { connection.execute($0.sql) == nil }
    }
    return outcome
  }

  /// Writes what the file system has to write for the copies.
  func flush() { folder.flush() }

  /// Whether it is a setting of the program that the change replaces.
  func replaces(_ run: RecordedRun) -> Bool {
    StatementCommand.pragma(of: run.sql).map(change.sets) ?? false
  }

  func plan(_ run: RecordedRun) -> [String]? {
    connections[run.connection]?.plan(run.sql, run.values?.values ?? [])
  }

  /// A statement that attaches a file, with the copy instead of it.
  private func attached(_ run: RecordedRun) -> (sql: String, values: [RecordedValues.Value]) {
    let values = run.values?.values ?? []
    guard StatementCommand.name(of: run.sql) == "ATTACH" else { return (run.sql, values) }
    if let (path, name) = AttachedDatabase.parse(run.sql), let copy = copy(ofAttached: path) {
      return (
        "ATTACH ? AS \"\(name.replacing("\"", with: "\"\""))\"",
        [.text(copy, byteCount: copy.utf8.count)]
      )
    }
    guard case .text(let path, _)? = values.first, let copy = copy(ofAttached: path) else {
      return (run.sql, values)
    }
    return (run.sql, [.text(copy, byteCount: copy.utf8.count)] + values.dropFirst())
  }

  /// By its path, or by its name where the path is not absolute: the program's folder is not known.
  private func copy(ofAttached path: String) -> String? {
    if path.hasPrefix("/") { return copies[path] }
    let name = path.split(separator: "/").last.map { "/" + $0 } ?? ""
    let found = copies.filter { $0.key.hasSuffix(name) }
    return found.count == 1 && !name.isEmpty ? found.first?.value : nil
  }
}
