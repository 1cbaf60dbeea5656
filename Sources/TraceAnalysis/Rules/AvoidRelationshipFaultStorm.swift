// SPDX-License-Identifier: Apache-2.0

/// The members of a relationship of many objects are fetched together.
struct AvoidRelationshipFaultStorm: Rule {
  static let explanation = RuleExplanation(
    law: "The members of a relationship of many objects are fetched together.",
    reason: "The first access to each object's members is one query: N objects, N + 1 queries.",
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
      Reported when the relationships of ten objects or more of one fetch miss the row cache. If no member was read
      afterwards, only their number was used, and the fix is a count: prefetching would load members that are never
      read. Prefetched members are not reported.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.profile.faults.filter { !$0.origin.relationship.isEmpty && $0.isStorm }.map { fault in
      let relationship = fault.origin.relationship
      return Finding(
        rule: Self.name, confidence: .high, statement: fault.statement,
        caller: fault.origin.location, object: "\(fault.origin.entity).\(relationship)",
        message: fault.stormText(of: "The '\(relationship)' of \(fault.origin.entity) objects"),
        evidence: fault.evidence,
        fix: Self.fix(relationship, readsMembers: workload.profile.readsMembers(of: fault)),
        saving: workload.profile.readsMembers(of: fault) ? fault.saving : nil)
    }
  }

  private static func fix(_ relationship: String, readsMembers: Bool) -> String {
    readsMembers
      ? """
      prefetch the members with their owners, in one additional statement: \
      request.relationshipKeyPathsForPrefetching = ["\(relationship)"]
      """
      : """
      only the number of members was used: count '\(relationship)' for all owners in one fetch of \
      dictionaries (count:); prefetching would load every member
      """
  }
}

extension Profile {
  /// Whether values were read from objects that a relationship of the same fetch returned.
  fileprivate func readsMembers(of fault: FaultProfile) -> Bool {
    faults.contains {
      $0.origin.relationship.isEmpty && $0.origin.location == fault.origin.location
        && $0.origin.entity != fault.origin.entity && $0.hits &+ $0.misses > 0
    }
  }
}
