// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The statements that a store runs again and again for an entity, written once.
struct EntityStatements: Sendable {
  /// Reads one row: `SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZSTOP t0 WHERE  t0.Z_PK = ?`.
  let fault: String
  let faultID: StatementID
  /// Reads rows by their keys, the value of `?` being a ``JSONArray``:
  /// `SELECT 0, t0.Z_PK, … FROM ZSTOP t0 WHERE  t0.Z_PK IN (SELECT value FROM json_each(?))`.
  let rowsByKey: String
  /// Reads rows with consecutive keys, in a third of the work:
  /// `SELECT 0, t0.Z_PK, … FROM ZSTOP t0 WHERE  t0.Z_PK BETWEEN ? AND ?`.
  let rowsByKeyRange: String
  /// The same for a ``PageCollector``: `SELECT store_rows(0, t0.Z_PK, …) FROM …`; nil where the
  /// entity has more columns than SQLite accepts arguments.
  let collectedByKeyRange: String?
  private let selectRows: String
  private let collectedRows: String?
  /// By the to-many's slot: `SELECT 0, t0.Z_PK FROM ZSTOPTIME t0 WHERE  t0.ZSTOP = ?`, with the
  /// order key as a third column where there is one.
  let toManyFaults: [String]
  /// By the to-many's slot, the members of many owners, `?` being a ``JSONArray`` of their keys:
  /// `SELECT 0, t0.Z_PK, …, t0.ZSTOP FROM ZSTOPTIME t0 WHERE  t0.ZSTOP IN (SELECT value FROM
  /// json_each(?))  ORDER BY t0.ZSTOP`, the owner and its order being the last columns.
  let toManyPrefetches: [String]
  /// The same for a ``PageCollector``, in any order; nil where there are too many columns.
  let collectedPrefetches: [String?]
  /// Writes one row: `INSERT INTO ZSTOP(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(?, ?, ?, ?)`.
  let insert: String
  let delete: String

  init(_ entity: EntityDescription) {
    let columns = entity.columns
    selectRows = Self.selectRows(of: entity)
    let condition = " FROM \(entity.table) t0 WHERE  t0.Z_PK"
    let rows = selectRows + condition
    fault = rows + " = ?"
    rowsByKey = rows + " IN (SELECT value FROM json_each(?))"
    rowsByKeyRange = rows + " BETWEEN ? AND ?"
    collectedRows = Self.collected(selectRows, columns.count + 3)
    collectedByKeyRange = collectedRows.map { $0 + condition + " BETWEEN ? AND ?" }
    faultID = StatementID(sql: fault)
    toManyFaults = entity.toManys.map(Self.toManyFault)
    let prefetches = entity.toManys.map(Self.toManyPrefetch)
    toManyPrefetches = prefetches.map { $0.columns + $0.source + $0.order }
    collectedPrefetches = zip(prefetches, entity.toManys).map { prefetch, relationship in
      // The owner and its order follow.
      Self.collected(prefetch.columns, relationship.destination.columns.count + 5)
        .map { $0 + prefetch.source }
    }
    let inserted = ["Z_PK", "Z_ENT", "Z_OPT"] + columns + StoreSchema.orderColumns(of: entity)
    insert =
      "INSERT INTO \(entity.table)(\(inserted.joined(separator: ", "))) "
      + "VALUES(\(inserted.map { _ in "?" }.joined(separator: ", ")))"
    delete = "DELETE FROM \(entity.table) WHERE Z_PK = ? AND Z_OPT = ?"
  }

  /// The SELECT of whole objects for a ``PageCollector``.
  func collected(_ sql: String) -> String? {
    guard let collectedRows, sql.hasPrefix(selectRows) else { return nil }
    return collectedRows + sql[sql.utf8.index(sql.startIndex, offsetBy: selectRows.utf8.count)...]
  }

  private static func toManyFault(_ relationship: RelationshipDescription) -> String {
    let table = relationship.destination.table
    let head = relationship.destination.headColumn
    switch relationship.storage {
    case .column: return ""
    case .inverseColumn(let column, let order):
      return "SELECT \(head), t0.Z_PK\(order.map { ", t0." + $0 } ?? "") FROM \(table) t0 "
        + "WHERE  t0.\(column) = ?" + (order.map { "  ORDER BY t0.\($0), t0.Z_PK" } ?? "")
    case .joinTable(let pairs, let source, let destination, let order):
      return "SELECT \(head), t0.Z_PK\(order.map { ", t1." + $0 } ?? "") FROM \(pairs) t1 "
        + "JOIN \(table) t0 ON t0.Z_PK = t1.\(destination) WHERE  t1.\(source) = ?"
        + (order.map { "  ORDER BY t1.\($0), t0.Z_PK" } ?? "")
    }
  }

  private static func selectRows(of entity: EntityDescription) -> String {
    "SELECT \(entity.headColumn), t0.Z_PK, t0.Z_OPT" + entity.columns.map { ", t0." + $0 }.joined()
  }

  private static func collected(_ columns: String, _ count: Int) -> String? {
    guard count <= PageCollector.maxColumns else { return nil }
    return "SELECT \(PageCollector.function)(\(columns.dropFirst("SELECT ".count)))"
  }

  private struct Prefetch {
    var columns = ""
    var source = ""
    var order = ""
  }

  private static func toManyPrefetch(_ relationship: RelationshipDescription) -> Prefetch {
    let table = relationship.destination.table
    var source = "\(table) t0"
    var owner = ""
    var orderKey: String?
    switch relationship.storage {
    case .column: return Prefetch()
    case .inverseColumn(let column, let order):
      owner = "t0." + column
      orderKey = order.map { "t0." + $0 }
    case .joinTable(let pairs, let from, let to, let order):
      source = "\(pairs) t1 JOIN \(table) t0 ON t0.Z_PK = t1.\(to)"
      owner = "t1." + from
      orderKey = order.map { "t1." + $0 }
    }
    return Prefetch(
      columns: selectRows(of: relationship.destination) + ", \(owner)"
        + (orderKey.map { ", " + $0 } ?? ""),
      source: " FROM \(source) WHERE  \(owner) IN (SELECT value FROM json_each(?))",
      order: "  ORDER BY \(owner)")
  }
}
