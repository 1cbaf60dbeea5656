// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension EntityDescription {
  /// 32 bytes that change when the entity's objects are kept in another way: with its name, its
  /// parent, and the names, types and kinds of its properties.
  ///
  /// Uniqueness constraints and version hash modifiers count as well. It differs from Core Data's
  /// hash, which has an unpublished input; indexes, defaults and delete rules do not count there
  /// either.
  public var versionHash: Data { versionHash(withDestination: nil, of: nil) }

  /// The hash that the entity would have if a relationship led to another entity.
  func versionHash(
    withDestination destination: String?, of changed: RelationshipDescription?
  ) -> Data {
    Data(SHA256.hash(versionText(withDestination: destination, of: changed).utf8))
  }

  /// The text of its hash.
  var versionText: String { versionText(withDestination: nil, of: nil) }

  private func versionText(
    withDestination destination: String?, of changed: RelationshipDescription?
  ) -> String {
    var lines = ["entity \(name) \(superentity?.name ?? "-") \(isAbstract)"]
    for attribute in attributesByName.values.sorted(by: { $0.name < $1.name }) {
      lines.append(
        "attribute \(attribute.name) \(attribute.type.rawValue) \(attribute.isOptional) "
          + (attribute.derivation?.expression ?? "-")
          + (attribute.allowsExternalBinaryDataStorage ? " external" : "")
          + Self.line(attribute.versionHashModifier))
    }
    for relationship in relationships where !relationship.isHidden {
      lines.append(
        "relationship \(relationship.name) "
          + "\((relationship === changed ? destination : nil) ?? relationship.destination.name) "
          + "\(relationship.inverse.isHidden ? "-" : relationship.inverseName ?? "-") "
          + "\(relationship.isToMany) \(relationship.isOrdered) \(relationship.isOptional)"
          + Self.line(relationship.versionHashModifier))
    }
    for constraint in constraintDefinitions {
      lines.append("unique " + constraint.map { $0 ?? "-" }.joined(separator: " "))
    }
    if versionHashModifier != nil { lines.append("modifier" + Self.line(versionHashModifier)) }
    return lines.joined(separator: "\n")
  }

  private static func line(_ modifier: String?) -> String {
    modifier.map { " modifier \($0)" } ?? ""
  }
}

extension ManagedObjectModel {
  /// The version hash of each entity, by name.
  public var versionHashes: [String: Data] { entitiesByName.mapValues(\.versionHash) }
}
