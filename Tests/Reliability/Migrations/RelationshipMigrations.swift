// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport

/// Opens stores with another model than the one they were made with, and compares the members of each
/// relationship by its name, in their order.
public struct RelationshipMigrations {
  /// The outcomes of openings with the changed model.
  public private(set) var opened = 0
  public private(set) var refused = 0
  /// Relationships that had members, and were compared.
  public private(set) var compared = 0
  /// The losses, with the seed and the models.
  public private(set) var failures: [String] = []

  public init() {}

  public var report: String {
    "\(opened + refused) pairs of models: \(opened) opened, \(refused) refused, "
      + "\(compared) relationships with members compared, \(failures.count) pairs with a loss"
  }

  /// Runs one pair of models.
  public mutating func run(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryDirectory()
    let url = folder.url.appending(path: "store.sqlite")
    let old = RelatedModel.random(&random)
    let new = old.changed(&random)
    guard let oldModel = try? old.model(in: folder.url),
      let newModel = try? new.model(in: folder.url)
    else { return }
    try fill(url, oldModel, old, &random)
    let before = try members(url, oldModel, old, StoreOptions()).members
    var options = StoreOptions()
    if random.next() % 3 == 0 { options.migrationPolicy = .exact }
    var problems: [String] = []
    do {
      let (after, steps) = try members(url, newModel, new, options)
      opened += 1
      problems = compare(before, old, after, new, steps)
      let again = try members(url, newModel, new, StoreOptions())
      if again.members != after || !again.steps.isEmpty {
        problems.append("a second opening differs: \(again.steps)")
      }
    } catch StoreError.incompatibleModel(_, let differences) {
      refused += 1
      if differences.isEmpty { problems.append("refused without a reason") }
      if try members(url, oldModel, old, StoreOptions()).members != before {
        problems.append("a refused opening changed the store")
      }
    }
    guard !problems.isEmpty else { return }
    failures.append(
      "seed \(seed), \(options.migrationPolicy)\n\(old.description)\nbecame\n\(new.description)\n"
        + problems.joined(separator: "\n"))
  }

  // MARK: - Objects

  /// Some objects of each entity, with members at random, and in an order that is not that of their keys.
  private func fill(
    _ url: URL, _ model: ManagedObjectModel, _ related: RelatedModel,
    _ random: inout SeededGenerator
  ) throws {
    let container = try PersistentContainer(at: url, model: model, options: StoreOptions())
    let context = container.newBackgroundContext()
    var objects: [String: [AnyManagedObject]] = [:]
    for entity in RelatedModel.entities {
      for number in 1...Int.random(in: 2...4, using: &random) {
        let object = try context.insert(entityNamed: entity)
        try object.setValue(.string("\(entity)\(number)"), forKey: "label")
        objects[entity, default: []].append(object)
      }
    }
    // With keys, so that the order of members does not follow from that of their insertion.
    try context.save()
    func all(_ entity: String) -> [AnyManagedObject] {
      related.kinds(entity).flatMap { objects[$0] ?? [] }
    }
    for pair in related.pairs where random.next() % 8 > 0 {
      let members = all(pair.destination(of: pair.first))
      for owner in all(pair.first.entity) where random.next() % 4 > 0 {
        let chosen = members.shuffled(using: &random).prefix(pair.first.isToMany ? 2 : 1)
        if pair.first.isToMany {
          try owner.setValue(Array(chosen), forKey: pair.first.name)
        } else if let member = chosen.first {
          try owner.setValue(.object(member.objectID), forKey: pair.first.name)
        }
      }
    }
    try context.save()
    container.close()
  }

  private typealias Members = [String: [String: [String]]]

  /// By `Entity.name`, then by the owner's label: the labels of the members.
  private func members(
    _ url: URL, _ model: ManagedObjectModel, _ related: RelatedModel, _ options: StoreOptions
  ) throws -> (members: Members, steps: [String]) {
    let container = try PersistentContainer(at: url, model: model, options: options)
    defer { container.close() }
    let context = container.newBackgroundContext()
    var members: Members = [:]
    for end in related.pairs.flatMap(\.ends) {
      for object in try context.fetch(entityNamed: related.name(end.entity)) {
        let owner = try label(object)
        var labels: [String]
        if end.isToMany {
          labels = try object.objects(forKey: end.name).map(label)
        } else if case .object(let id) = try object.value(forKey: end.name) {
          labels = [try label(context.object(with: id))]
        } else {
          labels = []
        }
        if !end.isOrdered { labels.sort() }
        members["\(end.entity).\(end.name)", default: [:]][owner] = labels
      }
    }
    return (members, container.migrationSteps)
  }

  private func label(_ object: AnyManagedObject) throws -> String {
    guard case .string(let label) = try object.value(forKey: "label") else { return "?" }
    return label
  }

  // MARK: - Comparison

  /// The end of the first model that has the name of one of the second, or its former name.
  private func former(
    of end: RelatedModel.End, _ old: RelatedModel, _ new: RelatedModel
  ) -> RelatedModel.End? {
    let hierarchy = Set(RelatedModel.entities.filter { root($0, old) == root(end.entity, old) })
    let ends = old.pairs.flatMap(\.ends).filter { hierarchy.contains($0.entity) }
    if let former = end.former, let found = ends.first(where: { $0.name == former }) {
      return found
    }
    // A name that another end had before is that of a new one.
    let isTaken = new.pairs.flatMap(\.ends).contains { $0 != end && $0.former == end.name }
    return isTaken ? nil : ends.first { $0.name == end.name }
  }

  private func root(_ entity: String, _ model: RelatedModel) -> String {
    model.parents[entity].map { root($0, model) } ?? entity
  }

  private mutating func compare(
    _ before: Members, _ old: RelatedModel, _ after: Members, _ new: RelatedModel,
    _ steps: [String]
  ) -> [String] {
    var problems: [String] = []
    for end in new.pairs.flatMap(\.ends) {
      guard let former = former(of: end, old, new) else { continue }
      let (name, formerName) = ("\(end.entity).\(end.name)", "\(former.entity).\(former.name)")
      let (was, now) = (before[formerName] ?? [:], after[name] ?? [:])
      if was.values.contains(where: { !$0.isEmpty }) { compared += 1 }
      for (owner, members) in was.sorted(by: { $0.key < $1.key }) {
        // The owner is of an entity without the relationship now.
        guard let found = now[owner] else { continue }
        let isOrdered = former.isOrdered && end.isOrdered
        let rest = found.filter(members.contains)
        if (isOrdered ? rest : rest.sorted()) != (isOrdered ? members : members.sorted()) {
          problems.append("\(name) of \(owner): \(found), before \(formerName): \(members)")
        } else if found.count > members.count,
          !steps.contains(where: {
            $0.hasPrefix("moved") || $0.contains(".\(end.name) has the objects of its new inverse")
          })
        {
          problems.append("\(name) of \(owner) has more without a step: \(found), \(members)")
        }
      }
    }
    return problems.isEmpty ? [] : problems + ["steps: \(steps)"]
  }
}
