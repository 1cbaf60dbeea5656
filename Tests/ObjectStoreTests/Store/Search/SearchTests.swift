// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreInstruments
import TestSupport
import Testing

@Suite struct SearchTests {
  private let fixture: StoreFixture
  private var context: ManagedObjectContext { fixture.context }

  init() throws {
    fixture = try StoreFixture(Searched.entities)
    fixture.makeNote(1, "Blue Note", "Jazz in Zürich")
    fixture.makeNote(2, "Kind of Blue", nil).link = URL(string: "https://example.org/miles")
    fixture.makeNote(3, "Notebook", "blue and green")
    try fixture.context.save()
    fixture.observer.removeAll()
  }

  /// Saved as well as unsaved objects are found by the same queries.
  private func expectFound(_ numbers: [Int], _ query: String) throws {
    #expect(try context.found(query) == numbers, "\(query)")
    let all = try context.fetch(FetchRequest<Searched.Note>())
    let entity = try #require(fixture.container.model.entity(named: "Note"))
    let prepared = try PreparedPredicate(Searched.Note().matchesSearch(query), for: entity)
    #expect(
      try all.filter { try prepared.matches($0) }.map(\.number).sorted() == numbers, "\(query)")
    #expect(try fixture.container.damagedSearchIndexes() == [])
  }

  @Test func findsWordsWithOneStatement() throws {
    #expect(try context.found("blue") == [1, 2, 3])
    #expect(
      fixture.observer.sql == [
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZBODY, t0.ZLINK, t0.ZNUMBER, t0.ZTITLE, t0.ZBINDER "
          + "FROM ZNOTE t0 WHERE  t0.Z_PK IN (SELECT rowid FROM Z_FTS_NOTE "
          + "WHERE Z_FTS_NOTE MATCH ?)"
      ])
  }

  @Test func readsTheQueriesOfFTS5() throws {
    try expectFound([1], "ZURICH")
    try expectFound([1, 3], "note*")
    try expectFound([1], "note")
    try expectFound([1], "\"blue note\"")
    try expectFound([1, 2], "title : blue")
    try expectFound([3], "{body link}: blue")
    try expectFound([1, 2], "- \"Body\" : blue")
    try expectFound([2], "miles AND blue")
    try expectFound([1, 3], "blue NOT kind")
    try expectFound([2, 3], "green OR kind")
    try expectFound([1, 3], "^blue")
    try expectFound([1], "NEAR(jazz zurich, 2)")
    try expectFound([], "red")
    try expectFound([], "")
    try expectFound([], "   ")
  }

  @Test func anAttributeNamedAsItsColumnIsNotRenamed() throws {
    try expectFound([], "\"title : blue\"")
    #expect(throws: FetchPredicateError.self) { try context.found("ztitle : blue") }
    #expect(throws: FetchPredicateError.self) { try context.found("number : 1") }
  }

  @Test(arguments: [
    "AND", "blue AND", "\"blue", "(blue", "blue)", "blue:", "blue^", "*", "*reads", "title :",
    "NEAR(", "NEAR(a b, x)", "{title : blue", "blue\0 OR note", "a:b", "'; DROP TABLE ZNOTE; --",
    "it's", "blue + ", "{} : blue", "rank : blue", "rowid : 1", "Z_FTS_NOTE : blue",
  ])
  func aQueryThatCannotBeReadIsAnError(_ query: String) throws {
    let error = #expect(throws: FetchPredicateError.self, "\(query)") { try context.found(query) }
    guard case .searchQuery? = error else {
      Issue.record("\(query): \(error as Any)")
      return
    }
    let sentence = error?.description ?? ""
    #expect(sentence.hasPrefix("the query of the search cannot be read: "))
    #expect(sentence.hasSuffix("pass it to matchesSearch(words:)"))
    // Nothing was run for it.
    #expect(fixture.observer.sql == [])
    #expect(throws: Never.self) { try context.found { $0.matchesSearch(words: query) } }
  }

  @Test func deepAndLongQueriesAreErrorsOrAnswers() throws {
    for query in [
      String(repeating: "(", count: 100_000), String(repeating: "(", count: 90) + "a",
      Array(repeating: "blue", count: 50_000).joined(separator: " OR "),
      Array(repeating: "blue", count: 50_000).joined(separator: " NOT "),
      Array(repeating: "blue", count: 50_000).joined(separator: " "),
      "\"" + String(repeating: "blue ", count: 50_000) + "\"",
      "NEAR(blue note, 99999999999999999999)", String(repeating: "\"", count: 9_999),
    ] {
      do { _ = try context.found(query) } catch {
        #expect(error is FetchPredicateError, "\(error)")
      }
    }
    try expectFound([1, 2, 3], "blue")
  }

  /// Any text is a query or an error, and rows and objects in memory agree.
  @Test func randomQueriesAgreeInTheFileAndInMemory() throws {
    let pieces = [
      "blue", "note", "no", "*", "\"", "(", ")", "{", "}", ":", "title", "body", " ", " AND ",
      " OR ",
      " NOT ", "NEAR(", ",", "2", "^", "+", "-", "ü", "é", "\u{301}", "\0", "'", "?", ";", "日本",
    ]
    var random = SeededGenerator(17)
    let all = try context.fetch(FetchRequest<Searched.Note>())
    let entity = try #require(fixture.container.model.entity(named: "Note"))
    var answers = 0
    for _ in 0..<3_000 {
      let query = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        pieces.randomElement(using: &random) ?? ""
      }.joined()
      let predicate = Searched.Note().matchesSearch(query)
      let prepared: PreparedPredicate
      do { prepared = try PreparedPredicate(predicate, for: entity) } catch {
        #expect(throws: FetchPredicateError.self) { try context.found(query) }
        continue
      }
      answers += 1
      let inMemory = try all.filter { try prepared.matches($0) }.map(\.number).sorted()
      #expect(try context.found(query) == inMemory, "\(query)")
    }
    #expect(answers > 300)
  }

  @Test func findsUnsavedChanges() throws {
    let first = try #require(
      try context.fetch(FetchRequest<Searched.Note>(where: { $0.number == 1 })).first)
    first.title = "Red"
    fixture.makeNote(4, "Blue in Green", nil)
    let third = try #require(
      try context.fetch(FetchRequest<Searched.Note>(where: { $0.number == 3 })).first)
    context.delete(third)
    #expect(try context.found("blue") == [2, 4])
    #expect(try context.found("red") == [1])
    #expect(try fixture.container.newBackgroundContext().found("blue") == [1, 2, 3])
    try context.save()
    #expect(try fixture.container.newBackgroundContext().found("blue") == [2, 4])
    #expect(
      try context.count(FetchRequest<Searched.Note>(where: { $0.matchesSearch("blue") })) == 2)
    #expect(try fixture.container.damagedSearchIndexes() == [])
  }

  @Test func isSearchedOverRelationships() throws {
    let binder = context.insert(Searched.Binder.self)
    binder.name = "Record sleeves"
    let note = try #require(
      try context.fetch(FetchRequest<Searched.Note>(where: { $0.number == 2 })).first)
    note.binder = binder
    for _ in 0..<2 {
      #expect(try context.found { $0.binder.matchesSearch("sleeves") } == [2])
      #expect(try context.found { !$0.binder.matchesSearch("sleeves") } == [])
      let owners = FetchRequest<Searched.Binder>(where: {
        $0.notes.subquery { $0.matchesSearch("blue") }.count > 0
      })
      #expect(try context.fetch(owners).map(\.name) == ["Record sleeves"])
      try context.save()
    }
    #expect(
      fixture.observer.sql.contains {
        $0.contains(
          "FROM ZNOTE t0 WHERE  t0.ZBINDER IN (SELECT rowid FROM Z_FTS_BINDER "
            + "WHERE Z_FTS_BINDER MATCH ?)")
      })
  }

  @Test func isWrittenAsAFormatToo() throws {
    let predicate = try FetchPredicate("SELF MATCHES %@ AND number < 3", "blue")
    #expect(try context.found { _ in predicate } == [1, 2])
    #expect(try FetchPredicate(predicate.predicateFormat) == predicate)
    #expect(try context.found { _ in try! FetchPredicate("SELF MATCHES nil") } == [])
    #expect(throws: FetchPredicateError.self) {
      try context.found { _ in try! FetchPredicate("SELF MATCHES[cd] 'blue'") }
    }
    #expect(throws: FetchPredicateError.self) {
      try context.found { _ in try! FetchPredicate("SELF MATCHES title") }
    }
  }

  @Test func thePageOfPredicatesHasItsSQL() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "Documentation/Predicates.md"), encoding: .utf8)
    for format in [
      "SELF MATCHES 'blue note*'", "binder MATCHES 'blue'", "NOT binder MATCHES 'blue'",
    ] {
      fixture.observer.removeAll()
      _ = try context.count(FetchRequest<Searched.Note>(predicate: try FetchPredicate(format)))
      let sql = try #require(fixture.observer.sql.first)
      let condition = try #require(sql.split(separator: " WHERE ", maxSplits: 1).last)
      #expect(page.contains("| `\(format)` | `\(condition)` |"), "\(sql)")
    }
  }

  @Test func followsBatches() throws {
    try context.batchInsert(Searched.Note.self, count: 3, onConflict: .update) { row, index in
      row.number = index + 3
      row.title = "Batch \(index)"
    }
    try expectFound([3, 4, 5], "batch")
    try expectFound([1, 2, 3], "blue")
    try context.batchInsert(Searched.Note.self, count: 2, onConflict: .ignore) { row, index in
      row.number = index + 5
      row.title = "Ignored"
    }
    try expectFound([6], "ignored")
    var update = BatchUpdateRequest<Searched.Note>(where: { $0.matchesSearch("batch") })
    update.set(\.title, to: "Updated")
    #expect(try context.execute(update).count == 3)
    context.reset()
    try expectFound([3, 4, 5], "updated")
    try expectFound([], "batch")
    let request = BatchDeleteRequest<Searched.Note>(where: { $0.matchesSearch("updated OR kind") })
    #expect(try context.execute(request).count == 4)
    context.reset()
    try expectFound([1], "blue")
    try context.execute(BatchDeleteRequest<Searched.Note>(FetchRequest()))
    context.reset()
    try expectFound([], "note* OR jazz")
  }

  @Test func aSaveThatIsRolledBackLeavesTheIndexAsItWas() throws {
    fixture.makeNote(7, "Purple", nil)
    fixture.makeNote(1, "Purple", nil)
    #expect(throws: StoreError.self) { try context.save() }
    context.rollback()
    try expectFound([], "purple")
  }

  @Test func followsWritesOfOtherPrograms() throws {
    let other = try Connection(path: fixture.url.path)
    try other.execute("UPDATE ZNOTE SET ZTITLE = 'Yellow' WHERE ZNUMBER = 1")
    try other.execute("DELETE FROM ZNOTE WHERE ZNUMBER = 2")
    #expect(try fixture.container.newBackgroundContext().found("yellow") == [1])
    #expect(try fixture.container.newBackgroundContext().found("blue") == [3])
  }

  @Test func namesADamagedIndexAndMakesItAgain() throws {
    let other = try Connection(path: fixture.url.path)
    try other.execute("DROP TRIGGER Z_FTS_NOTE_UPDATE; UPDATE ZNOTE SET ZTITLE = 'Yellow'")
    #expect(try fixture.container.damagedSearchIndexes() == ["Z_FTS_NOTE"])
    #expect(try context.found("yellow") == [])
    fixture.observer.removeAll()
    try fixture.container.rebuildSearchIndexes()
    #expect(
      fixture.observer.sql.first == "INSERT INTO Z_FTS_BINDER(Z_FTS_BINDER) VALUES ('rebuild')")
    #expect(try fixture.container.damagedSearchIndexes() == [])
    #expect(try fixture.container.newBackgroundContext().found("yellow") == [1, 2, 3])
  }

  @Test func aStoreInMemoryHasTheIndexToo() throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(entities: Searched.entities))
    let context = container.newBackgroundContext()
    context.insert(Searched.Note.self).title = "Blue"
    try context.save()
    #expect(try container.newBackgroundContext().found("blue") == [0])
  }

  @Test func aCopyOfTheStoreHasTheIndexToo() throws {
    let url = fixture.folder.url.appending(path: "copy.sqlite")
    try fixture.container.backUp(to: url)
    let copy = try PersistentContainer(at: url, entities: Searched.entities)
    #expect(copy.migrationSteps == [])
    #expect(try copy.newBackgroundContext().found("blue") == [1, 2, 3])
    #expect(try copy.damagedSearchIndexes() == [])
  }

  @Test func anEntityWithoutAnIndexReportsSo() throws {
    let plain = try StoreFixture(Unsearched.entities)
    let request = FetchRequest<Unsearched.Note>(where: { $0.matchesSearch("blue") })
    #expect(throws: FetchPredicateError.noSearchIndex(entity: "Note")) {
      try plain.context.fetch(request)
    }
  }
}
