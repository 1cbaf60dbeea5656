// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore

/// A model with every type of attribute and every way to keep a relationship.
enum HostileModel {
  struct Author: Entity {
    static let entityName = "Author"
    let name = Attribute<String>("name")
    let code = Attribute<Int64>("code")
    let books: ToMany<Book> = ToMany(
      "books", inverse: \.author, ordered: true, deleteRule: .cascade)
    let vehicles: ToMany<Tram> = ToMany("vehicles", inverse: \.driver)
    static let uniquenessConstraints = [UniquenessConstraint<Author>(\.code)]
    static let indexes = [Index<Author>(\.name)]
  }

  struct Book: Entity {
    static let entityName = "Book"
    let title = Attribute<String?>("title")
    let pages = Attribute<Int32>("pages", default: 1)
    let rank = Attribute<Int16?>("rank")
    let price = Attribute<Double>("price", default: 0)
    let weight = Attribute<Float?>("weight")
    let isLent = Attribute<Bool>("isLent", default: false)
    let published = Attribute<Date?>("published")
    let isbn = Attribute<UUID?>("isbn")
    let link = Attribute<URL?>("link")
    let blob = Attribute<Data?>("blob")
    let cover = Attribute<Data?>("cover", allowsExternalBinaryDataStorage: true)
    let author = ToOne<Author>("author", inverse: \.books)
    let tags: ToMany<Tag> = ToMany("tags", inverse: \.books, ordered: true)
    let vehicle = ToOne<Vehicle>("vehicle", inverse: \.readers)
  }

  struct Tag: Entity {
    static let entityName = "Tag"
    let name = Attribute<String>("name")
    let books: ToMany<Book> = ToMany("books", inverse: \.tags)
    let related: ToMany<Tag> = ToMany("related", inverse: \.related)
  }

  struct Vehicle: Entity {
    static let entityName = "Vehicle"
    let number = Attribute<Int>("number")
    let readers: ToMany<Book> = ToMany("readers", inverse: \.vehicle)
  }

  struct Tram: Entity {
    static let entityName = "Tram"
    typealias Parent = Vehicle
    let line = Attribute<String?>("line")
    let driver = ToOne<Author>("driver", inverse: \.vehicles)
  }

  struct Bus: Entity {
    static let entityName = "Bus"
    typealias Parent = Vehicle
    let seats = Attribute<Int64>("seats", default: 40)
  }

  static var entities: [any Entity.Type] {
    [Author.self, Book.self, Tag.self, Vehicle.self, Tram.self, Bus.self]
  }

  static func open(_ url: URL, readOnly: Bool = false) throws -> PersistentContainer {
    var options = StoreOptions()
    options.tracksHistory = true
    options.isReadOnly = readOnly
    options.externalDataThreshold = 100
    options.externalDataGracePeriod = .zero
    options.busyTimeout = .milliseconds(200)
    return try PersistentContainer(at: url, entities: entities, options: options)
  }

  /// Makes a store with a few rows of each entity.
  static func fill(_ url: URL) throws {
    let container = try open(url)
    defer { container.close() }
    let context = container.newBackgroundContext(name: "filler")
    context.transactionAuthor = "author"
    for number in 0..<4 {
      let author = context.insert(Author.self)
      author.name = "author \(number)"
      author.code = Int64(number)
      let tram = context.insert(Tram.self)
      tram.number = number
      tram.line = "M\(number)"
      tram.driver = author
      context.insert(Bus.self).number = 10 + number
      let tag = context.insert(Tag.self)
      tag.name = "tag \(number)"
      for place in 0..<3 {
        let book = context.insert(Book.self)
        book.title = "book \(number) \(place)"
        book.published = Date(timeIntervalSinceReferenceDate: Double(place) * 86_400)
        book.isbn = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(place)))
        book.link = URL(string: "https://example.org/\(place)")
        book.blob = Data([1, 2, 3])
        book.cover = Data(repeating: 7, count: place == 0 ? 300 : 5)
        author.books.append(book)
        book.tags.append(tag)
        book.vehicle = number.isMultiple(of: 2) ? tram.as(Vehicle.self) : nil
      }
    }
    try context.save()
  }
}
