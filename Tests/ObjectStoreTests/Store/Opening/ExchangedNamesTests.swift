// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import TestSupport
import Testing

private enum First {
  struct Note: Entity {
    static let entityName = "Note"
    let title = Attribute<String?>("title")
    let body = Attribute<String?>("body")
    let rank = Attribute<Int?>("rank")
    let home = ToOne<Place>("home", inverse: \.residents)
    let work = ToOne<Place>("work", inverse: \.workers)
    let tags: ToMany<Place> = ToMany("tags", inverse: \.tagged)
    let marks: ToMany<Place> = ToMany("marks", inverse: \.marked)
  }

  struct Draft: Entity {
    static let entityName = "Draft"
    let title = Attribute<String?>("title")
  }

  struct Place: Entity {
    static let entityName = "Place"
    let name = Attribute<String?>("name")
    let residents: ToMany<Note> = ToMany("residents", inverse: \.home, ordered: true)
    let workers: ToMany<Note> = ToMany("workers", inverse: \.work)
    let tagged: ToMany<Note> = ToMany("tagged", inverse: \.tags)
    let marked: ToMany<Note> = ToMany("marked", inverse: \.marks)
  }

  struct City: Entity {
    typealias Parent = Place
    static let entityName = "City"
    let people = Attribute<Int?>("people")
  }

  static var entities: [any Entity.Type] { [Note.self, Draft.self, Place.self, City.self] }
}

/// Each name belongs to another item than before: three attributes in a circle, the rest in pairs.
private enum Second {
  struct Draft: Entity {
    static let entityName = "Draft"
    static let renamingIdentifier: String? = "Note"
    let title = Attribute<String?>("title", renamingIdentifier: "body")
    let body = Attribute<Int?>("body", renamingIdentifier: "rank")
    let rank = Attribute<String?>("rank", renamingIdentifier: "title")
    let work = ToOne<Place>("work", inverse: \.residents, renamingIdentifier: "home")
    let home = ToOne<Place>("home", inverse: \.workers, renamingIdentifier: "work")
    let marks: ToMany<Place> = ToMany("marks", inverse: \.tagged, renamingIdentifier: "tags")
    let tags: ToMany<Place> = ToMany("tags", inverse: \.marked, renamingIdentifier: "marks")
  }

  struct Note: Entity {
    static let entityName = "Note"
    static let renamingIdentifier: String? = "Draft"
    let title = Attribute<String?>("title")
  }

  struct Place: Entity {
    static let entityName = "Place"
    let name = Attribute<String?>("name")
    let residents: ToMany<Draft> = ToMany("residents", inverse: \.work, ordered: true)
    let workers: ToMany<Draft> = ToMany("workers", inverse: \.home)
    let tagged: ToMany<Draft> = ToMany("tagged", inverse: \.marks)
    let marked: ToMany<Draft> = ToMany("marked", inverse: \.tags)
  }

  struct City: Entity {
    typealias Parent = Place
    static let entityName = "City"
    let people = Attribute<Int?>("people")
  }

  static var entities: [any Entity.Type] { [Note.self, Draft.self, Place.self, City.self] }
}

/// Names that properties and entities exchange by their renaming identifiers.
@Suite struct ExchangedNamesTests {
  private let folder: TemporaryDirectory
  private var url: URL { folder.url.appending(path: "store.sqlite") }

  init() throws { folder = try TemporaryDirectory() }

  private func fillFirst() throws {
    let container = try PersistentContainer(at: url, entities: First.entities)
    let context = container.newBackgroundContext()
    let city = context.insert(First.City.self)
    (city.name, city.people) = ("Görlitz", 56_000)
    let place = context.insert(First.Place.self)
    place.name = "Zgorzelec"
    for number in 1...2 {
      let note = context.insert(First.Note.self)
      (note.title, note.body, note.rank) = ("T\(number)", "B\(number)", number)
      place.residents.insert(note, at: 0)
      note.work = city.as(First.Place.self)
      note.tags.append(place)
      if let city = city.as(First.Place.self) { note.marks.append(city) }
    }
    context.insert(First.Draft.self).title = "draft"
    try context.save()
    container.close()
  }

  private func expectSecond(_ container: PersistentContainer) throws {
    let context = container.newBackgroundContext()
    let notes = try context.fetch(FetchRequest<Second.Note>())
    #expect(notes.map(\.title) == ["draft"])
    let place = try #require(
      try context.fetch(FetchRequest<Second.Place>(where: { $0.name == "Zgorzelec" })).first)
    let drafts = place.residents.map { $0 }
    #expect(drafts.map(\.title) == ["B2", "B1"])
    #expect(drafts.map(\.body) == [2, 1])
    #expect(drafts.map(\.rank) == ["T2", "T1"])
    for draft in drafts {
      #expect(draft.work === place && draft.home?.as(Second.City.self)?.people == 56_000)
      #expect(draft.marks.map(\.name) == ["Zgorzelec"] && draft.tags.map(\.name) == ["Görlitz"])
    }
  }

  @Test(arguments: [StoreOptions.MigrationPolicy.automatic, .exact])
  func valuesFollowTheIdentifiersOnce(policy: StoreOptions.MigrationPolicy) throws {
    try fillFirst()
    var options = StoreOptions()
    options.migrationPolicy = policy
    for opening in 1...3 {
      let container = try PersistentContainer(at: url, entities: Second.entities, options: options)
      #expect(container.migrationSteps.isEmpty == (opening > 1))
      try expectSecond(container)
      container.close()
    }
    let connection = try Connection(path: url.path, mode: .readOnly)
    let check = try connection.prepare("PRAGMA integrity_check")
    #expect(try check.step() && check.string(0) == "ok")
  }

  @Test func aNewFileHasTheNamesAsTheyAre() throws {
    for opening in 1...2 {
      let container = try PersistentContainer(at: url, entities: Second.entities)
      let context = container.newBackgroundContext()
      if opening == 1 {
        let draft = context.insert(Second.Draft.self)
        (draft.title, draft.body, draft.rank) = ("title", 1, "rank")
        try context.save()
      }
      #expect(container.migrationSteps.isEmpty)
      let draft = try #require(try context.fetch(FetchRequest<Second.Draft>()).first)
      #expect(draft.title == "title" && draft.body == 1 && draft.rank == "rank")
      container.close()
    }
  }

  @Test func aReadOnlyOpeningAndARefusingOneDoNotMixThemUp() throws {
    try fillFirst()
    var options = StoreOptions()
    options.isReadOnly = true
    #expect(throws: StoreError.self) {
      try PersistentContainer(at: url, entities: Second.entities, options: options)
    }
    options.isReadOnly = false
    options.migrationPolicy = .refuse
    #expect(throws: StoreError.self) {
      try PersistentContainer(at: url, entities: Second.entities, options: options)
    }
    try expectSecond(PersistentContainer(at: url, entities: Second.entities))
  }
}
