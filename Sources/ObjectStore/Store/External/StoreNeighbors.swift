// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import Synchronization

/// The other files of the directory that a store is in, which may be stores that use its folder of
/// external data: `photos.db` and `photos.backup` beside `photos.sqlite`.
final class StoreNeighbors: Sendable {
  /// The kind of a file beside the store.
  enum Kind: Sendable {
    /// A store, with its UUID.
    case store(uuid: String)
    case other
    /// A database that cannot be read now; it may be a store, or become one.
    case unknown
  }

  /// A file that may be a store.
  struct Neighbor {
    let name: String
    let kind: Kind
    /// The folder of its external data.
    let dataFolder: String
  }

  /// Names beyond this count are not examined: the store then counts as copied.
  private static let examinedLimit = 1000

  let directory: String
  private let name: String
  /// The name without its extension.
  let base: String
  private let known = Mutex<[String: (stamp: [FileStamp?], kind: Kind)]>([:])

  /// - Parameter store: the absolute path of its file.
  init(of store: String) {
    let end = store.utf8.lastIndex(of: UInt8(ascii: "/")) ?? store.startIndex
    directory = end == store.startIndex ? "/" : String(store[..<end])
    name = String(store[end...].dropFirst())
    base = Self.base(name)
  }

  /// The names of other files, without SQLite's own files beside a database; nil if the directory
  /// cannot be read.
  private var fileNames: [String]? {
    var names: Set<String> = []
    guard DirectoryListing.forEachName(in: directory, { names.insert($0) }) else { return nil }
    let candidates = names.filter { candidate in
      guard candidate != name else { return false }
      let suffix = ["-wal", "-shm", "-journal"].first { candidate.hasSuffix($0) }
      return suffix.map { !names.contains(String(candidate.dropLast($0.count))) } ?? true
    }
    return candidates.sorted()
  }

  /// The folders that stores of the directory have, or had: `.photos_SUPPORT`.
  var supportFolders: [String] {
    var folders: [String] = []
    DirectoryListing.forEachName(in: directory) { name in
      if name.hasPrefix("."), name.hasSuffix("_SUPPORT") { folders.append(directory + "/" + name) }
    }
    return folders.sorted()
  }

  /// The files that may be stores; nil if that is unknown.
  var neighbors: [Neighbor]? {
    guard let names = fileNames else { return nil }
    var neighbors: [Neighbor] = []
    var examined = 0
    for name in names {
      let path = directory + "/" + name
      guard let stamp = FileStamp(path), stamp.isRegular else { continue }
      let base = Self.base(name)
      // All pages of a database have a size that 512 divides. An empty file may be one that is made
      // now: it counts where it could own the store's folder, or has a log.
      guard stamp.size % 512 == 0 else { continue }
      guard stamp.size > 0 || hasLog(path) || base.lowercased() == self.base.lowercased()
      else { continue }
      examined += 1
      guard examined <= Self.examinedLimit else { return nil }
      neighbors.append(
        Neighbor(
          name: name, kind: kind(of: path, stamp),
          dataFolder: "\(directory)/.\(base)_SUPPORT/\(ExternalDataFolder.dataName)"))
    }
    return neighbors
  }

  /// Whether another file, with any content, has the name of the store except for its extension.
  var hasNamesake: Bool {
    guard let names = fileNames else { return true }
    let base = base.lowercased()
    return names.contains {
      Self.base($0).lowercased() == base && FileStamp(directory + "/" + $0)?.isRegular != false
    }
  }

  static func base(_ name: String) -> String {
    URL(fileURLWithPath: "/" + name).deletingPathExtension().lastPathComponent
  }

  // MARK: - Looking into a file

  private func hasLog(_ path: String) -> Bool {
    ["-wal", "-journal"].contains { FileStamp(path + $0) != nil }
  }

  private func kind(of path: String, _ stamp: FileStamp) -> Kind {
    let stamps = [stamp, FileStamp(path + "-wal")]
    if let known = known.withLock({ $0[path] }), known.stamp == stamps { return known.kind }
    let kind = readKind(of: path)
    known.withLock { known in
      if known.count > 2 * Self.examinedLimit { known = [:] }
      known[path] = (stamps, kind)
    }
    return kind
  }

  /// Opens a file by way of SQLite: to open it otherwise, and close it, drops the locks that this
  /// process has on it.
  private func connect(_ path: String) throws(SQLiteError) -> Connection {
    try Connection(path: path, mode: .guarded, busyTimeout: 0)
  }

  private func readKind(of path: String) -> Kind {
    do throws(SQLiteError) {
      return try Self.uuid(connect(path)).map { .store(uuid: $0) }
        ?? (FileStamp(path)?.size == 0 || hasLog(path) ? .unknown : .other)
    } catch {
      return error.isNotADatabase ? .other : .unknown
    }
  }

  /// The files that rows of other stores of the directory refer to; nil if one cannot be read.
  func references() -> Set<UUID>? {
    guard let neighbors else { return nil }
    var references: Set<UUID> = []
    for neighbor in neighbors {
      switch neighbor.kind {
      case .other: continue
      case .unknown: return nil
      case .store:
        guard let connection = try? connect(directory + "/" + neighbor.name),
          let found = try? Self.bounded(connection, { try ExternalDataFolder.references(in: $0) })
        else { return nil }
        references.formUnion(found)
      }
    }
    return references
  }

  /// Ends statements that run for too long: the schema of the file may be made to never end.
  private static func bounded<R>(
    _ connection: Connection, _ body: (Connection) throws -> R
  ) throws -> R {
    let end = ContinuousClock.now + .seconds(10)
    return try connection.interrupting(when: { ContinuousClock.now > end }, every: 10_000) {
      try body(connection)
    }
  }

  /// Nil if it is not a store.
  private static func uuid(_ connection: Connection) throws(SQLiteError) -> String? {
    do {
      return try bounded(connection) { connection in
        let find = try connection.prepare(
          "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'Z_METADATA'")
        guard try find.step() else { return nil }
        let read = try connection.prepare("SELECT Z_UUID FROM Z_METADATA LIMIT 1")
        return try read.step() ? read.string(0) : ""
      }
    } catch let error as SQLiteError {
      throw error
    } catch {
      return nil
    }
  }
}
