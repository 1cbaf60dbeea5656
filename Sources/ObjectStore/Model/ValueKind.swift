// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The kind of an operand's value; only values of one kind can be compared.
enum ValueKind: Equatable {
  case number, string, date, data, uuid
  /// An attribute with external storage, of which only the presence of a value is known.
  case externalData
  case object(ObjectKind)

  init(_ type: AttributeType) {
    self =
      switch type {
      case .int16, .int32, .int64, .bool, .double, .float, .decimal: .number
      case .string, .url: .string
      case .date: .date
      case .data: .data
      case .uuid: .uuid
      }
  }

  /// The value as a column of this kind holds it, or nil where it has another kind.
  func converted(_ value: StoreValue) -> StoreValue? {
    switch (self, value) {
    case (_, .null), (.number, .bool), (.number, .integer), (.number, .double), (.string, .string),
      (.date, .date), (.data, .data), (.uuid, .uuid):
      value
    case (.number, .decimal(let decimal)): .double(decimal.storedNumber)
    case (.string, .url(let url)): .string(url.absoluteString)
    case (.object(let kind), .object(let id)) where kind.includes(id): value
    default: nil
    }
  }
}

/// Objects of an entity, or of any entity of its hierarchy, which share one series of keys.
struct ObjectKind: Equatable {
  let name: String
  let names: Set<String>
  /// "" for a model without a store: its ids may then belong to any store.
  private let storeUUID: String

  init(_ entity: EntityDescription) {
    name = entity.name
    storeUUID = entity.reference.storeUUID
    names = entity.hierarchy.map { Set($0.entities.map(\.name)) } ?? [entity.name]
  }

  init(_ id: ManagedObjectID) {
    name = id.entityName
    names = [id.entityName]
    storeUUID = id.storeUUID
  }

  /// Whether an object may be equal to one of these: the same key in another store is another object.
  func includes(_ id: ManagedObjectID) -> Bool { names.contains(id.entityName) && isFromStore(id) }

  func isFromStore(_ id: ManagedObjectID) -> Bool {
    storeUUID.isEmpty || id.storeUUID.isEmpty || id.storeUUID == storeUUID
  }

  static func == (a: ObjectKind, b: ObjectKind) -> Bool { !a.names.isDisjoint(with: b.names) }
}
