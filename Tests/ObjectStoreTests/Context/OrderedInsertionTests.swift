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

  /// The second context's steps before and after the first one has related the two objects.
  enum Order: CaseIterable {
    case ownerRead, membersRead, bothRead, membersReadBetween, membersReadAndMerged
  }

  @Test(arguments: Order.allCases, [0, nil] as [Int?])
  func aMemberThatAnotherContextHasAddedIsInTheListOnce(_ order: Order, at index: Int?) throws {
    var options = StoreOptions()
    options.tracksHistory = true
    let fixture = try StoreFixture([Shelf.self, Book.self], options: options)
    let saved = (fixture.context.insert(Shelf.self), fixture.context.insert(Book.self))
    try fixture.context.save()
    let token = try fixture.container.currentHistoryToken()
    let context = fixture.container.newBackgroundContext()
    let shelf = try context.fetch(FetchRequest<Shelf>())[0]
    let book = try context.fetch(FetchRequest<Book>())[0]
    if [.membersRead, .bothRead].contains(order) { #expect(shelf.books.isEmpty) }
    if order != .membersRead { #expect(book.shelf == nil) }
    saved.0.books.insert(saved.1, at: 0)
    try fixture.context.save()
    if order == .membersReadBetween { #expect(shelf.books.count == 1) }
    if order == .membersReadAndMerged {
      #expect(shelf.books.count == 1)
      book.shelf = shelf
    } else if let index {
      shelf.books.insert(book, at: index)
    } else {
      shelf.books.append(book)
    }
    #expect(shelf.books.map(\.objectID) == [book.objectID])
    for transaction in try fixture.container.history(after: token) {
      context.mergeChanges(from: transaction.contextChanges)
    }
    #expect(shelf.books.map(\.objectID) == [book.objectID])
    context.mergePolicy = .objectTrump
    try context.save()
    #expect(shelf.books.map(\.objectID) == [book.objectID])
    try context.refresh(shelf, mergeChanges: false)
    #expect(shelf.books.map(\.objectID) == [book.objectID])
  }
}
