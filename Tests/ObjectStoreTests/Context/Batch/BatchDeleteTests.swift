// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import StoreEvents
import TestSupport
import Testing

@Suite struct BatchDeleteTests {
  struct Library: Entity {
    let name = Attribute<String>("name")
    let books: ToMany<Book> = ToMany("books", inverse: \.library, deleteRule: .cascade)
    let members: ToMany<Member> = ToMany("members", inverse: \.library, deleteRule: .deny)
    let address: ToOne<Address> = ToOne("address", inverse: \.library, deleteRule: .cascade)
  }

  struct Book: Entity {
    let title = Attribute<String>("title")
    let library = ToOne<Library>("library", inverse: \.books)
    let sequel: ToOne<Book> = ToOne("sequel", inverse: \.prequel)
    let prequel = ToOne<Book>("prequel", inverse: \.sequel)
    let readers: ToMany<Member> = ToMany("readers", inverse: \.books)
    let notes: ToMany<Note> = ToMany("notes", inverse: \.book, ordered: true)
  }

  struct Member: Entity {
    let name = Attribute<String>("name")
    let library = ToOne<Library>("library", inverse: \.members)
    let books = ToMany<Book>("books", inverse: \.readers)
    let card: ToOne<Card> = ToOne("card", inverse: \.member)
  }

  /// A card needs its member.
  struct Card: Entity {
    let number = Attribute<Int64>("number", default: 0)
    let member = ToOne<Member>("member", inverse: \.card, optional: false, deleteRule: .deny)
  }

  struct Note: Entity {
    let text = Attribute<String>("text", default: "")
    let book = ToOne<Book>("book", inverse: \.notes)
  }

  struct Address: Entity {
    let street = Attribute<String>("street", default: "")
    let library = ToOne<Library>("library", inverse: \.address)
  }

  private let fixture: StoreFixture
  private var context: ManagedObjectContext { fixture.context }

  init() throws {
    fixture = try StoreFixture([
      Library.self, Book.self, Member.self, Card.self, Note.self, Address.self,
    ])
    let context = fixture.container.newBackgroundContext()
    let library = context.insert(Library.self)
    library.name = "city"
    library.address = context.insert(Address.self)
    let member = context.insert(Member.self)
    member.name = "ann"
    var last: ManagedObject<Book>?
    for title in ["a", "b", "c"] {
      let book = context.insert(Book.self)
      book.title = title
      book.library = title == "c" ? nil : library
      book.prequel = last
      book.readers.insert(member)
      book.notes.append(context.insert(Note.self))
      last = book
    }
    try context.save()
    fixture.observer.removeAll()
  }

  private func ids(_ sql: String) throws -> [String] { try fixture.rows(sql) }

  @Test func deletesInOneStatementWhereNothingRefersToTheRows() throws {
    var delete = BatchDeleteRequest<Note>(where: { $0.text == "" })
    delete.resultType = .objectIDs
    let result = try context.execute(delete)
    #expect(result.count == 3 && result.objectIDs.map(\.primaryKey).sorted() == [1, 2, 3])
    #expect(result.objectIDs.allSatisfy { $0.entityName == "Note" })
    #expect(
      fixture.observer.sql == [
        "BEGIN EXCLUSIVE",
        "DELETE FROM ZNOTE WHERE Z_PK IN (SELECT t0.Z_PK FROM ZNOTE t0 WHERE  t0.ZTEXT = ?) "
          + "RETURNING Z_PK",
        "COMMIT",
      ])
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZNOTE") == ["0"])
  }

  @Test func deletesTheRowsOfARequest() throws {
    var request = FetchRequest<Note>()
    request.sortDescriptors = [.descending(\.text)]
    request.fetchLimit = 2
    #expect(try context.execute(BatchDeleteRequest(request)).count == 2)
    #expect(try context.execute(BatchDeleteRequest(FetchRequest<Note>())).count == 1)
    #expect(fixture.observer.sql.contains("DELETE FROM ZNOTE"))
  }

  @Test func nullifiesAndCascadesInTheDatabase() throws {
    var delete = BatchDeleteRequest<Library>(where: { $0.name == "city" })
    delete.resultType = .objectIDs
    let result = try context.execute(delete)
    #expect(result.count == 4)
    #expect(
      Set(result.objectIDs.map { "\($0.entityName)\($0.primaryKey)" })
        == ["Library1", "Book1", "Book2", "Address1"])
    #expect(
      try fixture.rows("SELECT ZTITLE, ZPREQUEL, Z_OPT FROM ZBOOK") == ["c|NULL|2"])
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZADDRESS") == ["0"])
    // The member has read one book less, and the notes of the books have no owner.
    #expect(try context.fetch(FetchRequest<Member>()).map { $0.books.map(\.title) } == [["c"]])
    #expect(
      try fixture.rows("SELECT ZBOOK, Z_FOK_BOOK IS NULL, Z_OPT FROM ZNOTE")
        == ["NULL|1|2", "NULL|1|2", "3|0|1"])
  }

  @Test func refusesDeniedDeletions() throws {
    let other = fixture.container.newBackgroundContext()
    let library = try #require(try other.fetch(FetchRequest<Library>()).first)
    try #require(try other.fetch(FetchRequest<Member>()).first).library = library
    try other.save()
    #expect(
      throws: StoreError.deletionDenied(library.objectID, relationship: "members")
    ) { try context.execute(BatchDeleteRequest<Library>(objectIDs: [library.objectID])) }
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZBOOK") == ["3"])
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZLIBRARY") == ["1"])
  }

  @Test func refusesToEmptyAReferenceThatIsNotOptional() throws {
    let other = fixture.container.newBackgroundContext()
    let member = try #require(try other.fetch(FetchRequest<Member>()).first)
    member.card = other.insert(Card.self)
    try other.save()
    #expect(throws: StoreError.deletionDenied(member.objectID, relationship: "card")) {
      try context.execute(BatchDeleteRequest<Member>(objectIDs: [member.objectID]))
    }
    // The card's own rule denies as long as its member is there.
    #expect(throws: StoreError.self) {
      try context.execute(BatchDeleteRequest(FetchRequest<Card>()))
    }
    #expect(try fixture.rows("SELECT COUNT(*) FROM ZCARD") == ["1"])
    #expect(throws: StoreError.self) {
      try context.execute(BatchDeleteRequest<Card>(objectIDs: [member.objectID]))
    }
  }

  @Test func reportsOfItAsOfASave() throws {
    try context.execute(BatchDeleteRequest<Library>(where: { $0.name == "city" }))
    let ends = fixture.observer.events.compactMap { event -> SaveEnd? in
      if case .saveEnd(let end) = event { end } else { nil }
    }
    #expect(ends.map(\.deleted) == [4])
    #expect(ends.map(\.statements) == [UInt64(fixture.observer.sql.count)])
  }
}
