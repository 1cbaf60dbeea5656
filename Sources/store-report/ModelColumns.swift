// SPDX-License-Identifier: Apache-2.0

import ObjectStore

/// The columns of a model for `trace-report --model`: table, column, entity and property, by tabs.
///
///     ZNOTE	ZCREATIONDATE	Note	creationDate
///     ZNOTE	ZFOLDER	Folder	notes.@count
struct ModelColumns {
  let model: ManagedObjectModel

  /// Entities follow their parents, so that the first one with a property declares it.
  var lines: [String] {
    var lines: [[String]] = []
    for entity in model.entities.filter({ $0.superentity == nil }).flatMap(kinds) {
      for (name, attribute) in entity.attributesByName.sorted(by: { $0.key < $1.key }) {
        lines.append([entity.table, attribute.column, entity.name, name])
      }
      let names = Set(entity.propertyNames)
      for relationship in entity.relationships where names.contains(relationship.name) {
        if let line = line(relationship, of: entity) { lines.append(line) }
      }
    }
    return lines.map { $0.joined(separator: "\t") }
      .filter { $0.count { $0 == "\t" } == 3 && !$0.contains(where: \.isNewline) }
  }

  private func kinds(of entity: EntityDescription) -> [EntityDescription] {
    [entity] + entity.subentities.flatMap(kinds)
  }

  private func line(
    _ relationship: RelationshipDescription, of entity: EntityDescription
  ) -> [String]? {
    let count = relationship.name + ".@count"
    return switch relationship.storage {
    case .column(let column): [entity.table, column, entity.name, relationship.name]
    case .inverseColumn(let column, _):
      [relationship.destination.table, column, entity.name, count]
    case .joinTable(let table, let source, _, _): [table, source, entity.name, count]
    }
  }
}
