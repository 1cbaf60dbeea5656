// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// Constraints, indexes, missing required values, and contents that the model lacks.
extension StorePlan {
  mutating func planConstraints() {
    for root in model.roots where homes[root.name] != nil {
      guard let table = tables[root.table] else { continue }
      let declared = root.uniquenessConstraints
      let missing = declared.filter { !table.uniques.contains($0) }
      // New rows have NULL in the columns that the model lacks, which is equal to no other value.
      let known = Set(root.columns)
      let (constraints, indexes) = table.uniques(otherThan: declared, over: known)
      let extra = constraints + indexes.compactMap { table.indexes[$0] }
      if !extra.isEmpty { leftovers.constraints[root.table] = extra }
      guard !missing.isEmpty || !extra.isEmpty else { continue }
      let step = Step(
        differences: missing.map {
          "no constraint UNIQUE (\($0.joined(separator: ", "))) of \(root.table)"
        }
      ) { try $0.setConstraints(of: root, missing: missing, extra: extra, indexes) }
      lateSteps.append(step)
    }
  }

  mutating func planExternalData(threshold: Int) throws {
    for moved in metadata.movedAttributes(model, in: file) {
      add(moved.difference) { try $0.move(moved, threshold: threshold) }
    }
  }

  mutating func planIndexes() {
    let isComplete = model.roots.allSatisfy { root in
      let present = tables[root.table]?.indexes.values.map(\.self) ?? []
      return root.indexes.allSatisfy { present.contains($0.columns) }
    }
    if !isComplete { add(nil, changesStructure: false) { try $0.addIndexes() } }
  }

  mutating func planSearchIndexes() throws {
    let declared = model.searchIndexes
    guard !declared.isEmpty || file.tables.keys.contains(where: Self.isOfSearch) else { return }
    let schema = try SearchSchema(connection)
    otherSearchIndexes = schema.others(than: declared)
    // The migration makes them at its end, when the columns are the model's.
    if !declared.allSatisfy(schema.has) { add(nil, changesStructure: false) { _ in } }
  }

  private static func isOfSearch(_ name: String) -> Bool {
    name.hasPrefix(SearchIndexDescription.prefix)
  }

  /// Searches for missing required values that no column of the file contains.
  mutating func planRequired() throws {
    guard !isChecked else { return }
    let changed = metadata.changedEntities(model)
    for entity in model.entities where changed.contains(entity.name) {
      for attribute in entity.attributesByName.values where attribute.derivation != nil {
        guard match.inFile[entity.name] != nil,
          !newAttributes.contains(ObjectIdentifier(attribute))
        else { continue }
        add(nil, changesStructure: false) { try $0.derive(attribute, of: entity) }
      }
    }
    var isMissing = false
    for entity in model.entities where !entity.isAbstract {
      guard let table = sourceTable(of: entity), let found = sources[entity.root.name]?[table]
      else {
        continue
      }
      let required = StoredProperty.all(of: entity.root).enumerated().compactMap {
        slot, property in
        property.attribute.flatMap { attribute -> (AttributeDescription, String)? in
          guard attribute.isRequiredValue, entity.has(attribute), found.bases[slot] != nil else {
            return nil
          }
          let column = found.columns[slot][entity.entityID]
          return (attribute, column.map(quoted) ?? "NULL")
        }
      }
      guard !required.isEmpty else { continue }
      let missing = try integers(
        "SELECT " + required.map { "max(\($0.1) IS NULL)" }.joined(separator: ", ")
          + " FROM \(quoted(table)) WHERE Z_ENT = \(entity.entityID)")
      for ((attribute, _), isNull) in zip(required, missing) where isNull != 0 {
        isMissing = true
        if attribute.defaultValue == .null {
          note("\(entity.name).\(attribute.name) is not optional, and rows lack it")
        }
      }
    }
    if isMissing { add(nil, changesStructure: false) { _ in } }
  }

  mutating func accountForTheRest() throws {
    leftovers.entities = match.gone
    leftovers.columns = leftovers.columns.filter { !$0.value.isEmpty }
    let entityTables = Set(file.entities.map { file.tableName(of: $0) })
    for name in file.tables.keys.sorted() where name.hasPrefix("Z") && !Self.isSystem(name) {
      guard !entityTables.contains(name), !leftovers.pairTables.contains(name),
        !isModelPairs(currentNames[name] ?? name),
        try hasRow("SELECT 1 FROM \(quoted(name))")
      else { continue }
      unaccounted.append(
        PairColumn(name) == nil
          ? "the table \(name) belongs to no entity of Z_PRIMARYKEY"
          : "the table \(name) holds pairs of entities that are not in Z_PRIMARYKEY")
    }
    try checkOverlap()
  }

  private func isModelPairs(_ name: String) -> Bool {
    model.entities.contains { entity in
      entity.relationships.contains { relationship in
        guard case .joinTable(name, _, _, _) = relationship.storage else { return false }
        return true
      }
    } || tables[name] == nil
  }

  private static func isSystem(_ name: String) -> Bool {
    ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].contains(name) || name.hasPrefix("Z_RT_")
      || isOfSearch(name)
  }
}

extension AttributeDescription {
  /// Whether a row must have a value that is not derived from another one.
  var isRequiredValue: Bool { !isOptional && derivation == nil }
}
