// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import StoreInstruments

/// Shows what the store does for a Swift program, and prints the SQL of each step.
@main @MainActor
struct Tour {
  let container: PersistentContainer
  let context: ManagedObjectContext

  static func main() async throws {
    let container = try PersistentContainer(
      inMemory: Item.self, Shelf.self, Reader.self,
      instruments: Instruments(observers: [SQLPrinter()]))
    let tour = Tour(container: container, context: container.viewContext)
    try tour.saveSwiftValues()
    try tour.searchDecimals()
    try tour.searchText()
    try tour.reachPropertiesByName()
    try tour.readWithSQL()
    try await tour.observe()
    try tour.backUp()
    try tour.refuse()
  }

  private func saveSwiftValues() throws {
    print("enums, lists, Codable values, decimals, hooks and derived attributes")
    let shelf = context.insert(Shelf.self)
    shelf.name = "A"
    let item = context.insert(Item.self)
    (item.title, item.kind, item.tags) = ("Blue", .record, ["jazz"])
    item.price = Decimal(string: "19.95") ?? 0
    item.origin = Origin(shop: "Corner", year: 1971)
    item.link = URL(string: "https://example.org/blue")
    item.key = UUID()
    item.shelf = shelf
    try context.save()
    item.title = "Blue Note"
    print("  -- changed: \(item.changedValues.keys.sorted())")
    try context.save()
    print("  -- \(shelf.itemCount) item, worth \(shelf.worth), changed \(item.changes) times")
  }

  private func searchDecimals() throws {
    print("a predicate in Swift")
    let found = try context.fetch(
      FetchRequest<Item>(where: { $0.price < 20 && $0.kind == .record }))
    print("  -- \(found.map(\.title))")
  }

  private func searchText() throws {
    print("a search for words")
    let found = try context.fetch(FetchRequest<Item>(where: { $0.matchesSearch("title : blu*") }))
    print("  -- \(found.map(\.title))")
    let typed = try context.fetch(
      FetchRequest<Item>(where: { $0.matchesSearch(words: "\"example.org", lastIsPrefix: true) }))
    print("  -- \(typed.map(\.title))")
    do {
      _ = try context.fetch(FetchRequest<Item>(where: { $0.matchesSearch("\"blue") }))
    } catch { print("  -- \(error)") }
  }

  private func reachPropertiesByName() throws {
    print("relationships and values by name")
    let reader = try context.insert(entityNamed: "Reader")
    try reader.setValue(.string("Kim"), forKey: "name")
    let item = try context.fetch(entityNamed: "Item")[0]
    try item.mutableSet(forKey: "readers").insert(reader)
    try context.save()
    do {
      try item.validateValue(.null, forKey: "title")
    } catch { print("  -- title cannot be nil") }
  }

  private func readWithSQL() throws {
    print("SQL where the objects end")
    let rows = try container.read {
      try $0.rows("SELECT ZKIND, count(*) FROM ZITEM GROUP BY ZKIND")
    }
    print("  -- \(rows.count) kind")
  }

  private func observe() async throws {
    print("a query that is observed")
    var request = FetchRequest<Item>()
    request.sortDescriptors = [SortDescriptor(\.title)]
    var titles = container.values(observing: request) { $0.map(\.title) }.makeAsyncIterator()
    _ = try await titles.next()
    context.insert(Item.self).title = "Aqua"
    try context.save()
    print("  -- \(try await titles.next() ?? [])")
  }

  private func backUp() throws {
    print("a copy of the store while it is in use")
    let folder = FileManager.default.temporaryDirectory.appending(path: "tour-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try container.backUp(to: folder.appending(path: "copy.sqlite"))
  }

  private func refuse() throws {
    print("what cannot be opened")
    var options = StoreOptions()
    options.encryptionKey = "key"
    for address in ["https://example.org/store.sqlite", ":memory:", "file:///tmp/tour.sqlite"] {
      guard let url = URL(string: address) else { continue }
      do {
        _ = try PersistentContainer(
          at: url, entities: Item.self, Shelf.self, Reader.self, options: options)
      } catch { print("  -- \(error)") }
    }
  }
}
