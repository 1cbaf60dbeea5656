// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore

enum Kind: Int16, CaseIterable, AttributeValue { case book, record }

struct Origin: CodableAttributeValue, Equatable {
  var shop = ""
  var year = 0
  static var valueForNull: Origin { Origin() }
}

struct Item: Entity, LifecycleHooks {
  let title = Attribute<String>("title")
  let kind = Attribute<Kind>("kind", default: .book)
  let price = Attribute<Decimal>("price", default: 0)
  let tags = Attribute<[String]>("tags", default: [])
  let origin = Attribute<Origin?>("origin")
  let link = Attribute<URL?>("link")
  let key = Attribute<UUID?>("key")
  let changes = Attribute<Int>("changes", default: 0)
  let shelf: ToOne<Shelf> = ToOne("shelf", inverse: \.items)
  let readers: ToMany<Reader> = ToMany("readers", inverse: \.items)
  static let searchIndex = SearchIndex(\Item.title, \Item.link)

  static func willSave(_ item: ManagedObject<Item>) {
    // Not what this sets itself, or the save would never end.
    guard !item.isDeleted, item.changedValues.keys.contains("title") else { return }
    let committed = (try? item.committedValues(forKeys: ["changes"]))?["changes"]
    guard case .integer(let count)? = committed else { return }
    if item.changes != Int(count) + 1 { item.changes = Int(count) + 1 }
  }
}

struct Shelf: Entity {
  let name = Attribute<String>("name")
  let items: ToMany<Item> = ToMany("items", inverse: \.shelf)
  let itemCount = Attribute<Int>("itemCount", countOf: \Self.items)
  let worth = Attribute<Decimal>("worth", sumOf: \Self.items, \.price)
}

struct Reader: Entity {
  let name = Attribute<String>("name")
  let items = ToMany<Item>("items", inverse: \.readers)
}
