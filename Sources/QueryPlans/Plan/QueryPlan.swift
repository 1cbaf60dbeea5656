// SPDX-License-Identifier: Apache-2.0

public import SQLiteDriver

/// SQLite's plan of a statement, as a tree.
public struct QueryPlan: Hashable, Sendable {
  /// One step, and its substeps.
  public struct Node: Hashable, Sendable {
    /// SQLite's words.
    public var detail: String
    public var fact: PlanFact
    public var children: [Node]
  }

  public var roots: [Node]

  /// Makes a tree of the rows of `EXPLAIN QUERY PLAN`; a step without its parent is a root.
  public init(steps: [PlanStep], sql: String? = nil) {
    let known = Set(steps.map(\.id))
    var children: [Int64: [PlanStep]] = [:]
    for step in steps {
      // SQLite numbers a step after its parent; any other row would make a cycle.
      let parent = known.contains(step.parent) && step.parent < step.id ? step.parent : 0
      children[parent, default: []].append(step)
    }
    func nodes(of parent: Int64) -> [Node] {
      (children.removeValue(forKey: parent) ?? []).map {
        Node(detail: $0.detail, fact: PlanFact(detail: $0.detail), children: nodes(of: $0.id))
      }
    }
    roots = nodes(of: 0)
    if let sql { resolve(by: AliasResolver(sql: sql)) }
  }

  /// Whether a table is read whole for each row of another one.
  var scansInLoop: Bool { Self.scansInLoop(roots, isInner: false) }

  /// - Parameter isInner: whether the nodes are run for each row of others.
  private static func scansInLoop(_ nodes: [Node], isInner: Bool) -> Bool {
    var isInner = isInner
    for node in nodes {
      if case .scan(let access) = node.fact, isInner, !access.isSubquery, !access.isOfModule {
        return true
      }
      var isOfChildren = false
      if case .subquery(_, let isCorrelated) = node.fact { isOfChildren = isCorrelated }
      if scansInLoop(node.children, isInner: isOfChildren) { return true }
      if node.fact.access != nil || node.fact == .multiIndexOr { isInner = true }
    }
    return false
  }

  /// Every step, parents first.
  public var nodes: [Node] {
    func flatten(_ nodes: [Node]) -> [Node] { nodes.flatMap { [$0] + flatten($0.children) } }
    return flatten(roots)
  }

  mutating func resolve(by resolver: AliasResolver) {
    for index in roots.indices { roots[index].resolve(by: resolver, depth: 0) }
  }
}

extension QueryPlan {
  /// Marks the reads of some names as reads of a subquery.
  mutating func markComputed(_ names: Set<String>) {
    for index in roots.indices { roots[index].markComputed(names) }
  }
}

extension QueryPlan.Node {
  fileprivate mutating func markComputed(_ names: Set<String>) {
    if case .scan(var access) = fact, access.table == nil, names.contains(access.name) {
      access.isSubquery = true
      fact = .scan(access)
    }
    for index in children.indices { children[index].markComputed(names) }
  }

  fileprivate mutating func resolve(by resolver: AliasResolver, depth: Int) {
    switch fact {
    case .scan(let access): fact = .scan(resolver.resolved(access, depth: depth))
    case .search(let access): fact = .search(resolver.resolved(access, depth: depth))
    case .bloomFilter(let access): fact = .bloomFilter(resolver.resolved(access, depth: depth))
    default: break
    }
    let depth = fact.opensScope ? depth + 1 : depth
    for index in children.indices { children[index].resolve(by: resolver, depth: depth) }
  }
}

extension PlanFact {
  /// Whether the steps below belong to an inner SELECT.
  var opensScope: Bool {
    switch self {
    case .subquery, .materialize, .coroutine: true
    // Before SQLite 3.24 the steps of a subquery are children of the scan of its rows.
    case .scan(let access): access.isSubquery
    default: false
    }
  }
}
