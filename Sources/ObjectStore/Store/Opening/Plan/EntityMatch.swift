// SPDX-License-Identifier: Apache-2.0

/// Finds names of a model in a file, by the names themselves or by earlier ones.
struct NameMatch {
  struct Wanted: Hashable {
    let name: String
    let former: String?
    /// Whether the file is known not to have followed the renaming yet.
    var isPending = false
  }

  private let present: Set<String>
  private var found: [Wanted: String] = [:]

  init(_ wanted: [Wanted], in present: Set<String>) {
    self.present = present
    let names = Set(wanted.map(\.name))
    for item in wanted where present.contains(item.name) {
      // The name is that of something else that the model lacks, such as an inherited property.
      let isRenamed =
        item.isPending && item.former.map { present.contains($0) && !names.contains($0) } == true
      if !isRenamed { found[item] = item.name }
    }
    if wanted.contains(where: \.isPending) { exchangeNames(wanted) }
    for item in wanted where found[item] == nil {
      var visited: Set<Wanted> = []
      adoptFormerName(item, &visited)
    }
  }

  subscript(item: Wanted) -> String? { found[item] }

  /// Finds items that exchange their names, in a circle: `a` became `b`, and `b` became `a`.
  private mutating func exchangeNames(_ wanted: [Wanted]) {
    let byName = Dictionary(grouping: wanted, by: \.name)
    for first in wanted where first.isPending && found[first] == first.name {
      var circle = [first]
      while let former = circle.last?.former, former != first.name {
        // Siblings with the same name have different columns, unless they were renamed together.
        guard let next = byName[former]?.first, Set(byName[former] ?? []).count == 1,
          next.isPending, found[next] == former, !circle.contains(next)
        else {
          circle = []
          break
        }
        circle.append(next)
      }
      guard circle.count > 1 else { continue }
      for item in circle { found[item] = item.former }
    }
  }

  /// Finds an item by its former name.
  ///
  /// The name may be in use by an item that is itself found by its former name: `a` became `b`
  /// where `b` became `c`. An item that is not found so is new: it only shares its name with the
  /// renamed one.
  private mutating func adoptFormerName(_ item: Wanted, _ visited: inout Set<Wanted>) {
    guard let former = item.former, former != item.name, present.contains(former),
      visited.insert(item).inserted
    else { return }
    // Items that share a name and a former name, such as attributes of sibling entities, go
    // together.
    let holders = found.filter { $0.value == former && $0.key.name != item.name }.keys
    // Two names cannot both be the new name of one item: the first has it.
    guard holders.allSatisfy({ $0.name == former }) else { return }
    for holder in holders {
      found[holder] = nil
      adoptFormerName(holder, &visited)
    }
    found[item] = former
  }
}

/// Matches the entities of a file with the entities of a model.
struct EntityMatch {
  /// The names in the file, by the names in the model.
  private(set) var inFile: [String: FileStructure.Entity] = [:]
  /// The names in the model, by the numbers in the file.
  private(set) var inModel: [Int64: String] = [:]
  /// The numbers of the model's entities, by name; new ones follow the file's.
  private(set) var numbers: [String: Int64] = [:]
  /// Entities of the file that the model lacks.
  private(set) var gone: [FileStructure.Entity] = []

  /// - Parameter followed: the renamings that the file has followed; nil if they are not known.
  init(_ model: ManagedObjectModel, _ file: FileStructure, followed: Set<String>?) {
    let byName = Dictionary(
      file.entities.map { ($0.name, $0) }, uniquingKeysWith: { a, _ in a })
    let wanted = model.entities.map { NameMatch.Wanted($0).pending(in: 0, followed) }
    let match = NameMatch(wanted, in: Set(byName.keys))
    for (entity, item) in zip(model.entities, wanted) {
      guard let name = match[item], let known = byName[name] else { continue }
      inFile[entity.name] = known
      inModel[known.number] = entity.name
      numbers[entity.name] = known.number
    }
    var next = file.entities.map(\.number).max() ?? 0
    for entity in model.entities where numbers[entity.name] == nil {
      next += 1
      numbers[entity.name] = next
    }
    gone = file.entities.filter { inModel[$0.number] == nil }
  }
}

extension NameMatch.Wanted {
  init(_ entity: EntityDescription) {
    self.init(name: entity.name, former: entity.renamingIdentifier)
  }
}
