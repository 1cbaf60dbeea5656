// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

struct AvoidWholeRelationship: Rule {
  // 1,000 is arbitrary: forty screens.
  private static let minRows = 1000.0
  private static let minPartRead = 0.25

  static let explanation = RuleExplanation(
    problem: "a relationship that is loaded as a whole",
    law: "A large relationship is read as a whole only if its members are used.",
    reason: """
      The first access to a to-many relationship reads all its members, also for their number or for one of them.
      """,
    bad: """
      print(route.stopTimes.count)
      -- SELECT … FROM ZSTOPTIME t0 WHERE  t0.ZROUTE = ?          12,000 rows
      """,
    good: """
      let request = FetchRequest<StopTime>(predicate: try FetchPredicate("route == %@", route))
      print(try context.count(request))
      -- SELECT COUNT(*) FROM ZSTOPTIME t0 WHERE  t0.ZROUTE = ?   one number
      """,
    limits: """
      Reported when the relationship of an object has 1,000 members or more on average, and fewer than a quarter of them
      were read. Core Data's log does not show which members were read, so the finding is a note. The relationships of ten
      objects or more of one fetch are reported as AvoidRelationshipFaultStorm, and a relationship of an entity to itself
      is not reported.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.profile.faults.compactMap { fault in
      guard !fault.origin.relationship.isEmpty, !fault.isStorm, fault.misses > 0,
        Double(fault.rows) >= Self.minRows * Double(fault.misses),
        !workload.profile.isOfOneEntity(fault)
      else { return nil }
      guard !workload.profile.hasCoreDataLog else { return finding(fault, read: nil) }
      let read = workload.profile.membersRead(of: fault)
      return Double(read) < Double(fault.rows) * Self.minPartRead ? finding(fault, read: read) : nil
    }
  }

  private func finding(_ fault: FaultProfile, read: UInt64?) -> Finding {
    let used = read.map { "; \($0.grouped) of them \($0 == 1 ? "was" : "were") read" } ?? ""
    return Finding(
      rule: Self.name, severity: read == nil ? .note : .warning,
      confidence: read == nil ? .low : .medium, statement: fault.statement,
      caller: fault.origin.location, object: "\(fault.origin.entity).\(fault.origin.relationship)",
      message: """
        All members of '\(fault.origin.relationship)' were read: \(fault.rows.counted("row")) for \
        \(fault.misses.counted("\(fault.origin.entity) object"))\(used).
        """,
      evidence: [
        .init("queries", fault.misses), .init("rows", fault.rows), .init("missNs", fault.missTime),
      ] + (read.map { [.init("membersRead", $0)] } ?? []),
      fix: """
        if only their number is needed, count them in a request with the inverse relationship in its \
        predicate; for some of them, fetch with that predicate, a sort and a fetchLimit
        """)
  }
}

extension Profile {
  /// Whether a relationship leads to the entity that has it.
  fileprivate func isOfOneEntity(_ fault: FaultProfile) -> Bool {
    guard let sql = fault.statement.flatMap({ statement($0)?.sql }) else { return false }
    return StatementClauses(sql: sql).tables.contains("z" + fault.origin.entity.lowercased())
  }
}
