// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

private enum First {
  struct Item: Entity {
    static let entityName = "Item"
    let a = Attribute<Int>("a")
    let home = ToOne<Place>("home", inverse: \.residents)
  }

  struct Place: Entity {
    static let entityName = "Place"
    let name = Attribute<String>("name")
    let residents: ToMany<Item> = ToMany("residents", inverse: \.home)
  }

  static var entities: [any Entity.Type] { [Item.self, Place.self] }
}

/// `a` and `home` are renamed, and new properties have their names.
private enum Reused {
  struct Item: Entity {
    static let entityName = "Item"
    let c = Attribute<Int?>("c", renamingIdentifier: "a")
    let a = Attribute<Int>("a", default: 77)
    let first = ToOne<Place>("first", inverse: \.residents, renamingIdentifier: "home")
    let home = ToOne<Place>("home", inverse: \.guests)
  }

  struct Place: Entity {
    static let entityName = "Place"
    let name = Attribute<String>("name")
    let residents: ToMany<Item> = ToMany("residents", inverse: \.first)
    let guests: ToMany<Item> = ToMany("guests", inverse: \.home)
  }

  static var entities: [any Entity.Type] { [Item.self, Place.self] }
}

/// The entity is renamed, and a new one has its name.
private enum Archived {
  struct Archive: Entity {
    static let entityName = "Archive"
    static let renamingIdentifier: String? = "Item"
    let a = Attribute<Int>("a")
    let home = ToOne<Place>("home", inverse: \.residents)
  }

  struct Item: Entity {
    static let entityName = "Item"
    let name = Attribute<String?>("name")
  }

  struct Place: Entity {
    static let entityName = "Place"
    let name = Attribute<String>("name")
    let residents: ToMany<Archive> = ToMany("residents", inverse: \.home)
  }

  static var entities: [any Entity.Type] { [Item.self, Archive.self, Place.self] }
}

/// The number is narrower, in a column of the same type.
private enum Narrow {
  struct Item: Entity {
    static let entityName = "Item"
    let a = Attribute<Int16>("a")
    let home = ToOne<Place>("home", inverse: \.residents)
  }

  struct Place: Entity {
    static let entityName = "Place"
    let name = Attribute<String>("name")
    let residents: ToMany<Item> = ToMany("residents", inverse: \.home)
  }

  static var entities: [any Entity.Type] { [Item.self, Place.self] }
}

/// A name that was given to another item: the renamed item keeps its rows and values.
@Suite struct ReusedNameTests {
  private func makeFile() throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    let container = try PersistentContainer(at: url(folder), entities: First.entities)
    let context = container.newBackgroundContext()
    let place = context.insert(First.Place.self)
    place.name = "Görlitz"
    let item = context.insert(First.Item.self)
    (item.a, item.home) = (5, place)
    try context.save()
    container.close()
    return folder
  }

  private func url(_ folder: TemporaryDirectory) -> URL {
    folder.url.appending(path: "store.sqlite")
  }

  @Test(arguments: [StoreOptions.MigrationPolicy.automatic, .exact])
  func propertiesThatTakeTheNameOfRenamedOnesAreNew(policy: StoreOptions.MigrationPolicy) throws {
    let folder = try makeFile()
    var options = StoreOptions()
    options.migrationPolicy = policy
    // A second opening finds the names as they are now.
    for _ in 1...2 {
      let container = try PersistentContainer(
        at: url(folder), entities: Reused.entities, options: options)
      let context = container.newBackgroundContext()
      let item = try #require(try context.fetch(FetchRequest<Reused.Item>()).first)
      #expect(item.c == 5 && item.a == 77)
      #expect(item.first?.name == "Görlitz" && item.home == nil)
      container.close()
    }
  }

  @Test(arguments: [StoreOptions.MigrationPolicy.automatic, .exact])
  func anEntityThatTakesTheNameOfARenamedOneIsNew(policy: StoreOptions.MigrationPolicy) throws {
    let folder = try makeFile()
    var options = StoreOptions()
    options.migrationPolicy = policy
    for count in 0...1 {
      let container = try PersistentContainer(
        at: url(folder), entities: Archived.entities, options: options)
      let context = container.newBackgroundContext()
      let archive = try #require(try context.fetch(FetchRequest<Archived.Archive>()).first)
      #expect(archive.a == 5 && archive.home?.name == "Görlitz")
      #expect(try context.count(FetchRequest<Archived.Item>()) == count)
      context.insert(Archived.Item.self).name = "new"
      try context.save()
      container.close()
    }
  }

  @Test(arguments: [5, 32_768])
  func aNarrowerTypeIsRefusedWhereValuesDoNotFit(value: Int) throws {
    let folder = try makeFile()
    try Connection(path: url(folder).path, mode: .readWrite).execute(
      "UPDATE ZITEM SET ZA = \(value)")
    func open() throws -> [Int16] {
      let container = try PersistentContainer(at: url(folder), entities: Narrow.entities)
      let context = container.newBackgroundContext()
      return try context.fetch(FetchRequest<Narrow.Item>()).map(\.a)
    }
    if value == 5 {
      #expect(try open() == [5])
    } else {
      #expect { try open() } throws: {
        "\($0)".contains("ZITEM.ZA has values that are none of int16")
      }
    }
  }
}
