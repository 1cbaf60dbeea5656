// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Objects that are read come with their values, not one query each.
///
/// A fault whose row is in the row cache costs no SQL and is left alone; a cache miss is a query.
///
///     for photo in try context.fetch(photos) { print(photo.author.name) }
///     -- SELECT … FROM ZAUTHOR t0 WHERE  t0.Z_PK = ?          184 times
///     photos.relationshipKeyPathsForPrefetching = ["author"]
///     -- SELECT … FROM ZAUTHOR t0 WHERE  t0.Z_PK IN (…)       once, into the row cache
struct AvoidFaultStorm: Rule {
  // 10 is arbitrary: fewer misses than a screen has rows.
  static let fewestMisses: UInt64 = 10

  func check(_ profile: Profile) -> [Finding] {
    profile.faults.filter {
      $0.origin.relationship.isEmpty && $0.mostMissesPerFetch >= Self.fewestMisses
    }.map { fault in
      Finding(
        rule: "AvoidFaultStorm", severity: .warning, statement: fault.statement,
        caller: fault.origin.location,
        message: fault.stormText(of: "\(fault.origin.entity) objects"),
        evidence: fault.evidence, fix: fix(fault, in: profile), savesAtMost: fault.missTime)
    }
  }

  private func fix(_ fault: FaultProfile, in profile: Profile) -> String {
    let entity = fault.origin.entity
    let isFetchedHere = profile.statements.contains { statement in
      statement.entity == entity && !statement.kinds.isEmpty
        && statement.callers.contains { $0.location == fault.origin.location }
    }
    return isFetchedHere
      ? """
      fetch the values with the objects: request.returnsObjectsAsFaults = false
      """
      : """
      fetch the \(entity) objects with those that refer to them: name the relationship in \
      relationshipKeyPathsForPrefetching
      """
  }
}

extension FaultProfile {
  /// Says how many queries there were: `Author objects fetched here were read …`.
  func stormText(of things: String) -> String {
    """
    \(things) fetched here were read from the database one by one: \(misses.grouped) \
    queries, up to \(mostMissesPerFetch.grouped) for one fetch.
    """
  }

  var evidence: [Finding.Evidence] {
    [
      .init("cacheMisses", misses), .init("cacheHits", hits), .init("rows", rows),
      .init("mostMissesPerFetch", mostMissesPerFetch), .init("missNs", missTime),
    ]
  }
}
