// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct HandleCorruption: Rule {
  static let explanation = RuleExplanation(
    problem: "a damaged or unreadable file",
    law: "No statement fails because the database file is damaged, or cannot be read or written.",
    reason: """
      The first failure is nearest to the cause. The ones after it are consequences, and each further write may damage
      more: a program that continues overwrites what a repair needs.
      """,
    bad: """
      UPDATE account SET total = 1     -- SQLITE_CORRUPT, 18,232 times: the program tries again
      """,
    good: """
      UPDATE account SET total = 1     -- SQLITE_CORRUPT: the program ends, and the file is checked
      """,
    limits: """
      Reported from the first failure on, at the statement that failed first, for SQLITE_CORRUPT, SQLITE_NOTADB,
      SQLITE_IOERR and SQLITE_FULL of a database in a file; a note for SQLITE_READONLY, which a program may intend. What damaged the file may
      be another program, or an earlier run. The message names what recorded programs did with the file before. Needs the probe's events.
      """)

  /// The advice, by the code's name.
  private static let fixes: [(code: String, fix: String)] = [
    (
      "SQLITE_CORRUPT",
      "stop writing, copy the file with its -wal and -journal, and run 'trace-report check' on the copy; "
        + "'trace-report locks' names a program that endangers the file: Documentation/Corruption.md"
    ),
    (
      "SQLITE_NOTADB",
      "check which file is opened, whether it is encrypted, and whether a program has written over its "
        + "header: 'trace-report check'"
    ),
    (
      "SQLITE_IOERR",
      "check the disk and the file system (dmesg), and then the file: 'trace-report check'"
    ),
    (
      "SQLITE_FULL",
      "free space on the disk of the database and of its log, or raise max_page_count"
    ),
    (
      "SQLITE_READONLY",
      "make the file and its folder writable, or open a file that was moved or replaced again"
    ),
  ]

  /// The sentence of a cause: ` 12 ms before, python3 at app.py:3 opened and closed the database file.`.
  private static func sentence(_ cause: FailureCause) -> String {
    let locationText = cause.location.text.map { " at \($0)" } ?? ""
    return
      " \(cause.before.millisecondsText) before, \(cause.process)\(locationText) \(cause.action)."
  }

  func check(_ workload: Workload) -> [Finding] {
    Self.fixes.compactMap { code, fix in
      let failures = (workload.profile.locks?.failures ?? []).filter {
        $0.error.hasPrefix(code) && $0.isInMemory != true
      }
      let first = failures.min {
        ($0.first ?? .max, $0.site.sortKey) < ($1.first ?? .max, $1.site.sortKey)
      }
      guard let first else { return nil }
      let count = failures.reduce(UInt64(0)) { $0.saturatingSum($1.site.count) }
      let others = failures.count - 1
      return Finding(
        rule: Self.name, severity: code == "SQLITE_READONLY" ? .note : .warning, confidence: .high,
        statement: first.site.statement, caller: first.site.location,
        message: """
          It failed first with \(first.error)\(others == 0
            ? "" : "; \(others.counted("other statement or line", "other statements or lines")) followed"), \
          \(count.counted("time")) in all.\((first.causes ?? []).map(Self.sentence).joined())
          """,
        evidence: [.init("failures", count)], fix: fix)
    }
  }
}
