// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension EntityDescription {
  /// 32 bytes that change when the entity's objects are kept in another way: with its name, its
  /// parent, and the names, types and kinds of its properties.
  ///
  /// Not Core Data's hash, whose input is not public; indexes, defaults and delete rules do not
  /// count there either.
  public var versionHash: Data {
    var lines = ["entity \(name) \(superentity?.name ?? "-") \(isAbstract)"]
    for attribute in attributesByName.values.sorted(by: { $0.name < $1.name }) {
      lines.append(
        "attribute \(attribute.name) \(attribute.type.rawValue) \(attribute.isOptional) "
          + (attribute.derivation?.expression ?? "-")
          + (attribute.allowsExternalBinaryDataStorage ? " external" : ""))
    }
    for relationship in relationships {
      lines.append(
        "relationship \(relationship.name) \(relationship.destination.name) "
          + "\(relationship.inverseName ?? "-") \(relationship.isToMany) \(relationship.isOrdered) "
          + "\(relationship.isOptional)")
    }
    return Data(SHA256.hash(lines.joined(separator: "\n").utf8))
  }
}

extension ManagedObjectModel {
  /// The version hash of each entity, by name.
  public var versionHashes: [String: Data] { entitiesByName.mapValues(\.versionHash) }
}
