// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension StorePlan {
  /// Whether the model and the file have an entity in common; notes it, if not.
  mutating func sharesEntities() -> Bool {
    if !file.unusableEntities.isEmpty {
      note(
        "Z_PRIMARYKEY has rows without a usable name or number: "
          + file.unusableEntities.joined(separator: ", "))
    }
    if match.numbers.values.contains(where: { $0 >= HistorySchema.firstEntity }) {
      note("Z_PRIMARYKEY has no free number below \(HistorySchema.firstEntity) for a new entity")
    }
    guard !file.entities.isEmpty, match.inFile.isEmpty else { return true }
    note(
      "the model and the file have no entity in common: the file has "
        + StoreError.list(file.entities.map(\.name), max: 8) + ", the model "
        + StoreError.list(model.entities.map(\.name), max: 8))
    return false
  }

  /// Finds the file's table that becomes the table of each root.
  ///
  /// A root has the table of the entity that it is in the file. A new root takes over the table of
  /// a hierarchy if all its entities belong to the root; otherwise it gets a table, and their rows
  /// move there.
  mutating func findHomes() {
    for root in model.roots {
      guard let known = match.inFile[root.name], file.root(of: known) == known,
        let table = sourceTable(of: root)
      else { continue }
      homes[root.name] = table
    }
    for root in model.roots where homes[root.name] == nil {
      let own = Set(root.kinds.compactMap { match.inFile[$0.name] })
      let taken = Set(homes.values)
      let candidates = Set(root.kinds.compactMap { sourceTable(of: $0) }).subtracting(taken)
      homes[root.name] = candidates.sorted().first { table in
        file.entities(in: table).allSatisfy(own.contains)
      }
    }
  }

  /// Renames entities and their tables, adds missing ones, and follows changes of
  /// inheritance.
  mutating func planEntities() throws {
    for entity in model.entities {
      guard let known = match.inFile[entity.name], known.name != entity.name else { continue }
      add("entity \(known.name) is \(entity.name) in the model") { migration in
        let update = try migration.connection.prepare(
          "UPDATE Z_PRIMARYKEY SET Z_NAME = ? WHERE Z_ENT = ?")
        update.bind(entity.name, at: 1)
        update.bind(known.number, at: 2)
        try update.run()
        migration.remark("renamed entity \(known.name) to \(entity.name)")
      }
    }
    planTableRenames()
    for entity in model.entities {
      let superNumber = entity.superentity?.entityID ?? 0
      let (name, number) = (entity.name, entity.entityID)
      guard let known = match.inFile[name] else {
        add("no entity \(name) in Z_PRIMARYKEY") { migration in
          let insert = try migration.connection.prepare(
            "INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, 0)")
          insert.bind(number, at: 1)
          insert.bind(name, at: 2)
          insert.bind(superNumber, at: 3)
          try insert.run()
          migration.remark("added entity \(name)")
        }
        continue
      }
      guard known.superNumber != superNumber else { continue }
      add("\(name) inherits from another entity in the file than in the model") { migration in
        try migration.execute(
          "UPDATE Z_PRIMARYKEY SET Z_SUPER = \(superNumber) WHERE Z_ENT = \(number)",
          "\(name) inherits from \(entity.superentity?.name ?? "no entity") now")
      }
    }
  }

  /// A table that takes the name of another one gets a temporary name until that one is renamed.
  private mutating func planTableRenames() {
    let renamed = model.roots.compactMap { root -> (from: String, to: String)? in
      guard let home = homes[root.name], home != root.table else { return nil }
      return (home, root.table)
    }
    let isChained = renamed.contains { file.tables[$0.to] != nil }
    for (index, (from, to)) in renamed.enumerated() {
      let isInUse = file.tables[to] != nil && !renamed.contains { $0.from == to }
      if isInUse {
        note("the table \(to) of the file belongs to another entity than in the model")
        continue
      }
      let (old, new) = (quoted(from), quoted(to))
      if isChained {
        add("no table \(to)") {
          try $0.connection.execute("ALTER TABLE \(old) RENAME TO ZOBJECTSTORE_\(index)")
        }
      } else {
        add("no table \(to)", "ALTER TABLE \(old) RENAME TO \(new)", "renamed \(from) to \(to)")
      }
      currentNames[from] = to
    }
    if isChained {
      for (index, (from, to)) in renamed.enumerated() {
        let new = quoted(to)
        add(
          nil, "ALTER TABLE ZOBJECTSTORE_\(index) RENAME TO \(new)", "renamed \(from) to \(to)")
      }
    }
    tables = [:]
    for (name, table) in file.tables { tables[currentNames[name] ?? name] = table }
  }

  /// By number: the entity of the model, or the gone one, at the top after the steps; for rows of
  /// entities that the model lacks, which stay with their parent.
  func rootAfter(_ entity: FileStructure.Entity) -> EntityDescription? {
    var next: FileStructure.Entity? = entity
    for _ in file.entities.indices {
      guard let current = next else { return nil }
      if let name = match.inModel[current.number] {
        return model.entity(named: name)?.root
      }
      next = current.superNumber == 0 ? nil : file.entity(numbered: current.superNumber)
    }
    return nil
  }
}
