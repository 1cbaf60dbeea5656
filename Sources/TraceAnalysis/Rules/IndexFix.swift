// SPDX-License-Identifier: Apache-2.0

public import QueryPlans

/// The index that a finding advises, in the terms of the model where the table is a store's.
///
///     declare Index(\\.kind, \\.price) in Item, or: CREATE INDEX ZITEM_ZKIND_ZPRICE ON ZITEM (ZKIND, ZPRICE)
///     CREATE INDEX item_kind_price ON item (kind, price)
///     add a fetch index on kind, price (ZKIND, ZPRICE) to Item in the model (<fetchIndex>)
struct IndexFix {
  private let indexes: [IndexCandidate]
  private let entity: String
  /// The name of an attached database; nil for the main one.
  private var schema: String?
  /// Whether each term of an OR needs a separate index.
  private let isEach: Bool

  /// One index for all terms that AND joins, one for each term that OR joins.
  init(_ columns: ComparedColumns, entity: String) {
    // The first rows of an order: behind columns that are equal the index has that order.
    let isOrder =
      columns.isLimited && columns.ranges.isEmpty && !columns.equal.isEmpty
      && !columns.hasAlternatives && columns.sorted.count == 1
    isEach = columns.hasAlternatives && columns.filtered.count > 1
    indexes =
      isEach
      ? columns.filtered.map { IndexCandidate(table: columns.table, equal: [$0], order: []) }
      : [
        IndexCandidate(
          table: columns.table, equal: columns.filtered, order: isOrder ? columns.order : [])
      ]
    schema = columns.schema
    self.entity = entity
  }

  init(table: String, columns: [String], entity: String) {
    indexes = [IndexCandidate(table: table, equal: columns, order: [])]
    self.entity = entity
    isEach = false
  }

  /// Columns compared for equality come first, then sort columns.
  init(sorting columns: ComparedColumns, entity: String) {
    indexes = [IndexCandidate(table: columns.table, equal: columns.equal, order: columns.order)]
    schema = columns.schema
    self.entity = entity
    isEach = false
  }

  /// Indexes that a trial found.
  init(_ indexes: [IndexCandidate], entity: String) {
    self.indexes = indexes
    self.entity = entity
    isEach = indexes.count > 1
  }

  /// One for each table, where indexes of several tables serve together.
  private var byTable: [IndexFix] {
    var tables: [String] = []
    for index in indexes where !tables.contains(index.table) { tables.append(index.table) }
    guard tables.count > 1 else { return [] }
    return tables.map { table in
      IndexFix(indexes.filter { $0.table == table }, entity: entity)
    }
  }

  private static let together = " (they serve together)"

  var sentence: String {
    guard byTable.isEmpty else {
      return byTable.map(\.sentence).joined(separator: "; ") + Self.together
    }
    let statements = indexes.map(creation).joined(separator: "; ")
    let reason = isEach ? " (each OR needs its own)" : ""
    guard isFromStore, let table = indexes.first?.table else { return "\(statements)\(reason)" }
    let declarations = indexes.map { declaration($0.columns) }.joined(separator: ", ")
    return "declare \(declarations) in \(owner(of: table))\(reason), or: \(statements)"
  }

  /// The same for a model of Core Data, in which entities declare indexes of properties alone.
  ///
  /// - Parameter names: the names of the model; without them a column does not show where its
  ///   property has capitals.
  func fetchIndexes(_ names: ModelNames?) -> String {
    guard byTable.isEmpty else {
      return byTable.map { $0.fetchIndexes(names) }.joined(separator: "; ") + Self.together
    }
    guard let table = indexes.first?.table else { return sentence }
    let lists = indexes.map { index -> String? in
      guard index.expression == nil, index.condition == nil else { return nil }
      let named = names?.properties(index.columns, of: index.table)
      let terms = index.columns.enumerated().map { position, column -> String? in
        guard Self.isStoreName(column) else { return nil }
        let name = named?[position].name ?? Self.property(column)
        switch index.modifiers[column] {
        case nil: return name
        case "DESC": return name + " (descending)"
        default: return nil
        }
      }
      guard !terms.contains(nil) else { return nil }
      let properties = terms.compactMap(\.self).joined(separator: ", ")
      return "\(properties) (\(index.columns.joined(separator: ", ")))"
    }
    guard !lists.contains(nil) else {
      return """
        store the value that it compares as an attribute, normalized, with a fetch index \
        (<fetchIndex>)
        """
    }
    let each = isEach ? " (each OR needs its own)" : ""
    return """
      add a fetch index on \(lists.compactMap(\.self).joined(separator: ", and one on ")) to \
      \(names?.owner(of: indexes) ?? owner(of: table)) in the model (<fetchIndex>)\(each)
      """
  }

  func isNamed(by names: ModelNames) -> Bool { names.owner(of: indexes) != nil }

  private func owner(of table: String) -> String {
    "Z" + entity.uppercased() == table.uppercased() ? entity : "the entity of \(table)"
  }

  /// Whether table and columns are named as a store names them: ZSTOP, ZLONGITUDE.
  private var isFromStore: Bool {
    indexes.allSatisfy { index in
      index.isPlain
        && ([index.table] + index.columns).allSatisfy { name in
          Self.isStoreName(name) && (!entity.isEmpty || name == name.uppercased())
        }
    }
  }

  private static func isStoreName(_ name: String) -> Bool {
    name.uppercased().hasPrefix("Z") && !name.hasPrefix("Z_")
  }

  /// A column does not show where its property has capitals: `ZDEPARTURETIME`.
  private func declaration(_ columns: [String]) -> String {
    "Index(" + columns.map { "\\." + Self.property($0) }.joined(separator: ", ") + ")"
  }

  private static func property(_ column: String) -> String { column.dropFirst().lowercased() }

  /// The name is the one that the store uses for the index.
  private func creation(_ index: IndexCandidate) -> String {
    let quoted = SQLName.quotedIfNeeded
    let name = index.name + (isFromStore && index.columns.count == 1 ? "_INDEX" : "")
    let prefix = schema.map { quoted($0) + "." } ?? ""
    let part = index.condition.map { " WHERE \($0)" } ?? ""
    return "CREATE INDEX \(prefix)\(quoted(name)) ON \(quoted(index.table)) (\(index.terms))\(part)"
  }
}

extension ComparedColumns {
  fileprivate var order: [SortTerm] {
    let terms = sortTerms.isEmpty ? sorted.map { SortTerm(column: $0) } : sortTerms
    return terms.filter { $0.column.uppercased() != "Z_PK" }
  }
}

extension ModelNames {
  /// The entity that has all columns of some indexes.
  fileprivate func owner(of indexes: [IndexCandidate]) -> String? {
    let owners = Set(indexes.map { properties($0.columns, of: $0.table)?.first?.entity })
    return owners.count == 1 ? owners.first ?? nil : nil
  }

  /// Indexes as declarations of the model; nil where a column belongs to no property of it.
  public func fetchIndexes(_ indexes: [IndexCandidate]) -> String? {
    indexes.isEmpty || owner(of: indexes) == nil
      ? nil : IndexFix(indexes, entity: "").fetchIndexes(self)
  }

  /// The derived attribute that a statement with a count could read.
  ///
  /// - Parameter table: the table of the rows that are counted; nil for any.
  func count(in sql: String, of table: String? = nil) -> String? {
    guard sql.uppercased().contains("COUNT(") else { return nil }
    return ComparedColumns.all(in: sql).lazy.compactMap { columns -> Property? in
      guard table == nil || table?.uppercased() == columns.table.uppercased(),
        columns.filtered.count == 1
      else { return nil }
      return count(columns.filtered[0], of: columns.table)
    }.first.map { "add a derived attribute with the expression \($0.name) to \($0.entity)" }
  }
}

extension JudgedStatement {
  /// The set of indexes that halves the steps of a run.
  var triedFix: String? {
    guard let indexes = judgement.indexes, !indexes.isEmpty else { return nil }
    return sentence(IndexFix(indexes, entity: profile.entity))
  }
}
