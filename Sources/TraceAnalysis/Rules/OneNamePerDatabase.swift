// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct OneNamePerDatabase: Rule {
  static let explanation = RuleExplanation(
    problem: "two names of one database file",
    law: "All programs open a database under one name.",
    reason: """
      SQLite finds the log and the journal by the name of the file. Under a second name, that of a hard link or of a file
      that was renamed, there is a second log: its programs do not see the commits in the first one, and both logs overwrite
      the same pages.
      """,
    bad: """
      os.link("app.db", "current.db")
      a = sqlite3.connect("app.db"); b = sqlite3.connect("current.db")
      """,
    good: """
      os.symlink("app.db", "current.db")   # SQLite follows it to the one name
      """,
    limits: """
      Reported if a connection under one name runs a statement after another one was opened under a name with a different
      last part, with the line of the first statement of the second one. Names that differ in their folders only are those
      of a mount, and are left out. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.copies ?? []).compactMap { shared in
      guard let names = shared.names else { return nil }
      return Finding(
        rule: Self.name, confidence: .high, caller: shared.location ?? .unknown,
        object: shared.path,
        message: """
          '\(names.joined(separator: "' and '"))' are one file, and each name has a log or journal of its own: commits get \
          lost, or the file gets malformed.
          """,
        evidence: [.init("names", names.count)],
        fix: "open the database under one name; a symbolic link is one, a hard link is not")
    }
  }
}
