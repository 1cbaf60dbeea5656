// SPDX-License-Identifier: Apache-2.0

/// The members of many objects' relationship come with one fetch.
///
/// The first look at each object's members is one query: N objects, N + 1 queries.
///
///     for stop in try context.fetch(request) { print(stop.stopTimes.count) }
///     -- SELECT … FROM ZSTOPTIME t0 WHERE  t0.ZSTOP = ?                          15 times
///     request.relationshipKeyPathsForPrefetching = ["stopTimes"]
///     -- SELECT … FROM ZSTOPTIME t0 WHERE  t0.ZSTOP IN (…)                       once
struct AvoidRelationshipFaultStorm: Rule {
  func check(_ profile: Profile) -> [Finding] {
    profile.faults.filter {
      !$0.origin.relationship.isEmpty
        && $0.mostMissesPerFetch >= AvoidFaultStorm.fewestMisses
    }.map { fault in
      let relationship = fault.origin.relationship
      return Finding(
        rule: "AvoidRelationshipFaultStorm", severity: .warning, statement: fault.statement,
        caller: fault.origin.location,
        message: fault.stormText(of: "The '\(relationship)' of \(fault.origin.entity) objects"),
        evidence: fault.evidence,
        fix: """
          fetch the members with their owners, in one statement more: \
          request.relationshipKeyPathsForPrefetching = ["\(relationship)"]
          """,
        savesAtMost: fault.missTime)
    }
  }
}
