// SPDX-License-Identifier: Apache-2.0

import ObjectStore

/// A condition, as a predicate format and as a Swift closure.
struct NodeQuery: CustomStringConvertible {
  /// Nil for all nodes.
  let format: String?
  let isFulfilled: (NodeImage, Int) -> Bool

  var description: String { format ?? "TRUEPREDICATE" }

  func request() throws -> FetchRequest<Node> {
    var request = FetchRequest<Node>(predicate: try format.map { try FetchPredicate($0) })
    request.sortDescriptors = [SortDescriptor(\.rank), SortDescriptor(\.number)]
    return request
  }

  /// The numbers of the nodes that fulfil it, by rank and number.
  func nodes(in image: NodeImage) -> [Int] {
    image.rows.keys.filter { isFulfilled(image, $0) }
      .sorted { (image.rank($0), $0) < (image.rank($1), $1) }
  }

  static func random(_ below: (Int) -> Int) -> NodeQuery {
    let rank = Int64(below(5))
    switch below(10) {
    case 0: return NodeQuery(format: nil) { _, _ in true }
    case 1: return NodeQuery(format: "rank == \(rank)") { $0.rank($1) == rank }
    case 2:
      return NodeQuery(format: "name BEGINSWITH 'a'") { image, node in
        guard case .string(let name)? = image.rows[node]?.values["name"] else { return false }
        return name.hasPrefix("a")
      }
    case 3: return NodeQuery(format: "whole == nil") { $0.rows[$1]?.references[.whole] == nil }
    case 4:
      return NodeQuery(format: "whole.rank > \(rank)") { image, node in
        image.rows[node]?.references[.whole].map { image.rank($0) > rank } ?? false
      }
    case 5:
      return NodeQuery(format: "ANY tags.rank == \(rank)") { image, node in
        image.members(.tags, of: node).contains { image.rank($0) == rank }
      }
    case 6: return NodeQuery(format: "parts.@count > 0") { !$0.members(.parts, of: $1).isEmpty }
    case 7:
      return NodeQuery(format: "SUBQUERY(parts, $p, $p.rank > \(rank)).@count > 0") { image, node in
        image.members(.parts, of: node).contains { image.rank($0) > rank }
      }
    case 8:
      return NodeQuery(format: "friends.@count == 1") { $0.members(.friends, of: $1).count == 1 }
    default:
      return NodeQuery(format: "SUBQUERY(parts, $p, ANY $p.tags.rank == \(rank)).@count > 0") {
        image, node in
        image.members(.parts, of: node).contains { part in

          image.members(.tags, of: part).contains { image.rank($0) == rank }
        }
      }
    }
  }
}

extension NodeImage {
  func rank(_ node: Int) -> Int64 {
    guard case .integer(let rank)? = rows[node]?.values["rank"] else { return 0 }
    return rank
  }
}
