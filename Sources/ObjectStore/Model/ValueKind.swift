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
    case (.object(let kind), .object(let id)) where kind.names.contains(id.entityName): value
    default: nil
    }
  }
}

/// Objects of an entity, or of any entity of its hierarchy: those have keys of one series.
struct ObjectKind: Equatable {
  let name: String
  let names: Set<String>

  init(_ entity: EntityDescription) {
    name = entity.name
    names = entity.hierarchy.map { Set($0.entities.map(\.name)) } ?? [entity.name]
  }

  init(_ id: ManagedObjectID) {
    name = id.entityName
    names = [id.entityName]
  }

  static func == (a: ObjectKind, b: ObjectKind) -> Bool { !a.names.isDisjoint(with: b.names) }
}
