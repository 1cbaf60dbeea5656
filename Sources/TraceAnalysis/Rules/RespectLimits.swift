// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct RespectLimits: Rule {
  static let explanation = RuleExplanation(
    problem: "a statement beyond a limit",
    law: "A statement stays within the limits of its copy of SQLite.",
    reason: """
      SQLite refuses a statement with more parameters, terms or tables than it was built for, and a value that is too long.
      A list that grows with the data fails one day, on the machine with the smallest limit first: 32,766 parameters by
      default, 250,000 on Debian, 999 before SQLite 3.32.
      """,
    bad: """
      db.execute(f"SELECT name FROM item WHERE id IN ({','.join('?' * len(ids))})", ids)
      -- SQLITE_ERROR: too many SQL variables
      """,
    good: """
      db.execute("SELECT name FROM item WHERE id IN (SELECT value FROM json_each(?))", [json.dumps(ids)])
      """,
    limits: """
      Reported from the first failure on. Failures for other reasons are in the table of errors of 'summary --all'; those
      that a program may expect, such as constraints, are no findings. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.failures ?? []).compactMap { failure in
      guard let limit = failure.limit, let end = limit.firstIndex(of: ":") else { return nil }
      let error = failure.error.split(separator: " (")[0]
      return Finding(
        rule: Self.name, confidence: .high, statement: failure.site.statement,
        caller: failure.site.location,
        message: """
          It failed \(failure.site.count.counted("time")) with \(error): \(limit[..<end]).
          """,
        evidence: [.init("failures", failure.site.count)],
        fix: String(limit[limit.index(end, offsetBy: 2)...]))
    }
  }
}
