// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

@testable import QueryPlans

/// A plan in the words and rows of other versions of SQLite.
struct PlanTextForms {
  var steps: [PlanStep]
  /// Resolves the names of its tables.
  var plan: QueryPlan

  static let names = ["tree", "rows", "json", "table", "3.8 rows", "3.7.13 rows"]

  /// The text of a form; nil where SQLite of that time has no such plan.
  func text(_ form: String) -> String? {
    switch form {
    case "tree": "QUERY PLAN\n" + Self.tree(plan.roots, prefix: "").joined(separator: "\n")
    case "rows": steps.map { "\($0.id)|\($0.parent)|0|\($0.detail)" }.joined(separator: "\n")
    case "json":
      "["
        + steps.map {
          #"{"id":\#($0.id),"parent":\#($0.parent),"notused":0,"detail":"\#($0.detail)"}"#
        }.joined(separator: ",\n") + "]"
    case "table":
      "| id | parent | notused | detail |\n+----+--------+---------+--------+\n"
        + steps.map { "| \($0.id) | \($0.parent) | 0 | \($0.detail) |" }.joined(separator: "\n")
    case "3.8 rows": OlderPlan(plan)?.text { _ in nil }
    default: OlderPlan(plan)?.text { $0.hasPrefix("SEARCH") ? 10 : 1_000_000 }
    }
  }

  private static func tree(_ nodes: [QueryPlan.Node], prefix: String) -> [String] {
    nodes.enumerated().flatMap { index, node in
      let isLast = index == nodes.count - 1
      return ["\(prefix)\(isLast ? "`--" : "|--")\(node.detail)"]
        + tree(node.children, prefix: prefix + (isLast ? "   " : "|  "))
    }
  }
}

/// The rows of `EXPLAIN QUERY PLAN` before SQLite 3.24: selectid, order, from, detail.
struct OlderPlan {
  private struct Row {
    var select: Int
    var order: Int
    var detail: String
  }
  private var rows: [Row] = []
  private var selects = 0
  private var isKnown = true

  /// Nil for a plan of a feature that these versions do not have, such as a recursive common table.
  init?(_ plan: QueryPlan) {
    add(plan.roots, to: 0)
    guard isKnown, !rows.isEmpty else { return nil }
  }

  /// - Parameter estimate: the number of rows behind a step; nil for none, as since 3.8.
  func text(estimate: (String) -> Int?) -> String {
    rows.map { row in
      let isAccess = row.detail.hasPrefix("SCAN") || row.detail.hasPrefix("SEARCH")
      let rows = isAccess ? estimate(row.detail).map { " (~\($0) rows)" } ?? "" : ""
      return "\(row.select)|\(row.order)|0|\(row.detail)\(rows)"
    }.joined(separator: "\n")
  }

  private mutating func add(_ nodes: [QueryPlan.Node], to select: Int) {
    var order = 0
    var computed: [String: Int] = [:]
    for node in nodes {
      switch node.fact {
      case .scan(let access), .search(let access):
        let detail =
          computed[access.name].map { select in
            let alias = access.name.hasPrefix("(") ? "" : " AS \(access.name)"
            return "SCAN SUBQUERY \(select)\(alias)"
          }
          ?? Self.words(node.detail, access)
        rows.append(Row(select: select, order: order, detail: detail))
        order += 1
        // Rows of a common table that is read twice, by another name.
        if access.isSubquery, computed[access.name] == nil { isKnown = false }
        if !node.children.isEmpty { isKnown = false }
      case .materialize(let name), .coroutine(let name):
        computed[name] = addSelect(node.children)
      case .subquery:
        let words = node.detail.split(separator: " ").dropLast().joined(separator: " ")
        if words.hasPrefix("REUSE") { continue }
        rows.append(Row(select: select, order: 0, detail: "EXECUTE \(words) \(selects + 1)"))
        _ = addSelect(node.children)
      case .temporaryBTree: rows.append(Row(select: select, order: 0, detail: node.detail))
      case .multiIndexOr:
        for term in node.children.flatMap(\.children) {
          guard let access = term.fact.access else { continue }
          rows.append(Row(select: select, order: order, detail: Self.words(term.detail, access)))
        }
        order += 1
      case .compound: addCompound(node, to: select)
      case .bloomFilter, .constantRows: break
      default: isKnown = node.detail.hasPrefix("USING ") && isKnown
      }
    }
  }

  private mutating func addSelect(_ nodes: [QueryPlan.Node]) -> Int {
    selects += 1
    let select = selects
    add(nodes, to: select)
    return select
  }

  private mutating func addCompound(_ node: QueryPlan.Node, to select: Int) {
    var left: Int?
    for (index, part) in node.children.enumerated() {
      let right = addSelect(part.children)
      guard let before = left else {
        left = right
        continue
      }
      let isLast = index == node.children.count - 1
      if !isLast { selects += 1 }
      let words = part.detail.replacing(" USING TEMP B-TREE", with: "")
      let operation =
        node.detail.hasPrefix("MERGE (") ? String(node.detail.dropFirst(6)) : "(\(words))"
      let sort = part.detail.contains("TEMP B-TREE") ? "USING TEMP B-TREE " : ""
      rows.append(
        Row(
          select: isLast ? select : selects, order: 0,
          detail: "COMPOUND SUBQUERIES \(before) AND \(right) \(sort)\(operation)"))
      left = selects
    }
  }

  /// `SEARCH t0 USING …` becomes `SEARCH TABLE ZSTOP AS t0 USING …`.
  private static func words(_ detail: String, _ access: TableAccess) -> String {
    let verb = detail.hasPrefix("SCAN") ? "SCAN" : "SEARCH"
    let rest = detail.dropFirst(verb.count + 1 + access.name.count)
      .replacing(" LEFT-JOIN", with: "")
    let table = access.table ?? access.name
    let alias = table.lowercased() == access.name.lowercased() ? "" : " AS \(access.name)"
    return "\(verb) TABLE \(table)\(alias)\(rest)"
  }
}
