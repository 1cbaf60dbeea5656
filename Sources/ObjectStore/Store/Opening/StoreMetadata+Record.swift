// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the tables do not show of the model that the file was last adapted to.
extension StoreMetadata {
  private static let renamingsKey = "ObjectStoreRenamings"
  private static let codableTypesKey = "ObjectStoreCodableTypes"
  private static let leftoversKey = "ObjectStoreLeftovers"

  struct Record {
    /// The renaming identifiers that the file has followed, such as `3.ZTITLE ZBODY`: names that two
    /// properties exchange look the same before and after.
    var renamings: Set<String> = []
    /// By column: the type that its JSON is of, such as `3.ZTAGS Array<String>`.
    var codableTypes: Set<String> = []
    /// Columns, tables of pairs and numbers of entities that the model lacked: `3.ZNOTE`, `Z_1TAGS`, `5`.
    var leftovers: Set<String> = []
  }

  /// Nil if another library, or a version that kept none, has adapted the file since.
  var record: Record? {
    guard let hashes = validHashes else { return nil }
    let stamp = Self.stamp(hashes)
    func list(_ key: String) -> Set<String>? {
      guard let list = values[key] as? [String], list.first == stamp else { return nil }
      return Set(list.dropFirst())
    }
    guard let renamings = list(Self.renamingsKey), let types = list(Self.codableTypesKey),
      let leftovers = list(Self.leftoversKey)
    else { return nil }
    return Record(renamings: renamings, codableTypes: types, leftovers: leftovers)
  }

  /// Earlier renamings stay: an older model may open the file in between.
  mutating func keepRecord(
    of model: ManagedObjectModel, _ hashes: [String: Data], _ leftovers: Set<String>
  ) {
    let followed = (record?.renamings ?? []).union(model.renamings(\.entityID))
    let types = model.roots.flatMap { root in
      guard root.attributes.contains(where: { $0.codable != nil }) else { return [String]() }
      return StoredProperty.all(of: root).compactMap { $0.codableType(in: root.entityID) }
    }
    let stamp = Self.stamp(hashes)
    values[Self.renamingsKey] = [stamp] + followed.sorted()
    values[Self.codableTypesKey] = [stamp] + types.sorted()
    values[Self.leftoversKey] = [stamp] + leftovers.sorted()
  }
}

extension ManagedObjectModel {
  /// In a record: of entities, of columns, and of relationships in tables of pairs.
  func renamings(_ number: (EntityDescription) -> Int64) -> [String] {
    let ofRoots = roots.filter(\.hasRenamedProperties).flatMap { root in
      let wanted =
        StoredProperty.all(of: root).map(\.wanted)
        + root.kinds.flatMap(\.ownRelationships).filter(\.isToMany).map { .init(pairs: $0) }
      return wanted.compactMap { $0.renaming(in: number(root)) }
    }
    return entities.compactMap { NameMatch.Wanted($0).renaming(in: 0) } + ofRoots
  }
}

extension EntityDescription {
  /// Of its table.
  fileprivate var hasRenamedProperties: Bool {
    attributes.contains { $0.renamingIdentifier != nil }
      || toOnes.contains { $0.renamingIdentifier != nil }
      || toManys.contains { $0.renamingIdentifier != nil }
  }
}

extension NameMatch.Wanted {
  /// In a record; nil for what was never renamed.
  func renaming(in root: Int64) -> String? { former.map { "\(root).\(name) \($0)" } }

  /// A relationship as columns of a table of pairs name it.
  init(pairs relationship: RelationshipDescription) {
    self.init(
      name: relationship.name.uppercased(),
      former: relationship.renamingIdentifier?.uppercased())
  }

  /// The same, for a file that has followed some renamings.
  func pending(in root: Int64, _ followed: Set<String>?) -> Self {
    var wanted = self
    if let followed, let renaming = renaming(in: root) {
      wanted.isPending = !followed.contains(renaming)
    }
    return wanted
  }
}

extension StoredProperty {
  /// In a record; nil for what is not JSON.
  func codableType(in root: Int64) -> String? {
    attribute?.codable.map { "\(root).\(attribute?.column ?? "") \($0.type)" }
  }
}
