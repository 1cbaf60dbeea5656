// SPDX-License-Identifier: Apache-2.0

import StoreEvents

struct KeepDatabaseLocal: Rule {
  static let explanation = RuleExplanation(
    problem: "a database on a network file system",
    law: "A database is on a disk of the machine that opens it.",
    reason: """
      SQLite protects a database by locks of the file and, with a write-ahead log, by shared memory. Shared memory does
      not reach other machines, and servers of files lose or grant locks wrongly: two writers at a time are possible.
      """,
    bad: """
      sqlite3.connect("/mnt/share/app.db")         # NFS, SMB, sshfs
      """,
    good: """
      sqlite3.connect("/var/lib/app/app.db")       # other machines use the program that has it open
      """,
    limits: """
      Reported by the type of the file system at the line of the connection's first statement. Folders of the host of a
      virtual machine or a container (9p, virtiofs, most of FUSE) are left out. Needs the probe's events.
      """)

  func check(_ workload: Workload) -> [Finding] {
    (workload.profile.locks?.copies ?? []).compactMap { shared in
      guard let type = shared.fileSystem else { return nil }
      return Finding(
        rule: Self.name, confidence: .high, caller: shared.location ?? .unknown,
        object: shared.path,
        message: """
          '\(shared.path)' is on \(type): locks and shared memory do not reach other machines that open it, and \
          two writers at a time damage the file.
          """,
        evidence: [],
        fix: "move it to a local disk; other machines reach it through the program that has it open"
      )
    }
  }
}
