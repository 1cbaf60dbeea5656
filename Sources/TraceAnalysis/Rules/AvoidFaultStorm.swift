// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct AvoidFaultStorm: Rule {
  // 10 is arbitrary: fewer misses than a screen has rows.
  static let minMisses: UInt64 = 10

  static let explanation = RuleExplanation(
    problem: "a query for each object",
    law: "Objects are fetched with the values that are read, not with one query each.",
    reason: """
      A fault whose row is in the row cache costs no SQL; a cache miss is a query. N objects cost N queries at the line
      that reads them; the fix is at the line that fetched them.
      """,
    bad: """
      for photo in try context.fetch(photos) { print(photo.author.name) }
      -- SELECT … FROM ZAUTHOR t0 WHERE  t0.Z_PK = ?          184 times
      """,
    good: """
      photos.relationshipKeyPathsForPrefetching = ["author"]
      for photo in try context.fetch(photos) { print(photo.author.name) }
      -- SELECT … FROM ZAUTHOR t0 WHERE  t0.Z_PK IN (…)       once, into the row cache
      """,
    limits: """
      Reported when ten faults or more on the objects of one fetch miss the row cache. Faults that the row cache serves
      are not reported, nor are clicks that open one object each: misses with a second before and after them.
      """)

  func check(_ workload: Workload) -> [Finding] {
    let profile = workload.profile
    return profile.faults.filter { $0.origin.relationship.isEmpty && $0.isStorm }.map { fault in
      Finding(
        rule: Self.name, confidence: .high, statement: fault.statement,
        caller: fault.origin.location, object: fault.origin.entity,
        message: fault.stormText(of: "\(fault.origin.entity) objects"),
        evidence: fault.evidence, fix: fix(fault, in: profile), saving: fault.saving)
    }
  }

  private func fix(_ fault: FaultProfile, in profile: Profile) -> String {
    let entity = fault.origin.entity
    let fetch = profile.statements.first { statement in
      statement.entity == entity && !statement.kinds.isEmpty
        && statement.callers.contains { $0.location == fault.origin.location }
    }
    // Core Data's log has no lines of code: a fetch elsewhere may be of the same entity.
    let isOfFetched = fault.missesOfFetched.map { $0 > fault.misses / 2 } ?? true
    guard let fetch, isOfFetched else {
      return """
        prefetch the \(entity) objects with the objects that refer to them: add the relationship \
        to relationshipKeyPathsForPrefetching
        """
    }
    let batch =
      fetch.work.limited == 0 && fetch.work.perRun(\.rows) >= 1000
      ? "; for this many objects, set a fetchBatchSize of twice the visible number" : ""
    return """
      fetch the values with the objects: request.returnsObjectsAsFaults = false\(batch)
      """
  }
}

extension FaultProfile {
  /// Whether the objects of one fetch were read one by one.
  var isStorm: Bool {
    mostMissesPerFetch >= AvoidFaultStorm.minMisses
  }

  /// The number of queries: `Author objects fetched here were read …`.
  func stormText(of things: String) -> String {
    """
    \(things) fetched here were read from the database one by one: \
    \(misses.counted("query", "queries")), up to \(mostMissesPerFetch.grouped) for one fetch.
    """
  }

  var evidence: [Finding.Evidence] {
    [
      .init("cacheMisses", misses), .init("cacheHits", hits), .init("rows", rows),
      .init("mostMissesPerFetch", mostMissesPerFetch), .init("missNs", missTime),
    ]
  }

  var saving: Finding.Saving { .init(atMost: missTime, basis: "the time of the cache misses") }
}
