// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

@Suite struct OrderedInsertionTests {
  private struct Shelf: Entity {
    let name = Attribute<String>("name", default: "")
    let books: ToMany<Book> = ToMany("books", inverse: \.shelf, ordered: true)
  }

  private struct Book: Entity {
    let title = Attribute<String>("title", default: "")
    let shelf = ToOne<Shelf>("shelf", inverse: \.books)
  }

  @Test func aMemberInsertedAtAPlaceOfAFaultIsInTheListOnce() throws {
    let fixture = try StoreFixture([Shelf.self, Book.self])
    let shelf = fixture.context.insert(Shelf.self)
    for title in ["a", "c"] {
      let book = fixture.context.insert(Book.self)
      book.title = title
      shelf.books.append(book)
    }
    try fixture.context.save()
    let context = fixture.container.newBackgroundContext()
    let fault = try #require(try context.fetch(FetchRequest<Shelf>()).first)
    let book = context.insert(Book.self)
    book.title = "b"
    fault.books.insert(book, at: 1)
    #expect(fault.books.map(\.title) == ["a", "b", "c"])
    try context.save()
    let reader = fixture.container.newBackgroundContext()
    #expect(try reader.fetch(FetchRequest<Shelf>())[0].books.map(\.title) == ["a", "b", "c"])
  }
}
