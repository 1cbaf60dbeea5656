// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Facts about the model that the file was last adapted to, as far as the tables do not show them.
extension StoreMetadata {
  // One list, since each costs an opening: `[stamp, "renamed 3.ZTITLE ZBODY", "json 3.ZTAGS Array<String>",
  // "type 3.ZKEY uuid", "left 3.ZNOTE"]`.
  private static let recordKey = "ObjectStoreRecord"

  struct Record {
    /// The renaming identifiers that the file has followed, such as `3.ZTITLE ZBODY`: names that two
    /// properties exchange look the same before and after.
    var renamings: Set<String> = []
    /// By column: the type that its JSON is of, such as `3.ZTAGS Array<String>`.
    var codableTypes: Set<String> = []
    /// Columns with a type that some of their values do not have, such as `3.ZKEY uuid`.
    var types: Set<String> = []
    /// Columns, tables of pairs and numbers of entities that the model lacked: `3.ZNOTE`, `Z_1TAGS`, `5`.
    var leftovers: Set<String> = []
  }

  /// Nil if another library, or a version that kept none, has adapted the file since.
  var record: Record? {
    guard let hashes = validHashes, let list = values[Self.recordKey] as? [String],
      list.first == Self.stamp(hashes)
    else { return nil }
    var record = Record()
    for entry in list.dropFirst() {
      let words = entry.split(separator: " ", maxSplits: 1)
      guard words.count == 2 else { return nil }
      switch words[0] {
      case "renamed": record.renamings.insert(String(words[1]))
      case "json": record.codableTypes.insert(String(words[1]))
      case "type": record.types.insert(String(words[1]))
      case "left": record.leftovers.insert(String(words[1]))
      default: return nil
      }
    }
    return record
  }

  /// Earlier renamings stay: an older model may open the file in between.
  mutating func keepRecord(
    of model: ManagedObjectModel, _ hashes: [String: Data], _ leftovers: Set<String>
  ) {
    let followed = (record?.renamings ?? []).union(model.renamings(\.entityID))
    values[Self.recordKey] =
      [Self.stamp(hashes)] + followed.sorted().map { "renamed \($0)" }
      + model.recordedTypes.sorted() + leftovers.sorted().map { "left \($0)" }
  }
}

extension ManagedObjectModel {
  /// In a record: the types of columns that do not show them.
  var recordedTypes: [String] {
    roots.flatMap { root in
      root.attributes.compactMap { attribute in
        guard attribute.codable != nil || attribute.type.isNarrow else { return nil }
        let column = StoreMetadata.key(root.entityID, attribute.column)
        return attribute.codable.map { "json \(column) \($0.type)" }
          ?? "type \(column) \(attribute.type)"
      }
    }
  }

  /// In a record: of entities, of columns, and of relationships in tables of pairs.
  func renamings(_ number: (EntityDescription) -> Int64) -> [String] {
    let ofRoots = roots.filter(\.hasRenamedProperties).flatMap { root in
      let wanted =
        StoredProperty.all(of: root).filter { $0.toOne?.isHidden != true }.map(\.wanted)
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
  /// In a record; nil for an item that was never renamed.
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
