// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore

extension Before {
  /// Each mistake once, in a separate context.
  static func run(in container: PersistentContainer) throws -> Int {
    let steps: [(ManagedObjectContext) throws -> Int] = [
      ownersOneByOne, itemCounts, scan, textSearch, sort, repeatedFetch, deepPage, copiedBatches,
      pictures, smallSaves, everything,
    ]
    return try steps.reduce(0) { try $0 + $1(container.newBackgroundContext()) }
  }

  /// N + 1: the owner of each item is a query.
  private static func ownersOneByOne(_ context: ManagedObjectContext) throws -> Int {
    var request = FetchRequest<Item>()
    request.fetchLimit = Amounts.page
    let items = try context.fetch(request)  // finds: AvoidFaultStorm
    return items.count { $0.owner?.name.isEmpty == false }
  }

  /// The members of each owner are fetched to be counted.
  private static func itemCounts(_ context: ManagedObjectContext) throws -> Int {
    var request = FetchRequest<Owner>()
    request.fetchLimit = Amounts.page
    let owners = try context.fetch(request)  // finds: AvoidRelationshipFaultStorm
    return owners.reduce(0) { $0 + $1.items.count }
  }

  /// The price has no index.
  private static func scan(_ context: ManagedObjectContext) throws -> Int {
    let request = FetchRequest<Item>(where: { $0.price == 77 })
    return try context.fetch(request).count  // finds: AvoidFullTableScan
  }

  /// No index serves a search within a text.
  private static func textSearch(_ context: ManagedObjectContext) throws -> Int {
    let request = FetchRequest<Item>(
      predicate: try FetchPredicate("name CONTAINS[cd] %@", "1004711"))
    return try context.fetch(request).count  // finds: UnindexedStringSearch
  }

  /// All items are sorted to show twenty.
  private static func sort(_ context: ManagedObjectContext) throws -> Int {
    var request = FetchRequest<Item>()
    request.sortDescriptors = [SortDescriptor(\.rank)]
    request.fetchLimit = 20
    return try context.fetch(request).count  // finds: UseIndexForSort
  }

  /// The same owner is fetched for each of fifty rows.
  private static func repeatedFetch(_ context: ManagedObjectContext) throws -> Int {
    let name = Amounts.ownerName(7)
    let request = FetchRequest<Owner>(where: { $0.name == name })
    var count = 0
    for _ in 0..<Amounts.page {
      count += try context.fetch(request).count  // finds: AvoidRepeatedFetch
    }
    return count
  }

  /// A page is found by skipping those before it.
  private static func deepPage(_ context: ManagedObjectContext) throws -> Int {
    var request = FetchRequest<Item>()
    request.sortDescriptors = [SortDescriptor(\.name)]
    request.fetchOffset = Amounts.pageOffset
    request.fetchLimit = Amounts.page
    return try context.fetch(request).count  // finds: AvoidDeepOffset
  }

  /// An array of a batched result loads all batches.
  private static func copiedBatches(_ context: ManagedObjectContext) throws -> Int {
    var request = FetchRequest<Owner>()
    request.sortDescriptors = [SortDescriptor(\.name)]
    request.fetchBatchSize = 20
    let owners = Array(try context.fetchInBatches(request))  // finds: KeepBatchSize
    return owners.prefix(10).count { !$0.name.isEmpty }
  }

  /// The list of labels loads the pictures.
  private static func pictures(_ context: ManagedObjectContext) throws -> Int {
    let photos = try context.fetch(FetchRequest<Photo>())  // finds: AvoidLargeColumnInList
    return photos.count { !$0.label.isEmpty }
  }

  /// Each entry is a transaction.
  private static func smallSaves(_ context: ManagedObjectContext) throws -> Int {
    for number in 0..<Amounts.saves {
      context.insert(Entry.self).text = "entry \(number)"
      try context.save()  // finds: AvoidSlowSave
    }
    return Amounts.saves
  }

  /// Six thousand objects for a screen of twenty.
  private static func everything(_ context: ManagedObjectContext) throws -> Int {
    let items = try context.fetch(FetchRequest<Item>())  // finds: LimitFetch
    return items.prefix(20).count { !$0.name.isEmpty }
  }
}
