// SPDX-License-Identifier: Apache-2.0

import ObjectStore
import TestSupport

/// A fetched results controller of a context, and its expected result.
final class ControllerWatch {
  private let controller: FetchedResultsController<Node>
  private let query: NodeQuery
  private let order: Order
  private let limit: Int
  private let offset: Int
  /// The snapshot after the reported changes so far.
  private var last: FetchedResultsSnapshot
  private var problem: String?

  /// The sort key of the nodes, before their numbers.
  private enum Order: CaseIterable {
    case rank, name, descendingName, list

    var descriptor: SortDescriptor<Node> {
      switch self {
      case .rank: SortDescriptor(\.rank)
      case .name: SortDescriptor(\.name)
      case .descendingName: .descending(\.name)
      case .list: SortDescriptor("list.number")
      }
    }

    var section: String? {
      switch self {
      case .rank: "rank"
      case .name: "name"
      case .descendingName: nil
      case .list: "list.number"
      }
    }
  }

  init(_ context: ManagedObjectContext, using random: inout SeededGenerator) throws {
    func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
    query = .ofOwnValues(below)
    order = Order.allCases[below(Order.allCases.count)]
    let isWindowed = below(4) == 0
    (limit, offset) = isWindowed ? (below(4), below(3)) : (0, 0)
    var request = try query.request()
    request.sortDescriptors = [order.descriptor, SortDescriptor(\.number)]
    request.fetchBatchSize = below(4)
    request.fetchLimit = limit
    request.fetchOffset = offset
    controller = try FetchedResultsController(
      request, context: context, sectionNameKeyPath: order.section)
    last = controller.snapshot
    controller.onChange = { [unowned self] in take($0) }
    try fetch()
  }

  func fetch() throws {
    try controller.performFetch()
    last = controller.snapshot
  }

  private func take(_ changes: FetchedResultsChanges) {
    let old = last
    last = controller.snapshot
    guard changes.applied(to: old) != last else { return }
    problem = "\(changes) do not lead from \(old) to \(last)"
  }

  // MARK: - Checks

  /// - Parameter view: the context's expected objects; nil if it has not merged others' saves.
  func check(_ view: NodeImage?, _ number: (ManagedObjectID) -> Int) throws {
    if let problem { throw Discrepancy("the changes of \(self): \(problem)") }
    let snapshot = controller.snapshot
    try expect(snapshot == last, "\(self) changed its results, and told no change")
    if let error = controller.changeError { throw Discrepancy("\(self): \(error)") }
    try expect(
      Set(snapshot).count == snapshot.count, "\(self) has objects twice: \(numbers(number))")
    let names = snapshot.sections.map(\.name)
    try expect(Set(names).count == names.count, "\(self) has sections twice: \(names)")
    guard let view else { return }
    let expected = nodes(in: view)
    let shown = numbers(number)
    try expect(shown == expected, "\(self) shows \(shown), and was to show \(expected)")
    let sections = snapshot.sections.flatMap { section in section.range.map { _ in section.name } }
    let expectedSections = expected.map { section(of: $0, in: view) }
    try expect(
      sections == expectedSections, "sections of \(self): \(sections), not \(expectedSections)")
    for (index, node) in expected.enumerated() where (index + expected.count).isMultiple(of: 3) {
      let object = try controller.object(at: index)
      try expect(object?.number == Int64(node), "\(self) has another object at \(index): \(node)")
    }
  }

  private func numbers(_ number: (ManagedObjectID) -> Int) -> [Int] {
    controller.snapshot.map(number)
  }

  private func nodes(in view: NodeImage) -> [Int] {
    let sorted = query.nodes(in: view).sorted {
      let (a, b) = (key(of: $0, in: view), key(of: $1, in: view))
      if a == b { return $0 < $1 }
      return order == .descendingName ? b < a : a < b
    }
    let rest = sorted.dropFirst(offset)
    return Array(limit > 0 ? rest.prefix(limit) : rest)
  }

  /// Numbers in text sort as numbers; nothing comes first.
  private func key(of node: Int, in view: NodeImage) -> String {
    guard order == .rank || order == .list else {
      return name(of: node, in: view).map { "." + $0 } ?? ""
    }
    let section = section(of: node, in: view)
    return section.isEmpty ? "" : String(repeating: "0", count: 10 - section.count) + section
  }

  private func name(of node: Int, in view: NodeImage) -> String? {
    guard case .string(let name)? = view.rows[node]?.values["name"] else { return nil }
    return name
  }

  private func section(of node: Int, in view: NodeImage) -> String {
    switch order {
    case .rank: "\(view.rank(node))"
    case .name: name(of: node, in: view) ?? ""
    case .descendingName: ""
    case .list:
      view.rows[node]?.references[.list].flatMap { view.rows[$0] == nil ? nil : "\($0)" } ?? ""
    }
  }
}

extension ControllerWatch: CustomStringConvertible {
  var description: String {
    "the controller of \(query) by \(order)"
      + (limit > 0 || offset > 0 ? ", \(limit) from \(offset)" : "")
  }
}

extension NodeQuery {
  /// A condition that no change of another node fulfils: controllers follow changed objects only.
  static func ofOwnValues(_ below: (Int) -> Int) -> NodeQuery {
    let rank = Int64(below(4))
    switch below(4) {
    case 0: return NodeQuery(format: nil) { _, _ in true }
    case 1: return NodeQuery(format: "rank > \(rank)") { $0.rank($1) > rank }
    case 2:
      return NodeQuery(format: "name BEGINSWITH 'a'") { image, node in
        guard case .string(let name)? = image.rows[node]?.values["name"] else { return false }
        return name.hasPrefix("a")
      }
    default: return NodeQuery(format: "list == nil") { $0.rows[$1]?.references[.list] == nil }
    }
  }
}
