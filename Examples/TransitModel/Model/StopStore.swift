// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ObjectStore
import SQLiteDriver
public import StoreInstruments

/// A transit store, opened with the indexes of one version.
public final class StopStore {
  /// The open store.
  public let container: PersistentContainer
  /// The version of its searches.
  public let version: Version
  /// The changes that the opening made to its indexes, in sentences.
  public let indexChanges: [String]

  /// Opens an existing store, and creates the indexes of a version.
  ///
  /// - Parameter instruments: those that the environment configures, if nil.
  /// - Throws: ``TransitError`` if the file does not exist, and `StoreError`.
  public init(path: String, version: Version, instruments: Instruments? = nil) throws {
    guard FileManager.default.fileExists(atPath: path) else { throw TransitError.noStore(path) }
    let earlier = Self.indexNames(path)
    self.version = version
    container = try Self.open(path, version: version, instruments: instruments)
    let later = Self.indexNames(path)
    let made = container.migrationSteps + (try Self.makeMissingTerms(in: container))
    indexChanges =
      made + earlier.subtracting(later).sorted().map { "dropped the index \($0)" }
      + later.subtracting(earlier).sorted().map { "created the index \($0)" }
  }

  /// A store of before there were search terms has a table for them by now, and nothing in it.
  private static func makeMissingTerms(in container: PersistentContainer) throws -> [String] {
    guard !container.migrationSteps.isEmpty else { return [] }
    let context = container.newBackgroundContext()
    return try context.performAndWait {
      guard try context.count(FetchRequest<SearchTerm>()) == 0 else { return [] }
      var request = FetchRequest<Stop>()
      request.returnsObjectsAsFaults = false
      let terms = try context.fetch(request).flatMap { stop in
        stop.name.searchWords.map { (word: $0, stop: stop.objectID) }
      }
      try context.insertTerms(terms)
      return ["made \(terms.count) search terms"]
    }
  }

  /// Opens or makes a store with the indexes of a version.
  static func open(
    _ path: String, version: Version, instruments: Instruments? = nil
  ) throws -> PersistentContainer {
    var options = StoreOptions()
    options.indexPolicy = .exact
    return try Version.$ofModel.withValue(version) {
      try PersistentContainer(
        at: URL(fileURLWithPath: path), entities: Stop.self, StopTime.self, SearchTerm.self,
        options: options, instruments: instruments)
    }
  }

  /// Empty if the file is not a database: opening it reports that.
  private static func indexNames(_ path: String) -> Set<String> {
    var names: Set<String> = []
    guard let connection = try? Connection(path: path, mode: .readOnly),
      let statement = try? connection.prepare("SELECT name FROM sqlite_master WHERE type = 'index'")
    else { return [] }
    while (try? statement.step()) == true { names.insert(statement.string(0)) }
    return names
  }
}

/// The reason why there is no store to search, or to write.
public enum TransitError: Error, Hashable, CustomStringConvertible {
  case noStore(String)
  case storeExists(String)
  case isFolder(String)
  case cannotReplace(String, reason: String)

  /// One sentence: the fact, then what to do.
  public var description: String {
    switch self {
    case .noStore(let path):
      "no store at '\(path)'; make one with 'transit generate' or 'transit import', or name it with --store"
    case .storeExists(let path):
      "'\(path)' exists already; name another file with --store, or replace it with --force"
    case .isFolder(let path): "'\(path)' is a folder; name a file in it with --store"
    case .cannotReplace(let path, let reason): "cannot write '\(path)': \(reason)"
    }
  }
}
