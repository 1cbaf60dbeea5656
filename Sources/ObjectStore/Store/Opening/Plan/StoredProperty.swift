// SPDX-License-Identifier: Apache-2.0

/// An attribute or a to-one relationship of a table, as a plan looks for its column.
struct StoredProperty {
  enum Kind {
    case attribute(AttributeDescription)
    case toOne(RelationshipDescription)
  }

  let kind: Kind
  /// The entity that declares it.
  let owner: EntityDescription
  /// `Place.note`, for messages.
  let label: String
  /// `ZNOTE`, without the number that distinguishes it from a namesake.
  let baseColumn: String
  /// `ZTEXT`, of its name in an earlier model.
  let formerColumn: String?
  /// The column that a new file has it in.
  let defaultColumn: String
  let type: String

  /// The properties of a hierarchy's table, in the order of their slots.
  static func all(of root: EntityDescription) -> [StoredProperty] {
    let attributes = root.attributes.map { attribute in
      let owner = root.kinds.first { $0.attributesByName[attribute.name] === attribute } ?? root
      return StoredProperty(
        kind: .attribute(attribute), owner: owner, label: "\(owner.name).\(attribute.name)",
        baseColumn: "Z" + attribute.name.uppercased(),
        formerColumn: attribute.renamingIdentifier.map { "Z" + $0.uppercased() },
        defaultColumn: attribute.column, type: attribute.type.columnType)
    }
    let toOnes = root.toOnes.map { toOne in
      StoredProperty(
        kind: .toOne(toOne), owner: toOne.entity, label: "\(toOne.entity.name).\(toOne.name)",
        baseColumn: toOne.isHidden ? toOne.column ?? "" : "Z" + toOne.name.uppercased(),
        formerColumn: toOne.isHidden
          ? toOne.inverse.renamingIdentifier.map {
            "Z\(toOne.destination.entityID)" + $0.uppercased()
          }
          : toOne.renamingIdentifier.map { "Z" + $0.uppercased() },
        defaultColumn: toOne.column ?? "", type: "INTEGER")
    }
    return attributes + toOnes
  }

  var toOne: RelationshipDescription? {
    guard case .toOne(let toOne) = kind else { return nil }
    return toOne
  }

  var attribute: AttributeDescription? {
    guard case .attribute(let attribute) = kind else { return nil }
    return attribute
  }

  var wanted: NameMatch.Wanted { NameMatch.Wanted(name: baseColumn, former: formerColumn) }

  /// The same, for a file that has followed some renamings; that of a hidden to-one is its inverse's.
  func wanted(in root: Int64, _ followed: Set<String>?) -> NameMatch.Wanted {
    guard let toOne, toOne.isHidden, let inverse = toOne.inverse else {
      return wanted.pending(in: root, followed)
    }
    var item = wanted
    item.isPending =
      NameMatch.Wanted(pairs: inverse).pending(in: inverse.entity.root.entityID, followed).isPending
    return item
  }

  /// Makes the model use a column of the file.
  func use(_ column: String) {
    switch kind {
    case .attribute(let attribute): attribute.column = column
    case .toOne(let toOne): toOne.storage = .column(column)
    }
  }
}

/// In which columns of one table of a file the properties of a model are.
struct ColumnSources {
  /// By the property's slot: the column of its name, or of its earlier name; nil if the file has
  /// neither.
  var bases: [String?]
  /// By the property's slot, then by `Z_ENT`: the column that the entity's rows use.
  var columns: [[Int64: String]]
}
