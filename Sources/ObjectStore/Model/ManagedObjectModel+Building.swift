// SPDX-License-Identifier: Apache-2.0

/// Builds the entities of a model, which refer to each other, from definitions, which hold names.
struct ModelBuilder {
  /// The maximum depth of an entity below its root.
  ///
  /// Each entity has the properties of all above it: the time and the memory grow with the square of
  /// the depth. 200 is arbitrary: far deeper than any model written by hand.
  static let depthLimit = 200
  /// SQLite's `SQLITE_MAX_COLUMN`, the same wherever it was not compiled with another.
  static let columnLimit = 2000

  private let definitions: [String: EntityDefinition]
  /// By the name of the superentity, "" for none; each sorted by name.
  private let childrenByName: [String: [EntityDefinition]]
  /// The root of each hierarchy, then its subentities; each group by name.
  private(set) var entities: [EntityDescription] = []
  private var byName: [String: EntityDescription] = [:]

  /// - Throws: ``ModelError`` if the definitions do not make a model.
  init(_ definitions: [EntityDefinition]) throws {
    var problems = ModelProblems()
    var names: Set<String> = []
    for definition in definitions {
      try problems.collect { try ModelName.check(definition.name, in: nil) }
      if !names.insert(definition.name.uppercased()).inserted {
        problems.add(.duplicateEntity(definition.name))
      }
      try ModelName.checkProperties(of: definition, &problems)
    }
    try problems.check()
    self.definitions = Self.withInverses(
      Dictionary(definitions.map { ($0.name, $0) }, uniquingKeysWith: { a, _ in a }))
    childrenByName = Dictionary(grouping: self.definitions.values) { $0.superentity ?? "" }
      .mapValues { $0.sorted { $0.name < $1.name } }
    for definition in definitions { try problems.collect { try checkParent(of: definition) } }
    try problems.check()
    for root in children(of: nil) { addHierarchy(root) }
    for (index, entity) in entities.enumerated() { entity.entityID = Int64(index + 1) }
    for (index, entity) in entities.enumerated() where entity.superentity == nil {
      for kind in entity.kinds { kind.index = index }
      entity.hierarchy?.number()
    }
    try setProperties()
    try RelationshipLinker(entities: entities).link()
    for entity in entities {
      entity.setDefaults()
      try entity.setDerivedAttributes()
      entity.schema.bindSlots(of: entity)
    }
    for entity in entities where entity.superentity == nil { try entity.setIndexes() }
  }

  /// Adds an unnamed inverse to each relationship of a model file that has none.
  ///
  /// The store keeps such relationships as Core Data does: a to-one in its column, a to-many in a
  /// column of the destination, `Z1PETS`.
  private static func withInverses(
    _ definitions: [String: EntityDefinition]
  ) -> [String: EntityDefinition] {
    var result = definitions
    for definition in definitions.values.sorted(by: { $0.name < $1.name })
    where definition.schema == nil {
      for (index, relationship) in definition.relationships.enumerated()
      where relationship.inverse == nil && definitions[relationship.destination] != nil {
        let name = "inverse of \(definition.name).\(relationship.name)"
        result[definition.name]?.relationships[index].inverse = name
        result[relationship.destination]?.relationships.append(
          RelationshipDefinition(
            name: name, destination: definition.name, inverse: relationship.name,
            isToMany: !relationship.isToMany,
            deleteRule: relationship.isToMany ? .nullify : .noAction, isHidden: true))
      }
    }
    return result
  }

  private func children(of parent: String?) -> [EntityDefinition] {
    childrenByName[parent ?? ""] ?? []
  }

  /// - Throws: ``ModelError`` if a superentity is missing, or is its own.
  private func checkParent(of definition: EntityDefinition) throws {
    var seen: Set<String> = [definition.name]
    var next = definition.superentity
    while let name = next {
      guard let parent = definitions[name] else {
        throw ModelError.missingSuperentity(name, entity: definition.name)
      }
      guard seen.insert(name).inserted else {
        throw ModelError.circularInheritance(entity: definition.name)
      }
      guard seen.count <= Self.depthLimit else {
        throw ModelError.inheritanceTooDeep(entity: definition.name, limit: Self.depthLimit)
      }
      next = parent.superentity
    }
  }

  // MARK: - Hierarchies

  private mutating func addHierarchy(_ root: EntityDefinition) {
    let first = entities.count
    add(root, below: nil)
    let members = Array(entities[first...])
    guard members.count > 1 else { return }
    let hierarchy = EntityHierarchy(members)
    for entity in members {
      entity.hierarchy = hierarchy
      entity.table = members[0].table
      entity.schema.isInHierarchy = true
    }
  }

  private mutating func add(_ definition: EntityDefinition, below parent: EntityDescription?) {
    let entity = EntityDescription(name: definition.name, schema: definition.schema)
    entity.isAbstract = definition.isAbstract
    entity.renamingIdentifier = definition.renamingIdentifier
    entity.superentity = parent
    entity.versionHashModifier = definition.versionHashModifier
    entity.indexDefinitions = definition.indexes
    entity.constraintDefinitions = definition.uniquenessConstraints
    entity.searchIndexDefinition = definition.searchIndex
    parent?.subentities.append(entity)
    entity.schema.lineage =
      [EntitySchemaBase.Unowned(schema: entity.schema)] + (parent?.schema.lineage ?? [])
    entity.ordinal = entities.count
    entities.append(entity)
    byName[entity.name] = entity
    for child in children(of: definition.name) { add(child, below: entity) }
  }

  // MARK: - Properties

  private func setProperties() throws {
    var own:
      [String: (attributes: [AttributeDescription], relationships: [RelationshipDescription])] = [:]
    var problems = ModelProblems()
    for entity in entities {
      guard let definition = definitions[entity.name] else { continue }
      own[entity.name] = (
        definition.attributes.sorted { $0.name < $1.name },
        relationships(of: definition, entity, &problems)
      )
    }
    try problems.check()
    for root in entities where root.superentity == nil {
      let kinds = root.kinds
      let attributes = kinds.flatMap { own[$0.name]?.attributes ?? [] }
      let relationships = kinds.flatMap { own[$0.name]?.relationships ?? [] }
      try checkColumns(of: root, attributes, relationships)
      for entity in kinds {
        let inherited = sequence(first: entity) { $0.superentity }.map(\.name)
        try ModelName.checkOverrides(
          of: entity,
          among: inherited.compactMap { own[$0] }.flatMap {
            $0.attributes.map(\.name) + $0.relationships.map(\.name)
          })
        entity.setProperties(
          attributes: inherited.flatMap { own[$0]?.attributes ?? [] },
          relationships: inherited.flatMap { own[$0]?.relationships ?? [] },
          table: TableProperties(attributes: attributes, relationships: relationships))
      }
    }
  }

  /// The columns that each property has at least; SQLite refuses the table if others make it too wide.
  private func checkColumns(
    of root: EntityDescription, _ attributes: [AttributeDescription],
    _ relationships: [RelationshipDescription]
  ) throws {
    let toOnes = relationships.filter { !$0.isToMany }
    // Z_PK, Z_ENT and Z_OPT come first.
    let count = 3 + attributes.count + toOnes.count
    guard count <= Self.columnLimit else {
      throw ModelError.tooManyColumns(entity: root.name, count: count, limit: Self.columnLimit)
    }
  }

  private func relationships(
    of definition: EntityDefinition, _ entity: EntityDescription, _ problems: inout ModelProblems
  ) -> [RelationshipDescription] {
    definition.relationships.sorted { $0.name < $1.name }.compactMap { relationship in
      guard let destination = byName[relationship.destination] else {
        problems.add(
          .missingDestination(
            relationship.destination, relationship: relationship.name, entity: entity.name))
        return nil
      }
      let description = RelationshipDescription(
        name: relationship.name, isToMany: relationship.isToMany,
        isOrdered: relationship.isOrdered, isOptional: relationship.isOptional,
        deleteRule: relationship.deleteRule, entity: entity, destination: destination,
        isHidden: relationship.isHidden)
      description.versionHashModifier = relationship.versionHashModifier
      description.counts = relationship.counts
      description.inverseName = relationship.inverse
      description.renamingIdentifier = relationship.renamingIdentifier
      return description
    }
  }
}

extension EntityDescription {
  /// Sets the indexes of a root's table: the root's indexes and those of all subentities.
  func setIndexes() throws {
    var indexes: [IndexDescription] = []
    var names: Set<String> = []
    func add(_ index: IndexDescription) {
      let known = indexes.contains {
        $0.columns == index.columns && $0.isUnique == index.isUnique
      }
      if known { return }
      var index = index
      // `a_b` and `a`, `b` have one name, and so have names that differ in case only.
      while !names.insert(index.name.lowercased()).inserted { index.name += "1" }
      indexes.append(index)
    }
    if hasSubentitiesOrParent {
      add(IndexDescription(name: table + "_Z_ENT_INDEX", columns: ["Z_ENT"]))
    }
    for column in toOnes.compactMap(\.column) {
      add(IndexDescription(name: "\(table)_\(column)_INDEX", columns: [column]))
    }
    for entity in kinds {
      for index in entity.indexDefinitions { add(try index.description(in: entity)) }
    }
    for entity in kinds {
      for properties in entity.constraintDefinitions {
        let name = ["Z", entity.name, "UNIQUE"] + properties.compactMap(\.self)
        add(
          IndexDescription(
            name: name.joined(separator: "_"), columns: try entity.columns(properties),
            isFetchIndex: true, isUnique: true))
      }
    }
    for entity in kinds {
      entity.indexes = indexes.filter { !$0.isUnique }
      entity.uniqueIndexes = indexes.filter(\.isUnique)
      entity.searchIndex = try entity.searchIndexDefinition?.description(in: entity)
    }
  }

  private var hasSubentitiesOrParent: Bool { !subentities.isEmpty || superentity != nil }
}

extension IndexDefinition {
  /// - Throws: ``ModelError/invalidIndex(entity:)`` if a property has no column.
  fileprivate func description(in entity: EntityDescription) throws -> IndexDescription {
    let columns = try entity.columns(properties)
    if let name {
      return IndexDescription(
        name: "Z_\(entity.name)_\(name)", columns: columns, isFetchIndex: true)
    }
    return IndexDescription(
      name: columns.count == 1
        ? "\(entity.table)_\(columns[0])_INDEX"
        : "\(entity.table)_\(columns.joined(separator: "_"))",
      columns: columns)
  }
}

extension EntityDescription {
  /// The columns of properties, at least one.
  func columns(_ properties: [String?]) throws -> [String] {
    for case let name? in properties {
      guard attribute(named: name)?.allowsExternalBinaryDataStorage != true else {
        throw ModelError.indexOfExternalData(name, entity: self.name)
      }
    }
    let columns = properties.compactMap { name in name.flatMap { column(named: $0) } }
    guard columns.count == properties.count, !columns.isEmpty else {
      throw ModelError.invalidIndex(entity: name)
    }
    return columns
  }

  /// The column of an attribute or of a to-one relationship.
  func column(named name: String) -> String? {
    attribute(named: name)?.column ?? relationship(named: name)?.column
  }
}

/// Whether a text can name a table or a column.
enum ModelName {
  /// - Throws: ``ModelError/invalidName(_:entity:)``.
  static func check(_ name: String, in entity: String?) throws {
    let scalars = name.unicodeScalars
    guard let first = scalars.first, first.isNameLetter,
      scalars.allSatisfy({ $0 == "_" || $0.isNamePart })
    else { throw ModelError.invalidName(name, entity: entity) }
  }

  /// Collects invalid names, and names that two properties share.
  static func checkProperties(
    of definition: EntityDefinition, _ problems: inout ModelProblems
  ) throws {
    var names: Set<String> = []
    for name in definition.attributes.map(\.name) + definition.relationships.map(\.name) {
      try problems.collect { try check(name, in: definition.name) }
      if !names.insert(name).inserted {
        problems.add(.duplicateProperty(name, entity: definition.name))
      }
    }
    for name in definition.indexes.compactMap(\.name) {
      try problems.collect { try check(name, in: definition.name) }
    }
  }

  /// - Throws: ``ModelError/duplicateProperty(_:entity:)`` if an inherited property is declared
  ///   again.
  static func checkOverrides(of entity: EntityDescription, among properties: [String]) throws {
    var names: Set<String> = []
    for name in properties where !names.insert(name).inserted {
      throw ModelError.duplicateProperty(name, entity: entity.name)
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isNameLetter: Bool {
    isASCII
      ? ("a"..."z").contains(self) || ("A"..."Z").contains(self) : properties.isAlphabetic
  }

  /// Whether SQL takes it in a name without quotes: digits and letters, with their marks.
  fileprivate var isNamePart: Bool {
    guard isASCII else {
      return properties.isAlphabetic || properties.numericType != nil
        || properties.canonicalCombiningClass != .notReordered
    }
    return isNameLetter || ("0"..."9").contains(self)
  }
}
