// SPDX-License-Identifier: Apache-2.0

/// The members of many objects' relationship come with one fetch.
struct AvoidRelationshipFaultStorm: Rule {
  static let explanation = RuleExplanation(
    law: "The members of many objects' relationship come with one fetch.",
    reason: "The first look at each object's members is one query: N objects, N + 1 queries.",
    bad: """
      for stop in try context.fetch(request) { print(stop.stopTimes.count) }
      -- SELECT … FROM ZSTOPTIME t0 WHERE  t0.ZSTOP = ?                          15 times
      """,
    good: """
      request.relationshipKeyPathsForPrefetching = ["stopTimes"]
      for stop in try context.fetch(request) { print(stop.stopTimes.count) }
      -- SELECT … FROM ZSTOPTIME t0 WHERE  t0.ZSTOP IN (…)                       once
      """,
    limits: """
      Speaks from ten misses on the objects of one fetch, where the misses took half a millisecond; members that came by a
      prefetch are left alone, and so is a storm that costs less.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.profile.faults.filter { !$0.origin.relationship.isEmpty && $0.isStorm }.map { fault in
      let relationship = fault.origin.relationship
      return Finding(
        rule: Self.name, confidence: .high, statement: fault.statement,
        caller: fault.origin.location, object: "\(fault.origin.entity).\(relationship)",
        message: fault.stormText(of: "The '\(relationship)' of \(fault.origin.entity) objects"),
        evidence: fault.evidence,
        fix: """
          fetch the members with their owners, in one statement more: \
          request.relationshipKeyPathsForPrefetching = ["\(relationship)"]
          """,
        saving: fault.saving)
    }
  }
}
