// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ObjectStore

/// The model of a torture run: values of several types, an ordered one-to-many with a cascade, a
/// many-to-many, a uniqueness constraint, and bytes of many sizes, large ones in files.
public struct Step: Entity {
  public let number = Attribute<Int64>("number")
  public let text = Attribute<String>("text")
  public let photo = Attribute<Data?>("photo", allowsExternalBinaryDataStorage: true)
  public let entries: ToMany<Entry> = ToMany(
    "entries", inverse: \.step, ordered: true, deleteRule: .cascade)
  public let labels: ToMany<Label> = ToMany("labels", inverse: \.steps)
  public static let uniquenessConstraints = [UniquenessConstraint<Step>(\.number)]
  public init() {}
}

public struct Entry: Entity {
  public let amount = Attribute<Int64>("amount")
  public let step = ToOne<Step>("step", inverse: \.entries)
  public init() {}
}

public struct Label: Entity {
  public let name = Attribute<String>("name")
  public let steps = ToMany<Step>("steps", inverse: \.labels)
  public static let indexes = [Index<Label>(\.name)]
  public init() {}
}

/// One object, which every save changes.
public struct Clock: Entity {
  public let lastStep = Attribute<Int64>("lastStep", default: 0)
  public init() {}
}

/// The two models that the store is opened with by turns, each time exactly: they differ in a
/// renamed and an added attribute, a uniqueness constraint and an index.
public enum LedgerVersion: String, CaseIterable, Sendable {
  case first, second

  private enum First {
    struct Shelf: Entity {
      static let entityName = "Shelf"
      let place = Attribute<Int64>("place")
      let title = Attribute<String>("title", renamingIdentifier: "heading")
      static let indexes = [Index<Shelf>(\.title)]
    }
  }

  private enum Second {
    struct Shelf: Entity {
      static let entityName = "Shelf"
      let place = Attribute<Int64>("place")
      let heading = Attribute<String>("heading", renamingIdentifier: "title")
      let stars = Attribute<Int64>("stars", default: 3)
      static let uniquenessConstraints = [UniquenessConstraint<Shelf>(\.place)]
    }
  }

  public var entities: [any Entity.Type] {
    let shelf: any Entity.Type = self == .first ? First.Shelf.self : Second.Shelf.self
    return [Step.self, Entry.self, Label.self, Clock.self, shelf]
  }

  public var other: LedgerVersion { self == .first ? .second : .first }

  /// The columns of the table of shelves beyond the columns of every table.
  var shelfColumns: Set<String> {
    self == .first ? ["ZPLACE", "ZTITLE"] : ["ZPLACE", "ZHEADING", "ZSTARS"]
  }

  var shelfTitle: String { self == .first ? "title" : "heading" }

  /// Opens a ledger as this version has it, with its history.
  public func open(
    _ url: URL, _ options: StoreOptions = StoreOptions()
  ) throws -> PersistentContainer {
    var options = options
    options.tracksHistory = true
    // Some photos lie in files, others in their rows.
    options.externalDataThreshold = 20_000
    // Each opening finds the files that a kill has left at once.
    options.externalDataGracePeriod = .zero
    options.migrationPolicy = .exact
    options.indexPolicy = .exact
    return try PersistentContainer(at: url, entities: entities, options: options)
  }
}
