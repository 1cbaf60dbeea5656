// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension ColumnSources {
  /// Finds the columns of properties in a table.
  ///
  /// Namesakes in sibling entities have columns of their own, distinguished by a number: `ZTEXT`,
  /// `ZTEXT1`. Which of them an entity uses is read from its rows: the numbers depend on entities
  /// that the model may lack, or has in another order.
  ///
  /// - Parameters:
  ///   - kinds: the entities of the model with rows in the table, with their numbers.
  ///   - recorded: columns by property, such as `Message.text`, if the file's record still applies.
  ///   - followed: the renamings that the table of that root has followed; nil for all.
  ///   - inverses: by the slot of a to-one: the column of its inverse, for one without a name of its own.
  init(
    _ properties: [StoredProperty], in table: FileStructure.Table, kinds: [EntityDescription],
    isShared: Bool, recorded: [String: String]?, followed: (root: Int64, Set<String>?),
    inverses: [Int: String], _ connection: Connection
  ) throws(SQLiteError) {
    let present = Set(table.columns.map(\.name))
    let ids = Set(kinds.map(\.entityID))
    let relevant = properties.map { property in
      property.owner.kinds.map(\.entityID).filter(ids.contains)
    }
    let wanted = properties.map { $0.wanted(in: followed.root, followed.1) }
    let match = NameMatch(zip(wanted, relevant).filter { !$0.1.isEmpty }.map(\.0), in: present)
    bases = zip(wanted, relevant).map { $1.isEmpty ? nil : match[$0] }
    columns = Array(repeating: [:], count: properties.count)
    let named = Set(bases.compactMap(\.self))
    for (slot, column) in inverses.sorted(by: { $0.key < $1.key })
    where bases[slot] == nil && !relevant[slot].isEmpty && !named.contains(column)
      && !bases.contains(column)
    {
      bases[slot] = column
    }
    let exact = Set(bases.compactMap(\.self))
    var unclear: [(slots: [Int], family: [String])] = []
    for base in exact.sorted() {
      let slots = bases.indices.filter { bases[$0] == base }
      var family = [base]
      while case let next = base + String(family.count), present.contains(next),
        !exact.contains(next)
      {
        family.append(next)
      }
      if let recorded, slots.allSatisfy({ properties[$0].column(recorded, present) != nil }) {
        for slot in slots {
          let column = properties[slot].column(recorded, present)
          for id in relevant[slot] { columns[slot][id] = column }
        }
      } else if slots.count == 1, family.count == 1 || !isShared {
        for id in relevant[slots[0]] { columns[slots[0]][id] = base }
      } else if !isShared {
        for (column, slot) in zip(family, slots) {
          for id in relevant[slot] { columns[slot][id] = column }
        }
      } else {
        unclear.append((slots, family))
      }
    }
    guard !unclear.isEmpty else { return }
    let used = try Self.used(unclear.flatMap(\.family), in: table.name, connection)
    for (slots, family) in unclear {
      for id in ids {
        var free = family.filter { used[id, default: []].contains($0) }
        // A property of the same entity with a name that differs only in case has its own column.
        let own = slots.filter { relevant[$0].contains(id) }
        for slot in own where free.contains(properties[slot].defaultColumn) {
          columns[slot][id] = properties[slot].defaultColumn
          free.removeAll { $0 == properties[slot].defaultColumn }
        }
        for slot in own where columns[slot][id] == nil && !free.isEmpty {
          columns[slot][id] = free.removeFirst()
        }
      }
    }
  }

  /// By `Z_ENT`: the columns in which rows have a value.
  private static func used(
    _ columns: [String], in table: String, _ connection: Connection
  ) throws(SQLiteError) -> [Int64: Set<String>] {
    let values = columns.map { ", max(\(SchemaComparison.quoted($0)) IS NOT NULL)" }.joined()
    let rows = try connection.prepare(
      "SELECT Z_ENT\(values) FROM \(SchemaComparison.quoted(table)) GROUP BY Z_ENT")
    var used: [Int64: Set<String>] = [:]
    while try rows.step() {
      used[rows.int64(0)] = Set(
        columns.enumerated().filter { rows.int64(Int32($0.offset) + 1) != 0 }.map(\.element))
    }
    return used
  }
}

extension StoredProperty {
  /// The column that was recorded when the file was last adapted to this very model.
  fileprivate func column(_ recorded: [String: String], _ present: Set<String>) -> String? {
    let column = recorded[label] ?? defaultColumn
    return present.contains(column) ? column : nil
  }
}
