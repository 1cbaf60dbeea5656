// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

extension FetchOperation {
  /// Counts the objects that a fetch would return.
  mutating func count() throws -> Int {
    guard let overlay = try pendingOverlay() else {
      select = try statement(.count, limit: limit, offset: offset)
      return try selectCount()
    }
    // Changed objects are counted in memory, all others by SQL.
    let saved = overlay.savedIDs
    let unchanged = saved.isEmpty ? predicate : .excluding(saved, from: predicate)
    select = try .count(
      of: entity, where: unchanged, includingSubentities: includesSubentities)
    let count = max(try selectCount() + overlay.wantedCount() - offset, 0)
    resultCount = limit > 0 ? min(count, limit) : count
    return resultCount
  }

  private mutating func selectCount() throws -> Int {
    var count = 0
    try store.query(
      select, interests: interests, contextID: context.contextID, cost: &cost
    ) { count = Int($0.int64(0)) }
    resultCount = count
    return count
  }
}

extension FetchPredicate {
  /// `… AND NOT (SELF IN …)`.
  fileprivate static func excluding(
    _ ids: [ManagedObjectID], from predicate: FetchPredicate?
  ) -> FetchPredicate {
    let isOther = FetchPredicate.not(
      .comparison(.init(.path(.init()), .isIn, .list(ids.map { .constant(.object($0)) }))))
    return predicate.map { .and([$0, isOther]) } ?? isOther
  }
}
