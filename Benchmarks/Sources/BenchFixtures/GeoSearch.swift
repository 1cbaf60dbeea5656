// SPDX-License-Identifier: Apache-2.0

package import ObjectStore

/// The stops in a box: some fifteen of the 12,800 of a ``StopFixture``.
package struct GeoSearch {
  /// As many as the city of the examples has.
  package static let stops = 12_800

  private let box: FetchPredicate

  package init() throws {
    box = try FetchPredicate(
      "%@ <= longitude AND longitude <= %@ AND %@ <= latitude AND latitude <= %@", 13.41, 13.43,
      52.49, 52.504)
  }

  /// Fetches them, filled, so many times, and counts their rows.
  package func run(_ count: Int, in context: ManagedObjectContext) throws -> Int {
    var rows = 0
    for _ in 0..<count { rows &+= try fetch(in: context) }
    return rows
  }

  package func fetch(in context: ManagedObjectContext) throws -> Int {
    var request = FetchRequest<Stop>(predicate: box)
    request.fetchLimit = 200
    request.returnsObjectsAsFaults = false
    return try context.fetch(request).count
  }
}
