// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreInstruments
import TestSupport
import Testing

@Suite struct SearchMigrationTests {
  private func fixture(_ entities: [any Entity.Type]) throws -> StoreFixture {
    let fixture = try StoreFixture(Unsearched.entities)
    let context = fixture.context
    for (number, title) in ["Blue Note", "Kind of Blue", "Notebook"].enumerated() {
      let note = context.insert(Unsearched.Note.self)
      (note.number, note.title) = (number, title)
    }
    try context.save()
    fixture.container.close()
    if entities.first == Searched.Note.self { try fixture.reopened(entities).close() }
    return fixture
  }

  private func rows(_ fixture: StoreFixture) throws -> [String] {
    try fixture.rows("SELECT Z_PK, Z_ENT, ZNUMBER, ZTITLE FROM ZNOTE ORDER BY 1")
  }

  @Test func anIndexIsMadeOfTheRowsThatAreThere() throws {
    let fixture = try fixture(Unsearched.entities)
    let before = try rows(fixture)
    for policy in [StoreOptions.MigrationPolicy.automatic, .refuse, .exact] {
      try Connection(path: fixture.url.path).execute("DROP TABLE IF EXISTS Z_FTS_NOTE")
      var options = StoreOptions()
      options.migrationPolicy = policy
      let container = try fixture.reopened(Searched.entities, options: options)
      #expect(
        container.migrationSteps.contains(
          "made the search index Z_FTS_NOTE of ZTITLE, ZBODY, ZLINK"))
      #expect(try container.newBackgroundContext().found("blue") == [0, 1])
      #expect(try container.damagedSearchIndexes() == [])
      container.close()
    }
    #expect(try rows(fixture) == before)
    #expect(try fixture.reopened(Searched.entities).migrationSteps == [])
  }

  @Test func aModelWithoutItLeavesItUpToDate() throws {
    let fixture = try fixture(Searched.entities)
    let before = try rows(fixture)
    let plain = try fixture.reopened(Unsearched.entities)
    #expect(plain.migrationSteps == [])
    let context = plain.newBackgroundContext()
    #expect(try context.count(FetchRequest<Unsearched.Note>()) == 3)
    let note = context.insert(Unsearched.Note.self)
    (note.number, note.title) = (9, "Blue Train")
    try context.save()
    plain.close()
    let container = try fixture.reopened(Searched.entities)
    #expect(container.migrationSteps == [])
    #expect(try container.newBackgroundContext().found("blue") == [0, 1, 9])
    #expect(try rows(fixture).count == before.count + 1)
  }

  @Test func anExactIndexPolicyDropsItAndNoRow() throws {
    let fixture = try fixture(Searched.entities)
    let before = try rows(fixture)
    var options = StoreOptions()
    options.indexPolicy = .exact
    let container = try fixture.reopened(Unsearched.entities, options: options)
    #expect(
      container.migrationSteps == [
        "dropped the search index Z_FTS_BINDER, which the model does not declare",
        "dropped the search index Z_FTS_NOTE, which the model does not declare",
      ])
    container.close()
    #expect(try fixture.rows("SELECT name FROM sqlite_master WHERE name LIKE '%FTS%'") == [])
    #expect(try rows(fixture) == before)
    let again = try fixture.reopened(Searched.entities)
    #expect(try again.newBackgroundContext().found("blue") == [0, 1])
  }

  @Test(arguments: [StoreOptions.MigrationPolicy.automatic, .exact])
  func followsRenamedColumnsAndATableThatIsMadeAgain(
    _ policy: StoreOptions.MigrationPolicy
  ) throws {
    let fixture = try fixture(Searched.entities)
    var options = StoreOptions()
    options.migrationPolicy = policy
    let container = try fixture.reopened(Reshaped.entities, options: options)
    #expect(
      container.migrationSteps.contains("made the search index Z_FTS_NOTE of ZHEADING, ZTEXT"))
    #expect(
      container.migrationSteps.contains(
        "dropped the search index Z_FTS_BINDER, which the model does not declare"))
    let context = container.newBackgroundContext()
    func found(_ query: String) throws -> [Int] {
      try context.fetch(FetchRequest<Reshaped.Note>(where: { $0.matchesSearch(query) }))
        .map(\.number).sorted()
    }
    #expect(try found("heading : blue") == [0, 1])
    let note = context.insert(Reshaped.Note.self)
    (note.number, note.heading) = (5, "Blue Train")
    try context.save()
    #expect(try found("blue") == [0, 1, 5])
    #expect(try container.damagedSearchIndexes() == [])
    container.close()
    // And back.
    #expect(try fixture.rows("SELECT count(*) FROM ZNOTE") == ["4"])
  }

  @Test func aReadOnlyStoreWithoutItReportsTheFix() throws {
    let fixture = try fixture(Unsearched.entities)
    var options = StoreOptions()
    options.isReadOnly = true
    let container = try fixture.reopened(Searched.entities, options: options)
    let error = #expect(throws: StoreError.self) {
      try container.newBackgroundContext().found("blue")
    }
    #expect(error == .noSearchIndex(path: fixture.url.path, name: "Z_FTS_NOTE"))
    #expect(error?.description.contains("open it once without isReadOnly") == true)
    container.close()
    try fixture.reopened(Searched.entities).close()
    let again = try fixture.reopened(Searched.entities, options: options)
    #expect(try again.newBackgroundContext().found("blue") == [0, 1])
  }

  @Test func aTableOfTheSameNameIsLeftAlone() throws {
    let fixture = try fixture(Unsearched.entities)
    try Connection(path: fixture.url.path).execute(
      "CREATE TABLE Z_FTS_NOTE(x); INSERT INTO Z_FTS_NOTE VALUES (1)")
    let error = #expect(throws: StoreError.self) { try fixture.reopened(Searched.entities) }
    #expect(error?.description.contains("Z_FTS_NOTE is not a search index of this store") == true)
    #expect(try fixture.rows("SELECT x FROM Z_FTS_NOTE") == ["1"])
    #expect(try fixture.rows("SELECT name FROM sqlite_master WHERE name = 'Z_FTS_BINDER'") == [])
  }

  @Test func anotherTokenizerMakesItAgain() throws {
    let fixture = try fixture(Searched.entities)
    let container = try fixture.reopened([Parts.self])
    #expect(
      container.migrationSteps == ["made the search index Z_FTS_NOTE of ZTITLE"])
    let context = container.newBackgroundContext()
    let found = try context.fetch(FetchRequest<Parts>(where: { $0.matchesSearch("tebo") }))
    #expect(found.map(\.title) == ["Notebook"])
  }

  private struct Parts: Entity {
    static let entityName = "Note"
    let number = Attribute<Int>("number", default: 0)
    let title = Attribute<String>("title")
    let body = Attribute<String?>("body")
    let link = Attribute<URL?>("link")
    static let searchIndex = SearchIndex(\Parts.title, tokenizer: .trigrams)
    static let uniquenessConstraints = [UniquenessConstraint<Parts>(\.number)]
  }

  // MARK: - Models

  private struct Machine: Entity {
    let name = Attribute<String>("name")
    static let searchIndex = SearchIndex(\Machine.name)
  }

  private struct Printer: Entity {
    typealias Parent = Machine
    let driver = Attribute<String?>("driver")
    static let searchIndex = SearchIndex(\Printer.name, \Printer.driver)
  }

  private struct Plotter: Entity {
    typealias Parent = Machine
    let driver = Attribute<String?>("driver")
  }

  @Test func subentitiesUseTheIndexOfTheirParentOrTheirOwn() throws {
    let fixture = try StoreFixture([Machine.self, Printer.self, Plotter.self])
    let context = fixture.context
    context.insert(Machine.self).name = "blue lathe"
    let printer = context.insert(Printer.self)
    (printer.name, printer.driver) = ("blue laser", "foo")
    let plotter = context.insert(Plotter.self)
    (plotter.name, plotter.driver) = ("blue pen", "foo")
    for _ in 0..<2 {
      #expect(try context.count(FetchRequest<Machine>(where: { $0.matchesSearch("blue") })) == 3)
      #expect(try context.count(FetchRequest<Plotter>(where: { $0.matchesSearch("blue") })) == 1)
      #expect(try context.count(FetchRequest<Plotter>(where: { $0.matchesSearch("foo") })) == 0)
      #expect(
        try context.count(FetchRequest<Printer>(where: { $0.matchesSearch("driver: foo") })) == 1)
      try context.save()
    }
    #expect(try fixture.container.damagedSearchIndexes() == [])
  }

  private enum Moved {
    struct Machine: Entity {
      static let entityName = "Machine"
      let name = Attribute<String>("name")
      let driver = Attribute<String?>("driver")
      static let searchIndex = SearchIndex(\Machine.driver, \Machine.name)
    }

    struct Printer: Entity {
      static let entityName = "Printer"
      typealias Parent = Machine
    }

    struct Plotter: Entity {
      static let entityName = "Plotter"
      typealias Parent = Machine
    }
  }

  private enum Apart {
    struct Machine: Entity {
      static let entityName = "Machine"
      let name = Attribute<String>("name")
    }

    struct Printer: Entity {
      static let entityName = "Printer"
      let name = Attribute<String>("name")
      let driver = Attribute<String?>("driver")
      static let searchIndex = SearchIndex(\Printer.driver)
    }

    struct Plotter: Entity {
      static let entityName = "Plotter"
      typealias Parent = Machine
      let driver = Attribute<String?>("driver")
      static let searchIndex = SearchIndex(\Plotter.name, \Plotter.driver)
    }
  }

  @Test func followsAttributesAndEntitiesThatMove() throws {
    let fixture = try StoreFixture([Machine.self, Printer.self, Plotter.self])
    let printer = fixture.context.insert(Printer.self)
    (printer.name, printer.driver) = ("blue laser", "foo")
    let plotter = fixture.context.insert(Plotter.self)
    (plotter.name, plotter.driver) = ("blue pen", "bar")
    try fixture.context.save()
    fixture.container.close()
    func count<E: Entity>(_ container: PersistentContainer, _ type: E.Type, _ query: String) throws
      -> Int
    {
      try container.newBackgroundContext()
        .count(FetchRequest<E>(where: { $0.matchesSearch(query) }))
    }
    let moved = try fixture.reopened([Moved.Machine.self, Moved.Printer.self, Moved.Plotter.self])
    #expect(try count(moved, Moved.Machine.self, "driver : (foo OR bar)") == 2)
    #expect(try count(moved, Moved.Plotter.self, "blue bar") == 1)
    #expect(try moved.damagedSearchIndexes() == [])
    moved.close()
    let apart = try fixture.reopened([Apart.Machine.self, Apart.Printer.self, Apart.Plotter.self])
    #expect(try count(apart, Apart.Printer.self, "foo") == 1)
    #expect(try count(apart, Apart.Plotter.self, "blue AND bar") == 1)
    #expect(try apart.damagedSearchIndexes() == [])
    let context = apart.newBackgroundContext()
    let printers = try context.fetch(FetchRequest<Apart.Printer>())
    #expect(printers.map(\.name) == ["blue laser"])
    printers.first?.driver = "baz"
    try context.save()
    #expect(try count(apart, Apart.Printer.self, "baz") == 1)
    #expect(try count(apart, Apart.Printer.self, "foo") == 0)
  }

  private struct Counted: Entity {
    let count = Attribute<Int>("count")
    static let searchIndex = SearchIndex(\Counted.count)
  }

  @Test func onlyTextIsIndexed() throws {
    let error = #expect(throws: ModelError.self) {
      try ManagedObjectModel(entities: [Counted.self])
    }
    #expect(error == .invalidSearchIndex(entity: "Counted"))
  }
}
