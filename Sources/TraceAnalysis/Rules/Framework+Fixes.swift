// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

extension Framework {
  /// The calls that replace a query for each row; `%` stands for the name of the relation.
  private struct Loading {
    /// Nil where the column of a key does not show the name.
    var named: String?
    var one: String
    var many: String
    var count: String
    /// Reads the rows of many keys at once.
    var keys: String
  }

  private var loading: Loading {
    switch self {
    case .django:
      Loading(
        named: "select_related(\"%\")", one: "select_related()", many: "prefetch_related()",
        count: "annotate() with Count()", keys: "in_bulk()")
    case .sqlAlchemy:
      Loading(
        one: "options(joinedload())", many: "options(selectinload())",
        count: "a column of func.count() and group_by()", keys: "where() with in_()")
    case .peewee:
      Loading(
        one: "join(), and the model in select(),", many: "prefetch()",
        count: "fn.COUNT() and group_by()", keys: "where() with in_()")
    case .activeRecord:
      Loading(
        named: "includes(:%)", one: "includes()", many: "includes()",
        count: "a counter_cache, or group().count,", keys: "where(id: ids)")
    case .doctrine:
      Loading(
        one: "leftJoin() and addSelect()", many: "leftJoin() and addSelect()",
        count: "COUNT() and groupBy()", keys: "findBy() with an array")
    case .eloquent:
      Loading(
        named: "with(\"%\")", one: "with()", many: "with()", count: "withCount()", keys: "whereIn()"
      )
    case .grdb:
      Loading(
        one: "including(optional:)", many: "including(all:)", count: "annotated(with:) and count",
        keys: "fetchAll(db, keys:)")
    }
  }

  /// The fix that loads the rows of a loop with its list; nil if the statement does more than look
  /// up a relation.
  ///
  ///     add select_related("author") to the query at views.py:40
  ///     add prefetch_related() for the relation to 'shop_loan' to the query at views.py:40
  func loads(_ child: String, for parent: String?, at location: String) -> String? {
    let tables = StatementTables.all(in: child)
    let compared = ComparedColumns.all(in: child).flatMap(\.equal)
    guard let table = tables.first, tables.count <= 2, compared.count == 1,
      ComparedColumns.all(in: child).allSatisfy(\.ranges.isEmpty)
    else { return nil }
    let list = "to the query\(location.isEmpty ? " of the list" : location)"
    func unnamed(_ call: String) -> String { "add \(call) for the relation to '\(table)' \(list)" }
    if StatementClauses(sql: child).isCount { return unnamed(loading.count) }
    guard tables.count == 1, compared[0].lowercased() == "id" else { return unnamed(loading.many) }
    if let named = loading.named, let name = Self.relation(to: table, in: parent) {
      return "add \(named.split(separator: "%").joined(separator: name)) \(list)"
    }
    return unnamed(loading.one) + ", or read these rows before the loop by \(loading.keys)"
  }

  /// `author` of the only column `author_id` of a list that refers to the table `shop_author` or `authors`.
  private static func relation(to table: String, in list: String?) -> String? {
    let table = table.lowercased()
    var names: Set<String> = []
    for column in ResultColumns.all(in: list ?? "") where column.name.hasSuffix("_id") {
      let name = String(column.name.dropLast(3))
      let plurals: [String] = [name, "\(name)s", "\(name)es", "\(name.dropLast())ies"]
      if plurals.contains(where: { table == $0 || table.hasSuffix("_\($0)") }) {
        names.insert(name)
      }
    }
    return names.count == 1 ? names.first : nil
  }

  /// The framework's words for a rule's fix in SQL; nil if it has none.
  func fix(of rule: String, for sql: String) -> String? {
    switch (rule, self) {
    case ("GroupWrites", _):
      let isInsert = StatementCommand.name(of: sql) == "INSERT"
      return "\(transaction)\(isInsert ? "; or insert all rows at once: \(bulkInsert)" : "")"
    case ("AvoidDeepOffset", .django):
      return "read the rows after the last key: filter(pk__gt=last).order_by(\"pk\")[:n]"
    case ("AvoidDeepOffset", .activeRecord):
      return
        "read the rows after the last key: where(\"id > ?\", last).order(:id).limit(n), or find_each"
    case ("AvoidDeepOffset", .sqlAlchemy):
      return "read the rows after the last key: where(Model.id > last).order_by(Model.id).limit(n)"
    case ("UseBeginImmediate", .django):
      return "set OPTIONS = {\"transaction_mode\": \"IMMEDIATE\"} of the database (Django 5.1)"
    case ("UseBeginImmediate", .activeRecord):
      return "set default_transaction_mode: IMMEDIATE in database.yml (Rails 8 has it)"
    case ("SetBusyTimeout", .django): return "set OPTIONS = {\"timeout\": 5} of the database"
    case ("SetBusyTimeout", .activeRecord): return "set timeout: 5000 in database.yml"
    case ("SetBusyTimeout", .sqlAlchemy):
      return "call create_engine() with connect_args={\"timeout\": 5}"
    default: return nil
    }
  }

  private var transaction: String {
    switch self {
    case .django: "put the loop into transaction.atomic()"
    case .sqlAlchemy: "commit the session once, after the loop"
    case .peewee: "put the loop into db.atomic()"
    case .activeRecord: "put the loop into ActiveRecord::Base.transaction do … end"
    case .doctrine: "call flush() once, after the loop"
    case .eloquent: "put the loop into DB::transaction()"
    case .grdb: "put the loop into one write { db in … }"
    }
  }

  private var bulkInsert: String {
    switch self {
    case .django: "bulk_create()"
    case .sqlAlchemy: "session.execute(insert(Model), rows)"
    case .peewee: "insert_many()"
    case .activeRecord: "insert_all()"
    case .doctrine: "persist() for each, then one flush()"
    case .eloquent: "insert() with an array of rows"
    case .grdb: "save each in the same transaction"
    }
  }
}

// MARK: - Indexes

extension Framework {
  /// The fix, with the declaration of the framework before each index of whole columns.
  ///
  ///     add models.Index(fields=["due"]) to Meta.indexes of the model of 'shop_loan': CREATE INDEX …
  func declaringIndexes(in fix: String) -> String {
    // A table that is named as a store's.
    let fix = fix.replacing(#/declare Index\(.*?, or: /#, with: "")
    let parts = fix.ranges(of: "CREATE INDEX ").map(\.lowerBound) + [fix.endIndex]
    return zip(parts, parts.dropFirst()).reduce(String(fix[..<parts[0]])) { text, range in
      let sql = fix[range.0..<range.1]
      return text + (declaration(of: sql).map { "\($0): " } ?? "") + sql
    }
  }

  private func declaration(of sql: Substring) -> String? {
    let tokens = SQLTokenizer.tokens(of: sql)
    guard let on = tokens.firstIndex(where: { $0.isWord("ON") }), on + 2 < tokens.count,
      let table = tokens[on + 1].name, tokens[on - 1].name != nil, tokens[on + 2].isSymbol("("),
      let end = tokens[on...].firstIndex(where: { $0.isSymbol(")") }),
      end + 1 == tokens.count || !tokens[end + 1].isWord("WHERE")
    else { return nil }
    let terms = tokens[(on + 3)..<end].split { $0.isSymbol(",") }.map(Array.init)
    guard terms.allSatisfy({ $0.count == 1 || $0.count == 2 && $0[1].isWord("DESC") }) else {
      return nil
    }
    let isDescending = terms.contains { $0.count == 2 }
    let columns = terms.compactMap { $0[0].name }
    let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    switch self {
    case .django:
      let fields = terms.compactMap { term in
        term[0].name.map { "\"\(term.count == 2 ? "-" : "")\($0)\"" }
      }.joined(separator: ", ")
      return "add models.Index(fields=[\(fields)]) to Meta.indexes of the model of '\(table)'"
    case _ where isDescending: return nil
    case .sqlAlchemy:
      return
        "add Index(\"\(tokens[on - 1].name ?? "")\", \(names)) to __table_args__ of the model of '\(table)'"
    case .peewee:
      return
        "add ((\(names)\(columns.count == 1 ? "," : "")), False) to Meta.indexes of the model of '\(table)'"
    case .activeRecord:
      let columns = columns.map { ":\($0)" }.joined(separator: ", ")
      return "add_index :\(table), [\(columns)] in a migration"
    case .doctrine: return "add #[ORM\\Index(columns: [\(names)])] to the entity of '\(table)'"
    case .eloquent: return "$table->index([\(names)]) for '\(table)' in a migration"
    case .grdb:
      return
        "db.create(index: \"\(tokens[on - 1].name ?? "")\", on: \"\(table)\", columns: [\(names)]) in a migration"
    }
  }
}
