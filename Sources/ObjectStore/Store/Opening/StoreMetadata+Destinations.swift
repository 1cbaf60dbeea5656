// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The destinations of to-one relationships: a column holds keys, and does not show of which table.
///
///     5A17C0DE 3.ZOWNER 1 3.ZSHOP 2
///
/// First the model that this was written for, then each column, after the number of the root whose
/// table it is in, with the number of the entity that it leads to.
extension StoreMetadata {
  private static let destinationsKey = "ObjectStoreDestinations"

  var hasDestinations: Bool { values[Self.destinationsKey] != nil }

  /// By column; nil if the file has none that are of the model it was last adapted to.
  ///
  /// Core Data numbers entities differently when it adapts a file.
  var destinations: [String: Int64]? {
    guard let text = values[Self.destinationsKey] as? String, let hashes = validHashes else {
      return nil
    }
    let words = text.split(separator: " ").map(String.init)
    guard words.first == Self.stamp(hashes) else { return nil }
    var destinations: [String: Int64] = [:]
    for place in stride(from: 1, to: words.count - 1, by: 2) {
      destinations[words[place]] = Int64(words[place + 1])
    }
    return destinations
  }

  /// Columns that the model does not have stay in the file, with their destinations.
  mutating func keepDestinations(of model: ManagedObjectModel, _ hashes: [String: Data]) {
    var all = destinations ?? [:]
    for root in model.roots {
      for toOne in root.toOnes {
        guard let column = toOne.column else { continue }
        all[Self.key(root.entityID, column)] = toOne.destination.entityID
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
