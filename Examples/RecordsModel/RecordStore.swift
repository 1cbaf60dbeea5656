// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ObjectStore
import StoreInstruments

/// A store of records.
public struct RecordStore {
  /// The names are of many languages: none of them decides the order.
  static let locale = ""
  /// The maximum number of records.
  public static var maxRecords: Int { RecordNames.limit }

  /// The open store.
  public let container: PersistentContainer
  let timer: FetchTimer

  /// Opens a store that exists.
  ///
  /// - Throws: ``RecordsError/noStore(_:)`` if the file does not exist, and `StoreError`.
  public init(path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { throw RecordsError.noStore(path) }
    try self.init(opening: path)
  }

  private init(opening path: String) throws {
    timer = FetchTimer()
    var options = StoreOptions()
    options.locale = Self.locale
    container = try PersistentContainer(
      at: URL(fileURLWithPath: path), entities: Record.self, options: options,
      instruments: .fromEnvironment(adding: timer))
  }

  /// Makes a store of invented records.
  ///
  /// It is written beside its place, and moved there when it is whole.
  ///
  /// - Throws: ``RecordsError`` if there is a file that must not be replaced, `StoreError`.
  public static func make(at path: String, count: Int, seed: Int, replacing: Bool) throws {
    guard replacing || !FileManager.default.fileExists(atPath: path) else {
      throw RecordsError.storeExists(path)
    }
    let draft = path + ".new"
    defer { remove(draft) }
    remove(draft)
    let store = try RecordStore(opening: draft)
    let context = store.container.newBackgroundContext()
    try context.performAndWait {
      for name in RecordNames(seed: seed).prefix(count) {
        context.insert(Record.self).text = name
      }
      try context.save()
    }
    store.container.close()
    guard rename(draft, path) == 0 else {
      throw RecordsError.cannotReplace(path, reason: String(cString: strerror(errno)))
    }
    // The log of the store that was here would be taken for the new one's.
    for side in ["-wal", "-shm"] { unlink(path + side) }
  }

  private static func remove(_ path: String) {
    for side in ["", "-wal", "-shm"] { unlink(path + side) }
  }
}

/// The reason why there is no store to list, or to write.
public enum RecordsError: Error, Hashable, CustomStringConvertible {
  case noStore(String)
  case storeExists(String)
  case cannotReplace(String, reason: String)

  /// One sentence: the fact, then what to do.
  public var description: String {
    switch self {
    case .noStore(let path):
      "no store at '\(path)'; make one with 'records generate', or name it with --store"
    case .storeExists(let path):
      "'\(path)' exists already; name another file with --store, or replace it with --force"
    case .cannotReplace(let path, let reason): "cannot write '\(path)': \(reason)"
    }
  }
}
