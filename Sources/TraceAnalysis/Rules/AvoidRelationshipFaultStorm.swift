// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct AvoidRelationshipFaultStorm: Rule {
  static let explanation = RuleExplanation(
    problem: "a query for each relationship",
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
      // Core Data's log has no row-cache hits.
      let readsMembers =
        workload.profile.hasCoreDataLog ? nil : workload.profile.membersRead(of: fault) > 0
      return Finding(
        rule: Self.name, confidence: .high, statement: fault.statement,
        caller: fault.origin.location, object: "\(fault.origin.entity).\(relationship)",
        message: fault.stormText(of: "The '\(relationship)' of \(fault.origin.entity) objects"),
        evidence: fault.evidence,
        fix: Self.fix(relationship, readsMembers: readsMembers),
        saving: readsMembers == true ? fault.saving : nil)
    }
  }

  private static func fix(_ relationship: String, readsMembers: Bool?) -> String {
    readsMembers != false
      ? """
      prefetch the members with their owners, in one additional statement: \
      request.relationshipKeyPathsForPrefetching = ["\(relationship)"]\
      \(readsMembers == nil ? "; if only their number is used, count them instead" : "")
      """
      : """
      only the number of members was used: count '\(relationship)' for all owners in one fetch of \
      dictionaries (count:); prefetching would load every member
      """
  }
}

extension Profile {
  /// The objects that a relationship of the same fetch returned and that were read.
  func membersRead(of fault: FaultProfile) -> UInt64 {
    faults.filter {
      $0.origin.relationship.isEmpty && $0.origin.location == fault.origin.location
        && $0.origin.entity != fault.origin.entity
    }.reduce(0) { $0.saturatingSum($1.hits.saturatingSum($1.misses)) }
  }
}
