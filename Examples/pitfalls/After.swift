// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore

extension After {
  /// The same work as ``Before``, without the mistakes.
  static func run(in container: PersistentContainer) throws -> Int {
    let steps: [(ManagedObjectContext) throws -> Int] = [
      ownersAtOnce, itemCounts, search, textSearch, sort, oneFetch, nextPage, batches, labels,
      oneSave, firstScreen,
    ]
    return try steps.reduce(0) { try $0 + $1(container.newBackgroundContext()) }
  }

  private static func ownersAtOnce(_ context: ManagedObjectContext) throws -> Int {
    var request = FetchRequest<Item>()
    request.fetchLimit = Amounts.page
    request.relationshipKeyPathsForPrefetching = ["owner"]
    return try context.fetch(request).count { $0.owner?.name.isEmpty == false }
  }

  private static func itemCounts(_ context: ManagedObjectContext) throws -> Int {
    var request = FetchRequest<Owner>()
    request.propertiesToFetch = ["name", .count(\.items, as: "items")]
    request.propertiesToGroupBy = ["name"]
    request.fetchLimit = Amounts.page
    return try context.fetchDictionaries(request)
      .reduce(0) { $0 + ($1.value("items", as: Int.self) ?? 0) }
  }

  private static func search(_ context: ManagedObjectContext) throws -> Int {
    try context.fetch(FetchRequest<Item>(where: { $0.price == 77 })).count
  }

  private static func textSearch(_ context: ManagedObjectContext) throws -> Int {
    let request = FetchRequest<Item>(
      predicate: try FetchPredicate("normalizedName BEGINSWITH %@", "item 1004711"))
    return try context.fetch(request).count
  }

  private static func sort(_ context: ManagedObjectContext) throws -> Int {
    var request = FetchRequest<Item>()
    request.sortDescriptors = [SortDescriptor(\.rank)]
    request.fetchLimit = 20
    return try context.fetch(request).count
  }

  private static func oneFetch(_ context: ManagedObjectContext) throws -> Int {
    let name = Amounts.ownerName(7)
    let owners = try context.fetch(FetchRequest<Owner>(where: { $0.name == name }))
    return (0..<Amounts.page).reduce(0) { count, _ in count + owners.count }
  }

  private static func nextPage(_ context: ManagedObjectContext) throws -> Int {
    let last = Amounts.itemName(Amounts.pageOffset - 1)
    var request = FetchRequest<Item>(where: { $0.name > last })
    request.sortDescriptors = [SortDescriptor(\.name)]
    request.fetchLimit = Amounts.page
    return try context.fetch(request).count
  }

  private static func batches(_ context: ManagedObjectContext) throws -> Int {
    var request = FetchRequest<Owner>()
    request.sortDescriptors = [SortDescriptor(\.name)]
    request.fetchBatchSize = 20
    let owners = try context.fetchInBatches(request)
    return owners.prefix(10).count { !$0.name.isEmpty }
  }

  private static func labels(_ context: ManagedObjectContext) throws -> Int {
    try context.fetch(FetchRequest<Photo>()).count { !$0.label.isEmpty }
  }

  private static func oneSave(_ context: ManagedObjectContext) throws -> Int {
    for number in 0..<Amounts.saves { context.insert(Entry.self).text = "entry \(number)" }
    try context.save()
    return Amounts.saves
  }

  private static func firstScreen(_ context: ManagedObjectContext) throws -> Int {
    var request = FetchRequest<Item>()
    request.fetchLimit = 20
    return try context.fetch(request).count { !$0.name.isEmpty }
  }
}
