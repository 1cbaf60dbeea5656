// SPDX-License-Identifier: Apache-2.0

import QueryPlans

/// The index that a finding advises, in the terms of the model where the table is a store's.
///
///     declare Index(\\.kind, \\.price) in Item, or: CREATE INDEX ZITEM_ZKIND_ZPRICE ON ZITEM (ZKIND, ZPRICE)
///     CREATE INDEX item_kind_price ON item (kind, price)
struct IndexFix {
  private let table: String
  private let columns: [String]
  private let entity: String
  /// The name of an attached database; nil for the main one.
  private var schema: String?
  /// Whether each column needs a separate index.
  private let isEach: Bool

  /// One index for all terms that AND joins, one for each term that OR joins.
  init(_ columns: ComparedColumns, entity: String) {
    table = columns.table
    schema = columns.schema
    // The first rows of an order: behind columns that are equal the index has that order.
    let isOrder =
      columns.isLimited && columns.ranges.isEmpty && !columns.equal.isEmpty
      && !columns.hasAlternatives && columns.sorted.count == 1
    self.columns = columns.filtered + (isOrder ? columns.order : [])
    self.entity = entity
    isEach = columns.hasAlternatives && columns.filtered.count > 1
  }

  init(table: String, columns: [String], entity: String) {
    (self.table, self.columns, self.entity) = (table, columns, entity)
    isEach = false
  }

  /// Columns compared for equality come first, then those that sort.
  init(sorting columns: ComparedColumns, entity: String) {
    table = columns.table
    schema = columns.schema
    self.columns = columns.equal + columns.order
    self.entity = entity
    isEach = false
  }

  var sentence: String {
    let parts = isEach ? columns.map { [$0] } : [columns]
    let statements = parts.map(creation).joined(separator: "; ")
    let reason = isEach ? " (each OR needs its own)" : ""
    guard isOfStore else { return "\(statements)\(reason)" }
    let declarations = parts.map(declaration).joined(separator: ", ")
    return "declare \(declarations) in \(owner)\(reason), or: \(statements)"
  }

  /// Whether table and columns are named as a store names them: ZSTOP, ZLONGITUDE.
  private var isOfStore: Bool {
    ([table] + columns).allSatisfy { $0.hasPrefix("Z") && $0 == $0.uppercased() }
  }

  private var owner: String {
    "Z" + entity.uppercased() == table ? entity : "the entity of \(table)"
  }

  /// A column does not show where its property has capitals: `ZDEPARTURETIME`.
  private func declaration(_ columns: [String]) -> String {
    "Index(" + columns.map { "\\." + $0.dropFirst().lowercased() }.joined(separator: ", ") + ")"
  }

  /// The name is the one that the store uses for the index.
  private func creation(_ columns: [String]) -> String {
    let name =
      ([table] + columns).joined(separator: "_")
      + (isOfStore && columns.count == 1 ? "_INDEX" : "")
    let quoted = SQLName.quotedIfNeeded
    let prefix = schema.map { quoted($0) + "." } ?? ""
    return "CREATE INDEX \(prefix)\(quoted(name)) ON \(quoted(table)) "
      + "(\(columns.map(quoted).joined(separator: ", ")))"
  }
}

extension ComparedColumns {
  /// The columns that sort, behind those that are equal.
  fileprivate var order: [String] { sorted.filter { !equal.contains($0) && $0 != "Z_PK" } }
}
