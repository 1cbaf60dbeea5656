// SPDX-License-Identifier: Apache-2.0

extension SaveWriter {
  /// Writes the changed pairs of many-to-many relationships, then the order of their members.
  mutating func writePairs(_ links: [SavePlan.Links]) throws {
    for links in links {
      for pairs in links.pairs {
        guard
          case .joinTable(let table, let source, let destination, _) = pairs.relationship.storage
        else { continue }
        for member in pairs.removed {
          try run(
            "DELETE FROM \(table) WHERE \(source) = ? AND \(destination) = ?",
            [.integer(key(links.owner)), .integer(key(member))])
        }
        for member in pairs.added {
          try run(
            "INSERT OR IGNORE INTO \(table)(\(source), \(destination)) VALUES(?, ?)",
            [.integer(key(links.owner)), .integer(key(member))])
        }
      }
    }
    for (link, links) in links.enumerated() {
      for (number, order) in links.orders.enumerated() {
        outcome.orderKeys[link][number] = try writeOrderKeys(
          order, of: links.owner, outcome.orderKeys[link][number])
      }
    }
  }

  /// Renumbers the members of an ordered many-to-many, in steps of 1,024 as Core Data does.
  private mutating func writeOrderKeys(
    _ order: SavePlan.Order, of owner: SavePlan.RowID, _ keys: [Int64?]
  ) throws -> [Int64?] {
    guard
      case .joinTable(let table, let source, let destination, let column?) =
        order.relationship.storage
    else { return keys }
    var keys = keys
    for (index, member) in order.members.enumerated() {
      let orderKey = Int64(index + 1) * RelationshipDescription.orderGap
      guard member.orderKey != orderKey else { continue }
      keys[index] = orderKey
      try run(
        "UPDATE \(table) SET \(column) = ? WHERE \(source) = ? AND \(destination) = ?",
        [.integer(orderKey), .integer(key(owner)), .integer(key(member.id))])
    }
    return keys
  }
}
