// SPDX-License-Identifier: Apache-2.0

/// Finds the table of a name in a plan, from the FROM clauses of the statement.
struct AliasResolver {
  let outline: StatementOutline
  /// The SQL of a view, by its name.
  private let views: [StatementOutline]

  init(sql: String, viewSQL: (String) -> String? = { _ in nil }) {
    outline = StatementOutline(sql)
    var views: [StatementOutline] = []
    var seen: Set<String> = []
    var names = outline.tableNames
    while let name = names.popLast() {
      guard seen.insert(name.lowercased()).inserted, let sql = viewSQL(name) else { continue }
      let view = StatementOutline(sql)
      views.append(view)
      names += view.tableNames
    }
    self.views = views
  }

  func resolved(_ access: TableAccess, depth: Int) -> TableAccess {
    var access = access
    guard access.table == nil, !access.isSubquery else { return access }
    let outlines = [outline] + views
    guard
      let (outline, source) = outlines.lazy
        .compactMap({ outline in
          outline.scope(of: access.name, depth: depth)?.source(named: access.name)
            .map { (outline, $0) }
        }).first
    else {
      access.isSubquery = outline.isCommonTable(access.name)
      // A table name that a view hides, or a statement we could not read.
      access.table = access.isSubquery ? nil : access.name
      return access
    }
    if let table = source.table, !outline.isCommonTable(table) {
      access.table = table
    } else {
      access.isSubquery = true
    }
    return access
  }
}

extension StatementOutline {
  var tableNames: [String] { scopes.flatMap { $0.sources.compactMap(\.table) } }

  /// The SELECT that defines a name; of several, the one nesting as deep as the plan's step.
  func scope(of name: String, depth: Int) -> SelectScope? {
    let candidates = scopes.filter { $0.source(named: name) != nil }
    return candidates.first { $0.depth == depth }
      ?? candidates.min { abs($0.depth - depth) < abs($1.depth - depth) }
  }
}
