// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import StoreEvents

extension BaselineV1 {
  /// The baseline with the hash by which a reader finds that it was damaged.
  public var sealed: Self {
    get throws {
      var copy = self
      copy.check = try contentHash
      return copy
    }
  }

  /// A hash of all but the budgets, which people write.
  var contentHash: String {
    get throws {
      var copy = self
      copy.check = nil
      copy.budget = nil
      for index in copy.statements.indices { copy.statements[index].budget = nil }
      for index in copy.tests?.indices ?? 0..<0 { copy.tests?[index].budget = nil }
      return try ContentHash.text(of: copy)
    }
  }
}

extension ContentHash {
  /// The hash of a value's JSON, in one spelling.
  package static func text(of value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var hash = ContentHash()
    try encoder.encode(value).withUnsafeBytes { hash.add($0) }
    return hash.text
  }
}
