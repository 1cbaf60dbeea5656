// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The entity that a column of keys refers to, and the relationships that use the column, as the
/// tables do not show either.
///
///     5A17C0DE 3.ZOWNER 1 3.ZSHOP 2 3.ZOWNER> 3.OWNER/PETS 3.ZSHOP> 3.SHOP/
///
/// First the model of this record. Then each column, after the number of the root of the table it
/// is in, with the number of the entity that it leads to; then with the names of its to-one, after the number
/// of the entity that declares it, and of the inverse, if the model names them.
extension StoreMetadata {
  private static let destinationsKey = "ObjectStoreDestinations"

  func hasDestinations(of model: ManagedObjectModel) -> Bool {
    guard let text = values[Self.destinationsKey] as? String else { return false }
    return text.utf8.contains(UInt8(ascii: ">")) || model.roots.allSatisfy(\.toOnes.isEmpty)
  }

  /// By column; nil if the file has none that are of the model it was last adapted to.
  ///
  /// Core Data numbers entities differently when it adapts a file.
  var destinations: [String: Int64]? { words?.compactMapValues { Int64($0) } }

  /// By column: `3.OWNER/PETS`; nil where a version without them has adapted the file.
  var relationshipNames: [String: String]? {
    guard let words else { return nil }
    let names = words.filter { $0.key.hasSuffix(">") }
    guard !names.isEmpty else { return words.isEmpty ? [:] : nil }
    return Dictionary(uniqueKeysWithValues: names.map { (String($0.key.dropLast()), $0.value) })
  }

  private var words: [String: String]? {
    guard let text = values[Self.destinationsKey] as? String, let hashes = validHashes else {
      return nil
    }
    let words = text.split(separator: " ").map(String.init)
    guard words.first == Self.stamp(hashes) else { return nil }
    var pairs: [String: String] = [:]
    for index in stride(from: 1, to: words.count - 1, by: 2) {
      pairs[words[index]] = words[index + 1]
    }
    return pairs
  }

  /// Columns that the model does not have stay in the file, with their destinations.
  mutating func keepDestinations(of model: ManagedObjectModel, _ hashes: [String: Data]) {
    var all = words ?? [:]
    for root in model.roots {
      for attribute in root.attributes {
        let key = Self.key(root.entityID, attribute.column)
        (all[key], all[key + ">"]) = (nil, nil)
      }
      for toOne in root.toOnes {
        let key = Self.key(root.entityID, toOne.column ?? "")
        all[key] = "\(toOne.destination.entityID)"
        all[key + ">"] = "\(toOne.entity.entityID).\(toOne.fileName)/\(toOne.inverse.fileName)"
      }
    }
    let list = all.sorted { $0.key < $1.key }.map { " \($0.key) \($0.value)" }
    values[Self.destinationsKey] = Self.stamp(hashes) + list.joined()
  }

  static func key(_ root: Int64, _ column: String) -> String { "\(root).\(column)" }

  /// Versions that keep no destinations adapt a file and leave them as they were.
  static func stamp(_ hashes: [String: Data]) -> String {
    let sum = hashes.values.reduce(0 as UInt64) { sum, hash in
      sum &+ hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    return String(sum, radix: 16, uppercase: true)
  }
}

extension RelationshipDescription {
  /// "" for one that the model does not name.
  fileprivate var fileName: String { isHidden ? "" : name.uppercased() }
}
