// SPDX-License-Identifier: Apache-2.0

/// Finds the table of a name in a plan, from the FROM clauses of the statement.
struct AliasResolver {
  let outline: StatementOutline
  private let views: [StatementOutline]
  /// In lower case.
  private let viewNames: Set<String>

  init(sql: String, viewSQL: (String) -> String? = { _ in nil }) {
    outline = StatementOutline(sql)
    var views: [StatementOutline] = []
    var (seen, viewNames): (Set<String>, Set<String>) = ([], [])
    var names = outline.tableNames
    while let name = names.popLast() {
      guard seen.insert(name.lowercased()).inserted, let sql = viewSQL(name) else { continue }
      let view = StatementOutline(sql)
      views.append(view)
      viewNames.insert(name.lowercased())
      names += view.tableNames
    }
    (self.views, self.viewNames) = (views, viewNames)
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
      access.isSubquery = isComputed(access.name, in: outline)
      // A table name that a view hides, or a statement we could not read.
      access.table = access.isSubquery ? nil : access.name
      return access
    }
    if let table = source.table, !isComputed(table, in: outline) {
      access.table = table
    } else {
      access.isSubquery = true
    }
    return access
  }

  /// Whether the rows come from a SELECT: a common table, or a view.
  private func isComputed(_ name: String, in outline: StatementOutline) -> Bool {
    outline.isCommonTable(name) || viewNames.contains(name.lowercased())
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
