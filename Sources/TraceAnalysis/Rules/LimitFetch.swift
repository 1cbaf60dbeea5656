// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct LimitFetch: Rule {
  // 5,000 is arbitrary: a hundred screens.
  static let minRows = 5000.0
  // A quarter of them read: the others were hardly fetched for nothing.
  static let minPartRead = 0.25

  static let explanation = RuleExplanation(
    problem: "a fetch without a limit",
    law: "A fetch is limited to the objects used, by a predicate, a limit or a batch size.",
    reason: "Rows that are not used are still read, copied and kept in memory.",
    bad: """
      let all = try context.fetch(FetchRequest<Stop>())       // 12,800 objects, for a screen of 25
      SELECT … FROM ZSTOP t0
      """,
    good: """
      request.fetchBatchSize = 50                             // about twice the number of visible rows
      SELECT 0, t0.Z_PK FROM ZSTOP t0 ORDER BY t0.Z_PK        -- then 50 rows at a time, as they are read
      """,
    limits: """
      Reported when a run fetches 5,000 objects or more without a limit and without a batch size. If they were fetched
      as faults and a quarter of them or more were read, the fetch is not reported. If none fired, the trace does not
      show how many were used, and the finding is a note. Counts, ids and dictionaries are not reported.
      """)

  func check(_ workload: Workload) -> [Finding] {
    workload.findings { statement in
      let work = statement.work
      guard statement.kinds.contains(.objects), work.limited == 0, work.batched == 0,
        work.perRun(\.rows) >= Self.minRows
      else { return nil }
      let read = workload.profile.objectsRead(of: statement.profile)
      if Double(read) >= Double(work.rows) * Self.minPartRead { return nil }
      return finding(statement, read: read)
    }
  }

  private func finding(_ statement: JudgedStatement, read: UInt64) -> Finding {
    let work = statement.work
    let objects = work.perRun(\.rows).counted("object")
    let used = read > 0 ? "; \(read.counted("object was", "objects were")) read" : ""
    let unread = 1 - Double(read) / Double(max(work.rows, 1))
    return Finding(
      rule: Self.name, severity: read > 0 ? .warning : .note, confidence: read > 0 ? .high : .low,
      statement: statement.id, caller: statement.profile.mainCaller,
      message: "Each run fetches all of \(objects) at once\(used)\(statement.runsText).",
      evidence: [
        .init("runs", work.count), .init("rows", work.rows), .init("objectsRead", read),
        .init("totalNs", work.totalTime),
      ],
      fix: """
        set request.fetchBatchSize to about twice the number of visible rows, or a fetchLimit; if \
        only the number is needed, use count(_:)
        """,
      saving: read > 0
        ? .init(
          atMost: Int64(exactly: (Double(work.totalTime) * unread).rounded()) ?? 0,
          basis: "the fetch's time for objects that were not read") : nil)
  }
}

extension Profile {
  /// Faults of a statement's entity that fired on objects which its lines of code had fetched.
  fileprivate func objectsRead(of statement: StatementProfile) -> UInt64 {
    let lines = Set(statement.callers.map(\.location))
    return faults.filter {
      $0.origin.relationship.isEmpty && $0.origin.entity == statement.entity
        && lines.contains($0.origin.location)
    }.reduce(0) { $0 &+ $1.hits &+ $1.misses }
  }
}
