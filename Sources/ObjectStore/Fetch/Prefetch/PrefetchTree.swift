// SPDX-License-Identifier: Apache-2.0

/// The relationships that a fetch prefetches; a relationship that several key paths share appears
/// once.
struct PrefetchTree {
  private(set) var branches: [Branch] = []

  struct Branch {
    let relationship: RelationshipDescription
    /// The key path of the request: `stopTimes.trip`.
    let keyPath: String
    var tree: PrefetchTree
  }

  var isEmpty: Bool { branches.isEmpty }
  /// Whether it needs the rows of its objects, which refer to the destinations of to-ones.
  var readsRows: Bool { branches.contains { !$0.relationship.isToMany } }

  init() {}

  /// - Throws: ``FetchPredicateError`` if a key path is not one of relationships.
  init(_ keyPaths: [String], of entity: EntityDescription) throws(FetchPredicateError) {
    for keyPath in keyPaths {
      let names = keyPath.split(separator: ".", omittingEmptySubsequences: false)
      try insert(names[...], of: entity, keyPath)
    }
  }

  private mutating func insert(
    _ names: ArraySlice<Substring>, of entity: EntityDescription, _ keyPath: String
  ) throws(FetchPredicateError) {
    guard let name = names.first.map(String.init) else { return }
    guard let relationship = entity.relationship(named: name) else {
      if entity.attribute(named: name) != nil {
        throw .unsupported(
          "prefetching '\(keyPath)', as '\(name)' is an attribute,",
          instead: "name relationships only; attributes come with their objects")
      }
      throw .unknownProperty(
        name, entity: entity.name, nearest: entity.nearestPropertyName(to: name))
    }
    let index: Int
    if let known = branches.firstIndex(where: { $0.relationship === relationship }) {
      index = known
    } else {
      index = branches.count
      let path = keyPath.split(separator: ".").dropLast(names.count - 1).joined(separator: ".")
      branches.append(Branch(relationship: relationship, keyPath: path, tree: PrefetchTree()))
    }
    try branches[index].tree.insert(names.dropFirst(), of: relationship.destination, keyPath)
  }
}
