// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore

/// The model and the work with its mistakes.
enum Before {
  static var entities: [any Entity.Type] { [Item.self, Owner.self, Photo.self, Entry.self] }

  struct Item: Entity {
    let name = Attribute<String>("name")
    let price = Attribute<Int64>("price")
    let rank = Attribute<Int64>("rank")
    let owner: ToOne<Owner> = ToOne("owner", inverse: \.items)
    static let indexes: [Index<Item>] = [Index(\.name)]
  }

  struct Owner: Entity {
    let name = Attribute<String>("name")
    let items: ToMany<Item> = ToMany("items", inverse: \.owner)
    static let indexes: [Index<Owner>] = [Index(\.name)]
  }

  struct Photo: Entity {
    let label = Attribute<String>("label")
    let bytes = Attribute<Data>("bytes")
  }

  struct Entry: Entity {
    let text = Attribute<String>("text")
  }

  static func fill(_ context: ManagedObjectContext) {
    let owners = (0..<Amounts.owners).map { number in
      let owner = context.insert(Owner.self)
      owner.name = Amounts.ownerName(number)
      return owner
    }
    for number in 0..<Amounts.items {
      let item = context.insert(Item.self)
      item.name = Amounts.itemName(number)
      item.price = Int64(number % 997)
      item.rank = Int64(number * 7919 % 6007)
      item.owner = owners[number % owners.count]
    }
    for number in 0..<Amounts.photos {
      let photo = context.insert(Photo.self)
      photo.label = "photo \(number)"
      photo.bytes = Amounts.picture(number)
    }
  }
}
