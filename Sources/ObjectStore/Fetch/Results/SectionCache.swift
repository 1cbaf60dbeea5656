// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver

/// The sections of a fetch, kept in a file beside the store: `.NAME_SUPPORT/_SECTIONS/CACHE.json`.
///
/// They hold for one request, the ids it returns, and the rows that the section names were read
/// from.
struct SectionCache {
  private let store: PersistentStore
  private let file: URL
  private let request: String
  private let tables: [String]

  private struct Contents: Codable {
    var version = 1
    var request: String
    var data: [String]
    var ids: UInt64
    var names: [String]
    var counts: [Int]
  }

  /// - Parameters:
  ///   - request: the entity, the predicate and the order, in words.
  ///   - tables: where the section names come from.
  init(_ name: String, of store: PersistentStore, request: String, tables: [String]) {
    self.store = store
    self.request = request
    self.tables = tables
    file = Self.folder(of: store).appending(path: Self.fileName(name))
  }

  private static func folder(of store: PersistentStore) -> URL {
    let path = URL(fileURLWithPath: store.path)
    let name = path.deletingPathExtension().lastPathComponent
    return path.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT/_SECTIONS")
  }

  /// A cache's name may hold anything; a file's may not.
  private static func fileName(_ name: String) -> String {
    let safe = name.unicodeScalars.map { scalar -> String in
      CharacterSet.alphanumerics.contains(scalar) || scalar == "-"
        ? String(scalar) : "_" + String(scalar.value, radix: 16) + "_"
    }
    return safe.joined() + ".json"
  }

  /// Removes one cache, or all of a store.
  static func delete(_ name: String?, of store: PersistentStore) {
    let folder = folder(of: store)
    try? FileManager.default.removeItem(
      at: name.map { folder.appending(path: fileName($0)) } ?? folder)
  }

  /// The names and counts of the sections; nil if there are none that fit.
  func sections(_ context: ManagedObjectContext) -> SavedSections? {
    guard let bytes = try? Data(contentsOf: file),
      let contents = try? JSONDecoder().decode(Contents.self, from: bytes),
      contents.version == 1, contents.request == request,
      contents.names.count == contents.counts.count,
      contents.counts.allSatisfy({ $0 > 0 && $0 < 1 << 40 }),
      let data = try? dataVersion(context), contents.data == data
    else { return nil }
    return SavedSections(ids: contents.ids, names: contents.names, counts: contents.counts)
  }

  /// A cache that cannot be written is not an error: the next fetch reads the sections again.
  func save(_ snapshot: FetchedResultsSnapshot, data: [String]) {
    let contents = Contents(
      request: request, data: data, ids: SavedSections.hash(snapshot.ids),
      names: snapshot.sections.map(\.name), counts: snapshot.sections.map(\.range.count))
    guard let bytes = try? JSONEncoder().encode(contents) else { return }
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try? bytes.write(to: file, options: .atomic)
  }

  /// Changes with every row that is inserted, updated or deleted.
  ///
  ///     SELECT COUNT(*), SUM(Z_OPT), MAX(Z_PK) FROM ZRECORD
  func dataVersion(_ context: ManagedObjectContext) throws -> [String] {
    var versions: [String] = []
    for table in tables {
      var cost = QueryCost()
      try store.query(
        SelectStatement(
          sql: "SELECT COUNT(*), SUM(Z_OPT), MAX(Z_PK) FROM \(table)", bindings: []),
        interests: context.interests, contextID: context.contextID, cost: &cost
      ) { versions.append("\(table) \($0.int64(0)) \($0.int64(1)) \($0.int64(2))") }
    }
    return versions
  }
}

/// The contents of a section cache.
struct SavedSections {
  let ids: UInt64
  let names: [String]
  let counts: [Int]

  /// The snapshot with these sections; nil if they are sections of other objects.
  func applied(to snapshot: FetchedResultsSnapshot) -> FetchedResultsSnapshot? {
    guard counts.reduce(0, +) == snapshot.count, Self.hash(snapshot.ids) == ids else { return nil }
    var result = snapshot
    var start = 0
    result.sections = zip(names, counts).map { name, count in
      defer { start += count }
      return .init(name: name, range: start..<start + count)
    }
    return result
  }

  /// FNV-1a over the keys, in their order.
  static func hash(_ ids: [ManagedObjectID]) -> UInt64 {
    ids.reduce(0xcbf2_9ce4_8422_2325) { hash, id in
      (hash ^ UInt64(bitPattern: id.primaryKey)) &* 0x100_0000_01b3
    }
  }
}
