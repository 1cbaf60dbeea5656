// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport

/// A model of entities that are related in every way, to be changed at random.
struct RelatedModel: Equatable {
  /// One end of a relationship.
  struct End: Equatable {
    var entity: String
    var name: String
    var former: String?
    var isToMany = false
    var isOrdered = false
  }

  /// Two ends, or one without an inverse.
  struct Pair: Equatable {
    var first: End
    var second: End?
    /// Of a relationship without an inverse.
    var destination: String

    var ends: [End] { [first] + (second.map { [$0] } ?? []) }

    func destination(of end: End) -> String {
      guard let second else { return destination }
      return end == first ? second.entity : first.entity
    }
  }

  /// By name: the parent.
  var parents: [String: String] = [:]
  var formerNames: [String: String] = [:]
  var pairs: [Pair] = []

  static let entities = ["Album", "Book", "City", "Club", "Harbour"]
  /// Of these, two inherit from another one.
  static let roots = ["Album", "Book", "City"]

  var names: [String] { Self.entities.map { name($0) } }

  /// The name of an entity, which may have been renamed.
  func name(_ entity: String) -> String {
    formerNames.first { $0.value == entity }?.key ?? entity
  }

  func kinds(_ entity: String) -> [String] {
    [entity] + parents.filter { $0.value == entity }.keys.sorted().flatMap(kinds)
  }

  // MARK: - Random

  static func random(_ random: inout SeededGenerator) -> RelatedModel {
    var model = RelatedModel()
    model.parents["Club"] = random.next() % 4 > 0 ? "City" : nil
    model.parents["Harbour"] = random.next() % 4 > 0 ? "City" : nil
    for _ in 0..<Int.random(in: 1...3, using: &random) { model.addPair(&random) }
    return model
  }

  private mutating func addPair(_ random: inout SeededGenerator) {
    let first = end(entities.randomElement(using: &random) ?? "Album", &random)
    var pair = Pair(
      first: first, second: nil, destination: entities.randomElement(using: &random) ?? "Book")
    pairs.append(pair)
    guard random.next() % 3 > 0 else { return }
    pair.second = end(pair.destination, &random)
    pairs[pairs.count - 1] = pair
  }

  private var entities: [String] { Self.entities }

  private func end(_ entity: String, _ random: inout SeededGenerator) -> End {
    var end = End(entity: entity, name: freeName(&random))
    end.isToMany = Bool.random(using: &random)
    end.isOrdered = end.isToMany && Bool.random(using: &random)
    return end
  }

  /// A name that no end has, and that none had.
  private func freeName(_ random: inout SeededGenerator) -> String {
    let used = Set(pairs.flatMap(\.ends).flatMap { [$0.name, $0.former ?? ""] })
    let all = [
      "items", "tags", "group", "owner", "parts", "marks", "lead", "notes", "links", "site",
    ]
    return all.filter { !used.contains($0) }.randomElement(using: &random) ?? "more\(used.count)"
  }

  /// Makes some changes, each of which an inferred migration may have to follow.
  func changed(_ random: inout SeededGenerator) -> RelatedModel {
    var model = self
    for _ in 0..<Int.random(in: 1...3, using: &random) { model.change(&random) }
    return model
  }

  private mutating func change(_ random: inout SeededGenerator) {
    guard !pairs.isEmpty else { return addPair(&random) }
    let index = Int.random(in: pairs.indices, using: &random)
    let isFirst = pairs[index].second == nil || Bool.random(using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: rename(index, isFirst, keepsFormer: true, &random)
    case 1: rename(index, isFirst, keepsFormer: false, &random)
    case 2: addInverse(index, &random)
    case 3, 4: dropEnd(index, isFirst)
    case 5:
      update(index, isFirst) {
        $0.isToMany.toggle()
        $0.isOrdered = false
      }
    case 6: update(index, isFirst) { $0.isOrdered = $0.isToMany && !$0.isOrdered }
    case 7: move(index, isFirst, &random)
    case 8: pairs.remove(at: index)
    case 9: addPair(&random)
    case 10: exchangeOrJoin(&random)
    default: renameEntity(&random)
    }
  }

  private mutating func update(_ index: Int, _ isFirst: Bool, _ change: (inout End) -> Void) {
    if isFirst {
      change(&pairs[index].first)
    } else if var end = pairs[index].second {
      change(&end)
      pairs[index].second = end
    }
  }

  private mutating func rename(
    _ index: Int, _ isFirst: Bool, keepsFormer: Bool, _ random: inout SeededGenerator
  ) {
    let name = freeName(&random)
    update(index, isFirst) {
      $0.former = keepsFormer ? $0.former ?? $0.name : nil
      $0.name = name
    }
  }

  private mutating func addInverse(_ index: Int, _ random: inout SeededGenerator) {
    guard pairs[index].second == nil else { return }
    pairs[index].second = end(pairs[index].destination, &random)
  }

  private mutating func dropEnd(_ index: Int, _ isFirst: Bool) {
    guard let second = pairs[index].second else { return }
    pairs[index].destination = isFirst ? pairs[index].first.entity : second.entity
    pairs[index].first = isFirst ? second : pairs[index].first
    pairs[index].second = nil
  }

  /// To the parent, to a child, or to any other entity.
  private mutating func move(_ index: Int, _ isFirst: Bool, _ random: inout SeededGenerator) {
    let entity = (isFirst ? pairs[index].first : pairs[index].second)?.entity ?? "Album"
    let near = [parents[entity]].compactMap(\.self) + kinds(entity).dropFirst()
    let target = (near.isEmpty ? entities : near).randomElement(using: &random) ?? entity
    if pairs[index].second == nil, Bool.random(using: &random) {
      pairs[index].destination = target
    } else {
      update(index, isFirst) { $0.entity = target }
      if let second = pairs[index].second { pairs[index].destination = second.entity }
    }
  }

  /// Two ends of one entity exchange their names, or two relationships without inverses become one.
  private mutating func exchangeOrJoin(_ random: inout SeededGenerator) {
    for i in pairs.indices {
      for j in pairs.indices where j > i {
        if pairs[i].second == nil, pairs[j].second == nil,
          pairs[i].destination == pairs[j].first.entity,
          pairs[j].destination == pairs[i].first.entity
        {
          pairs[i].second = pairs[j].first
          pairs.remove(at: j)
          return
        }
        guard pairs[i].first.entity == pairs[j].first.entity, pairs[i].first.former == nil,
          pairs[j].first.former == nil
        else { continue }
        let names = (pairs[i].first.name, pairs[j].first.name)
        (pairs[i].first.former, pairs[j].first.former) = names
        (pairs[j].first.name, pairs[i].first.name) = names
        return
      }
    }
  }

  private mutating func renameEntity(_ random: inout SeededGenerator) {
    let entity = entities.randomElement(using: &random) ?? "Album"
    formerNames["New" + entity] = entity
  }

  // MARK: - As a model file

  func model(in folder: URL) throws -> ManagedObjectModel {
    let url = folder.appending(path: "model-\(UUID().uuidString)")
    try Data(xml.utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    return try ManagedObjectModel(contentsOf: url)
  }

  private var xml: String {
    "<model>\n"
      + Self.entities.map { entity in
        let former = formerNames.contains { $0.value == entity } ? " elementID=\"\(entity)\"" : ""
        let parent = parents[entity].map { " parentEntity=\"\(name($0))\"" } ?? ""
        let label =
          parents[entity] == nil
          ? "<attribute name=\"label\" attributeType=\"String\" optional=\"YES\"/>\n" : ""
        return "<entity name=\"\(name(entity))\"\(former)\(parent)>\n\(label)"
          + pairs.flatMap { pair in pair.ends.filter { $0.entity == entity }.map { xml($0, pair) } }
          .joined() + "</entity>\n"
      }.joined() + "</model>"
  }

  private func xml(_ end: End, _ pair: Pair) -> String {
    let inverse = pair.second.map { end == pair.first ? $0 : pair.first }
    return "<relationship name=\"\(end.name)\" optional=\"YES\" deletionRule=\"Nullify\""
      + " destinationEntity=\"\(name(pair.destination(of: end)))\""
      + (inverse.map {
        " inverseName=\"\($0.name)\" inverseEntity=\"\(name($0.entity))\""
      } ?? "") + (end.isToMany ? " toMany=\"YES\"" : " maxCount=\"1\"")
      + (end.isOrdered ? " ordered=\"YES\"" : "")
      + (end.former.map { " elementID=\"\($0)\"" } ?? "") + "/>\n"
  }

  /// One line for each relationship.
  var description: String {
    pairs.map { pair in
      pair.ends.map { end in
        "\(end.entity).\(end.name)\(end.former.map { "<\($0)" } ?? "") "
          + "\(end.isToMany ? "->>" : "->") \(pair.destination(of: end))\(end.isOrdered ? " #" : "")"
      }.joined(separator: "  |  ")
    }.joined(separator: "\n")
      + "\n\(parents.sorted { $0.key < $1.key }) \(formerNames.sorted { $0.key < $1.key })"
  }
}
