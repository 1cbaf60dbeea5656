// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore

/// A node with relationships to other nodes of every kind that a model has.
struct Node: Entity {
  /// The key of the node in the images; never changed.
  let number = Attribute<Int64>("number", default: 0)
  let name = Attribute<String?>("name")
  let rank = Attribute<Int32>("rank", default: 0)
  let blob = Attribute<Data?>("blob", allowsExternalBinaryDataStorage: true)
  let whole: ToOne<Node> = ToOne("whole", inverse: \.parts)
  let parts: ToMany<Node> = ToMany("parts", inverse: \.whole, deleteRule: .cascade)
  let list: ToOne<Node> = ToOne("list", inverse: \.entries)
  let entries: ToMany<Node> = ToMany("entries", inverse: \.list, ordered: true)
  let guardian: ToOne<Node> = ToOne("guardian", inverse: \.wards)
  let wards: ToMany<Node> = ToMany("wards", inverse: \.guardian, deleteRule: .deny)
  let origin: ToOne<Node> = ToOne("origin", inverse: \.copies)
  let copies: ToMany<Node> = ToMany("copies", inverse: \.origin, deleteRule: .noAction)
  let left: ToOne<Node> = ToOne("left", inverse: \.right)
  let right: ToOne<Node> = ToOne("right", inverse: \.left)
  let tags: ToMany<Node> = ToMany("tags", inverse: \.tagged)
  let tagged: ToMany<Node> = ToMany("tagged", inverse: \.tags)
  let route: ToMany<Node> = ToMany("route", inverse: \.routes, ordered: true)
  let routes: ToMany<Node> = ToMany("routes", inverse: \.route)
  let friends: ToMany<Node> = ToMany("friends", inverse: \.friends)
}

/// Shares the table of the nodes.
struct Leaf: Entity {
  typealias Parent = Node
  let weight = Attribute<Double>("weight", default: 0)
}

/// A to-one relationship of a node.
enum NodeReference: String, CaseIterable, CustomDebugStringConvertible {
  case whole, list, guardian, origin, left, right

  var debugDescription: String { rawValue }
  /// The other one of a one-to-one; nil if the inverse is a to-many.
  var inverse: NodeReference? {
    switch self {
    case .left: .right
    case .right: .left
    default: nil
    }
  }
}

/// A to-many relationship of a node.
enum NodeMembers: String, CaseIterable, CustomDebugStringConvertible {
  case parts, entries, wards, copies, tags, tagged, route, routes, friends

  var debugDescription: String { rawValue }

  enum Kind {
    case inverse(of: NodeReference)
    /// The pairs of a table; the owner comes second if it is turned round.
    case pairs(NodePairs, isTurned: Bool)
  }

  var kind: Kind {
    switch self {
    case .parts: .inverse(of: .whole)
    case .entries: .inverse(of: .list)
    case .wards: .inverse(of: .guardian)
    case .copies: .inverse(of: .origin)
    case .tags: .pairs(.tags, isTurned: false)
    case .tagged: .pairs(.tags, isTurned: true)
    case .route: .pairs(.route, isTurned: false)
    case .routes: .pairs(.route, isTurned: true)
    case .friends: .pairs(.friends, isTurned: false)
    }
  }

  var isOrdered: Bool { self == .entries || self == .route }

  func of(_ node: ManagedObject<Node>) -> ToManyMembers<Node> {
    switch self {
    case .parts: node.parts
    case .entries: node.entries
    case .wards: node.wards
    case .copies: node.copies
    case .tags: node.tags
    case .tagged: node.tagged
    case .route: node.route
    case .routes: node.routes
    case .friends: node.friends
    }
  }
}

/// A many-to-many relationship; of friends there is a pair for each direction.
enum NodePairs: String, CaseIterable {
  case tags, route, friends
}
