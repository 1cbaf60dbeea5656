// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The form in which `ZCOLUMNS` has the changed properties of an update.
enum ChangedColumns {
  /// A line each, as this library writes them.
  case names
  /// Core Data's: a bit for each property of the entity, attributes and relationships sorted by name,
  /// from the most significant bit of the first byte on.
  case bitmap

  /// - Parameter transaction: the columns of `ATRANSACTION`.
  init(transaction: [String]) {
    // Only Core Data keeps the program that wrote.
    self = transaction.contains { $0.hasPrefix("ZBUNDLEID") } ? .bitmap : .names
  }

  func encoded(_ properties: [String], of entity: EntityDescription) -> Data {
    guard case .bitmap = self else { return Data(properties.joined(separator: "\n").utf8) }
    let all = entity.propertyNames
    var bytes = Data(count: (all.count + 7) / 8)
    for (index, name) in all.enumerated() where properties.contains(name) {
      bytes[index / 8] |= 0x80 >> UInt8(index % 8)
    }
    return bytes
  }

  /// The names of the properties; nil for a bitmap of an entity with other properties.
  func decoded(_ bytes: UnsafeRawBufferPointer, of entity: EntityDescription) -> [String]? {
    let all = entity.propertyNames
    // Earlier versions wrote names into each history.
    guard case .bitmap = self, bytes.count == (all.count + 7) / 8 else {
      let names = String(validating: bytes, as: UTF8.self)?.split(separator: "\n").map(String.init)
      return self == .names || names?.allSatisfy(all.contains) == true ? names : nil
    }
    let indices = (0..<bytes.count * 8).filter { bytes[$0 / 8] & (0x80 >> UInt8($0 % 8)) != 0 }
    return indices.allSatisfy(all.indices.contains) ? indices.map { all[$0] } : nil
  }
}
