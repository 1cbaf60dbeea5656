// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport

/// One thing that a program does with a context: 0 and 1 save to the store, 2 to the first one.
///
/// A step that does not fit the moment, as when its node is gone, does nothing: so any step may be
/// left out of a run.
struct ContextStep: CustomStringConvertible {
  let context: Int
  let action: Action

  enum Action {
    case insert(Int, isLeaf: Bool)
    case setValue(Int, String, StoreValue)
    case setReference(Int, NodeReference, Int?)
    case add(Int, NodeMembers, Int, at: Int?)
    case remove(Int, NodeMembers, Int)
    case delete(Int)
    case save
    case rollback
    case undo
    case redo
    case refresh(Int, mergingChanges: Bool)
    case refreshAll
    case reset
    case merge
    case setPolicy(MergePolicy)
    case obtainPermanentIDs
    case fetch(NodeQuery, NodeFetch)
    case batchUpdate(NodeQuery, rank: Int32)
    case batchDelete(NodeQuery)
    case letGo(Int)
    case releaseAll
    case look(Int)
    case lookAtAll
  }

  var description: String { "\(["a", "b", "child of a"][context]): \(action)" }
}

/// The variants of a fetch to try.
struct NodeFetch {
  var limit = 0
  var offset = 0
  var isFilled = false
  var isPartial = false
  var hasValues = true
  var refreshes = false
  var prefetched: [String] = []
}

extension ContextStep {
  static func random(_ count: Int, using random: inout SeededGenerator) -> [ContextStep] {
    var steps: [ContextStep] = []
    var nodes = 0
    for _ in 0..<count {
      let context = [0, 0, 0, 1, 1, 2, 2].randomElement(using: &random) ?? 0
      let action: Action
      if nodes == 0 || Int.random(in: 0..<12, using: &random) == 0 {
        action = .insert(nodes, isLeaf: .random(using: &random))
        nodes += 1
      } else {
        action = .random(nodes: nodes, using: &random)
      }
      steps.append(ContextStep(context: context, action: action))
    }
    return steps
  }
}

extension ContextStep.Action {
  fileprivate static func random(nodes: Int, using random: inout SeededGenerator) -> Self {
    func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
    // The last ones more often: the others are gone more often.
    func node() -> Int { max(0, nodes - 1 - below(min(nodes, 8))) }
    let members = NodeMembers.allCases[below(NodeMembers.allCases.count)]
    switch below(100) {
    case 0..<14: return value(of: node(), below)
    case 14..<26:
      let reference = NodeReference.allCases[below(NodeReference.allCases.count)]
      return .setReference(node(), reference, below(4) == 0 ? nil : node())
    case 26..<38: return .add(node(), members, node(), at: below(3) == 0 ? below(4) : nil)
    case 38..<43: return .remove(node(), members, node())
    case 43..<49: return .delete(node())
    case 49..<58: return .save
    case 58..<60: return .rollback
    case 60..<64: return below(2) == 0 ? .undo : .redo
    case 64..<67: return .refresh(node(), mergingChanges: below(2) == 0)
    case 67: return .refreshAll
    case 68: return .reset
    case 69..<74: return .merge
    case 74: return .setPolicy(MergePolicy.allCases[below(MergePolicy.allCases.count)])
    case 75: return .obtainPermanentIDs
    case 76..<85: return .fetch(.random(below), fetch(below))
    case 85: return .batchUpdate(.random(below), rank: Int32(below(5)))
    case 86: return .batchDelete(.random(below))
    case 87..<90: return .letGo(node())
    case 90: return .releaseAll
    case 91..<97: return .look(node())
    default: return .lookAtAll
    }
  }

  private static func value(of node: Int, _ below: (Int) -> Int) -> Self {
    switch below(5) {
    case 0, 1: .setValue(node, "rank", .integer(Int64(below(5))))
    case 2:
      .setValue(node, "name", below(4) == 0 ? .null : .string(["a", "b", "ab", "c"][below(4)]))
    case 3: .setValue(node, "weight", .double(Double(below(5))))
    default:
      .setValue(
        node, "blob",
        below(4) == 0
          ? .null : .data(Data(repeating: UInt8(below(3)), count: [0, 9, 200][below(3)])))
    }
  }

  private static func fetch(_ below: (Int) -> Int) -> NodeFetch {
    var fetch = NodeFetch()
    if below(3) == 0 { fetch.limit = 1 + below(4) }
    if below(3) == 0 { fetch.offset = below(3) }
    fetch.isFilled = below(3) == 0
    fetch.isPartial = below(4) == 0
    fetch.hasValues = below(4) > 0
    fetch.refreshes = below(4) == 0
    if below(3) == 0 {
      fetch.prefetched =
        [["parts"], ["tags", "whole"], ["list"], ["route.parts"], ["left"]][below(5)]
    }
    return fetch
  }
}
