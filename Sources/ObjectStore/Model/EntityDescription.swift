// SPDX-License-Identifier: Apache-2.0

/// An entity of a model: its properties, and where the store keeps them.
///
/// Immutable once its model is built.
public final class EntityDescription: @unchecked Sendable {
  /// The name in the model.
  public let name: String
  /// `Z_ENT`: from 1 in the order of the model, or as the opened file numbers its entities.
  public internal(set) var entityID: Int64 = 0
  /// The index of its table in arrays by table: shared by all entities that inherit from one root.
  var index = 0
  /// The index among all entities of the model.
  var ordinal = 0
  /// The common part of the ids of its objects; the store's UUID is "" until the store is open.
  var reference: ManagedObjectID.EntityReference
  /// `ZSTOP` for `Stop`; the root's, where it inherits.
  public internal(set) var table: String
  /// The parent entity.
  public internal(set) unowned(unsafe) var superentity: EntityDescription?
  /// The direct subentities, sorted by name.
  public internal(set) var subentities: [EntityDescription] = []
  /// Whether there are objects of its subentities only.
  public internal(set) var isAbstract = false
  /// The name in an earlier model; see ``StoreOptions/migrationPolicy``.
  public internal(set) var renamingIdentifier: String?
  /// Nil where it neither inherits nor is inherited from.
  @exclusivity(unchecked) var hierarchy: EntityHierarchy?
  /// The attributes of its table: sorted by name, a subentity's attributes after the root's.
  ///
  /// ``attributesByName`` has the attributes of the entity's own objects.
  public internal(set) var attributes: [AttributeDescription] = []
  /// Its own and those it inherits, sorted by name.
  public internal(set) var relationships: [RelationshipDescription] = []
  /// The indexes of its table: indexes of the hierarchy and the to-one relationships first, then
  /// the declared ones.
  public internal(set) var indexes: [IndexDescription] = []
  /// Its own, which its subentities share.
  public internal(set) var searchIndex: SearchIndexDescription?
  /// The modifier that a model file adds to the version hash.
  public internal(set) var versionHashModifier: String?
  /// The columns as declared.
  ///
  /// With them, the columns are found in a file with other ones.
  var indexDefinitions: [IndexDefinition] = []
  var constraintDefinitions: [[String?]] = []
  var searchIndexDefinition: SearchIndexDefinition?
  /// The columns of each uniqueness constraint of its table.
  public var uniquenessConstraints: [[String]] { uniqueIndexes.map(\.columns) }
  /// The indexes that keep its uniqueness constraints.
  var uniqueIndexes: [IndexDescription] = []
  var allIndexes: [IndexDescription] { indexes + uniqueIndexes }
  /// The to-one relationships of its table, in the order of their slots, which follow the
  /// attributes' slots.
  private(set) var toOnes: [RelationshipDescription] = []
  /// The to-many relationships of its table, in the order of their slots.
  private(set) var toManys: [RelationshipDescription] = []
  /// The to-one relationships of its table that keep the entity of their destination too.
  @exclusivity(unchecked) private(set) var entityColumns: [RelationshipDescription] = []
  /// The slots of attributes with external storage.
  @exclusivity(unchecked) private(set) var externalSlots: [Int] = []
  /// How the values of a row are laid out in its snapshot.
  private(set) var rowLayout = RowLayout(kinds: [])
  /// The default values of a new object; nil for properties that only other entities of its table
  /// have.
  private(set) var defaultValues: [StoreValue?] = []
  /// The attributes that are set together with other attributes.
  @exclusivity(unchecked) private(set) var derivedAttributes = DerivedAttributes.none
  /// Whether setting a value sets others too.
  @exclusivity(unchecked) private(set) var hasFollowers = false
  /// Whether an attribute has rules that a save checks its values against.
  @exclusivity(unchecked) private(set) var hasChecks = false
  /// The Swift schema that the entity was built from, with its slots bound.
  let schema: EntitySchemaBase
  /// Its own and those it inherits.
  public private(set) var attributesByName: [String: AttributeDescription] = [:]
  private(set) var relationshipsByName: [String: RelationshipDescription] = [:]

  init(name: String, schema: EntitySchemaBase? = nil) {
    self.name = name
    self.schema = schema ?? EntitySchemaBase(name: name)
    reference = ManagedObjectID.EntityReference(entityName: name, storeUUID: "")
    table = "Z" + name.uppercased()
  }

  /// - Parameter table: the properties of the whole hierarchy, in the order of their slots; its
  ///   own, if nil.
  func setProperties(
    attributes: [AttributeDescription], relationships: [RelationshipDescription],
    table: TableProperties? = nil
  ) {
    let table =
      table
      ?? TableProperties(
        attributes: attributes.sorted { $0.name < $1.name },
        relationships: relationships.sorted { $0.name < $1.name })
    self.attributes = table.attributes
    self.relationships = relationships.sorted { $0.name < $1.name }
    attributesByName = Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0) })
    relationshipsByName = Dictionary(uniqueKeysWithValues: relationships.map { ($0.name, $0) })
    toOnes = table.relationships.filter { !$0.isToMany }
    toManys = table.relationships.filter(\.isToMany)
    for (slot, attribute) in self.attributes.enumerated() { attribute.slot = slot }
    for (index, toOne) in toOnes.enumerated() { toOne.slot = self.attributes.count + index }
    for (index, toMany) in toManys.enumerated() { toMany.slot = index }
    setRowLayout()
    setDefaults()
  }

  /// Set again when a file's numbers are adopted.
  func setRowLayout() {
    externalSlots = attributes.filter(\.allowsExternalBinaryDataStorage).map(\.slot)
    entityColumns = toOnes.filter { $0.entityColumn != nil }
    hasFollowers = !derivedAttributes.isEmpty || !entityColumns.isEmpty
    for (index, toOne) in entityColumns.enumerated() {
      toOne.entitySlot = attributes.count + toOnes.count + index
    }
    rowLayout = RowLayout(
      kinds: attributes.map(\.slotKind) + (toOnes + entityColumns).map { _ in .integer },
      entityID: hierarchy == nil ? nil : entityID)
  }

  /// - Throws: ``ModelError/invalidDerivation(_:entity:)``.
  func setDerivedAttributes() throws {
    derivedAttributes = try DerivedAttributes(of: self)
    setRowLayout()
    defaultValues = derivedAttributes.applied(to: defaultValues)
  }

  func setDefaults() {
    setRowLayout()
    hasChecks = attributes.contains { !$0.checks.isEmpty }
    defaultValues =
      attributes.map { has($0) ? $0.defaultValue : nil }
      + toOnes.map { has($0) ? .null : nil } + entityColumns.map { has($0) ? .null : nil }
  }

  /// Finds an attribute.
  public func attribute(named name: String) -> AttributeDescription? { attributesByName[name] }
  /// Finds a relationship.
  public func relationship(named name: String) -> RelationshipDescription? {
    relationshipsByName[name]
  }

  /// Whether its objects have the attribute, which another entity of its table may have.
  func has(_ attribute: AttributeDescription) -> Bool {
    hierarchy == nil || attributesByName[attribute.name] === attribute
  }

  func has(_ relationship: RelationshipDescription) -> Bool {
    hierarchy == nil || relationshipsByName[relationship.name] === relationship
  }

  /// The columns of a row, in the order of their slots: attributes, to-one relationships, and
  /// entity columns of to-one relationships to a hierarchy.
  public var columns: [String] {
    attributes.map(\.column) + toOnes.compactMap(\.column)
      + entityColumns.compactMap(\.entityColumn)
  }

  /// Nil for each slot of a row.
  var noChanges: [StoreValue?] {
    let count = rowLayout.slotCount
    var changes: [StoreValue?] = []
    changes.reserveCapacity(count)
    // 290 instructions less than Array(repeating:count:), which is not specialized.
    for _ in 0..<count { changes.append(nil) }
    return changes
  }

  /// The names of all properties, sorted.
  public var propertyNames: [String] {
    (attributesByName.keys + relationships.filter { !$0.isHidden }.map(\.name)).sorted()
  }
}

/// The properties of a table, in the order of their slots.
struct TableProperties {
  var attributes: [AttributeDescription]
  var relationships: [RelationshipDescription]
}

/// An attribute of an entity.
public final class AttributeDescription: @unchecked Sendable {
  /// The name in the model.
  public let name: String
  /// The value kind of the column.
  public let type: AttributeType
  /// Whether a save without it is allowed.
  public let isOptional: Bool
  /// The default value of a new object; `.null` if there is none.
  public let defaultValue: StoreValue
  /// The source of its value; nil for an attribute that is set.
  public let derivation: Derivation?
  /// The name in an earlier model; see ``StoreOptions/migrationPolicy``.
  public let renamingIdentifier: String?
  /// Whether large values are stored in files beside the store; only for the type `data`.
  public let allowsExternalBinaryDataStorage: Bool
  /// The modifier that a model file adds to the version hash of the entity.
  public let versionHashModifier: String?
  /// The rules that a save checks its values with.
  let checks: [ValidationCheck]
  /// The type that it keeps as JSON; nil for any other value.
  let codable: CodableType?
  /// Its slot in a row snapshot; its column in a row is three further.
  public internal(set) var slot = -1
  /// `ZLATITUDE` for `latitude`; suffixed with a number where two properties would clash.
  public internal(set) var column: String

  init(
    name: String, type: AttributeType, isOptional: Bool, defaultValue: StoreValue,
    derivation: Derivation? = nil, renamingIdentifier: String? = nil,
    allowsExternalBinaryDataStorage: Bool = false, checks: [ValidationCheck] = [],
    versionHashModifier: String? = nil, codable: CodableType? = nil
  ) {
    self.name = name
    self.type = type
    self.codable = codable
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.derivation = derivation
    self.renamingIdentifier = renamingIdentifier
    self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
    self.checks = checks
    self.versionHashModifier = versionHashModifier
    column = "Z" + name.uppercased()
  }

  convenience init(copying other: AttributeDescription) {
    self.init(
      name: other.name, type: other.type, isOptional: other.isOptional,
      defaultValue: other.defaultValue, derivation: other.derivation,
      renamingIdentifier: other.renamingIdentifier,
      allowsExternalBinaryDataStorage: other.allowsExternalBinaryDataStorage,
      checks: other.checks, versionHashModifier: other.versionHashModifier,
      codable: other.codable)
  }
}

/// An index over properties of one entity.
public struct IndexDescription: Hashable, Sendable {
  /// `ZSTOP_ZLONGITUDE_INDEX` for one property, `ZSTOP_ZLONGITUDE_ZLATITUDE` for several,
  /// `Z_Stop_byName` for a fetch index of a model file.
  public var name: String
  /// In order.
  public var columns: [String]
  /// Whether its columns are declared `COLLATE BINARY ASC`, as a fetch index's are.
  var isFetchIndex = false
  /// Whether it keeps a uniqueness constraint: `Z_Stop_UNIQUE_identifier`.
  var isUnique = false
}
