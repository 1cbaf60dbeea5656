// SPDX-License-Identifier: Apache-2.0

extension Hazard: CustomStringConvertible {
  /// Sentences: the fact, then the advice.
  public var description: String { "\(fact) \(advice)" }

  private var names: String {
    users.map { "\($0.process.program)[\($0.process.pid)]" }.joined(separator: ", ")
  }

  private var verb: String { users.count == 1 ? "has" : "have" }

  /// The problem, and the possible loss.
  public var fact: String {
    switch self {
    case .noDatabase:
      "The file is not an SQLite database, or it is encrypted."
    case .hotJournal(let path):
      "The journal '\(path)' is hot: a program ended within a transaction."
    case .unlinked(let file): file.fact(names: names, verb: verb)
    case .otherName(let name, _):
      "\(names) opened the file as '\(name)', so its log and journal have that name: another program "
        + "that opens the file by this name does not find them, and the database becomes corrupt."
    case .severalLogs(let logs, _):
      "\(names) use different logs for this database (\(logs.joined(separator: ", "))): each "
        + "overwrites the commits of the others."
    case .lostLocks(let part, _, let frames):
      part.fact(names)
        + (frames > 0 ? " The log grew by \(frames) frames while no process held its lock." : "")
    case .usedAfterFork:
      "\(names) uses a connection that it inherited by fork(): both processes write with one "
        + "state of the locks, and the database becomes corrupt."
    case .severalImages(let images, _):
      "\(names) has this database open through two copies of SQLite (\(Self.list(images))): when "
        + "one of them closes the file, the locks of the other are cancelled, and its log may be "
        + "deleted."
    case .networkFileSystem(let type):
      "The database is on a file system that is shared over a network (\(type)). Locks may not "
        + "reach other machines, and a write-ahead log works on one machine only."
    case .possiblySeveralImages(let images, _):
      "\(names) has two copies of SQLite loaded (\(Self.list(images))) and this database open more "
        + "than once. If both copies open it, one of them cancels the other's locks."
    case .unlockedTransaction:
      "\(names) is in a write transaction and holds no lock: it opened the file with nolock=1, or its "
        + "locks were cancelled. No other program has the file open."
    case .inherited:
      "\(names) has a connection open without locks. It is a child by fork(): it inherited the connection "
        + "and has not used it so far, or its locks were cancelled."
    case .resetRace(let versions, _):
      "\(names) \(verb) this log open with \(versions.joined(separator: " and ")), in which a "
        + "checkpoint that races with a commit can lose that commit; this is rare."
    case .otherProgram:
      "\(names) has a file of this database open and contains no SQLite: perhaps a copy under way."
    }
  }

  /// The advice.
  public var advice: String {
    switch self {
    case .noDatabase: "Its locks are listed in case it is encrypted."
    case .hotJournal:
      "The next connection that reads, and may write, rolls it back. Do not remove it, and do not "
        + "copy or move the database without it: the database file alone is corrupt."
    case .unlinked(let file): file.advice
    case .otherName: "End the programs, then use one name."
    case .severalLogs:
      "Save what they have first (--rescue DIR), end the programs, then use one path."
    case .lostLocks:
      "Restart the program now, and check the database: trace-report check. The program, or a "
        + "library in it, opened and closed the file itself, or contains a second SQLite: read the "
        + "file through SQLite only, or from another process."
    case .usedAfterFork:
      "Restart the programs. Open a connection after fork(), in the process that uses it."
    case .severalImages: "Use one copy of SQLite in a process: see the two files."
    case .networkFileSystem:
      "Keep the database on a local disk; other machines can use it through a server."
    case .possiblySeveralImages: "Use one copy of SQLite in a process."
    case .unlockedTransaction: "Open the file in no other program meanwhile."
    case .inherited: "It must neither use nor close it. Open connections after fork()."
    case .resetRace: "Use SQLite 3.51.3 or later, or a version with the fix: 3.50.7, 3.44.6."
    case .otherProgram:
      "A copy of a database in use is corrupt, or lacks its log: use '.backup' or VACUUM INTO."
    }
  }

  private static func list(_ images: [SQLiteImage]) -> String {
    images.map { "\($0.name) in \($0.path)" }.joined(separator: ", ")
  }
}

extension Hazard.LockedPart {
  fileprivate func fact(_ name: String) -> String {
    switch self {
    case .walIndex:
      "\(name) uses this database without locks: those of its -shm file were cancelled. It and "
        + "other programs can write at the same time, and overwrite each other's commits."
    case .database:
      "\(name) has the log in use without a lock of the database file: it was cancelled. Another "
        + "program that closes the database may delete the log, and the commits in it."
    case .journal:
      "\(name) is in a write transaction and holds no lock of the database file: its locks were "
        + "cancelled, or it opened the file with nolock=1. Another program can write at the same "
        + "time."
    }
  }
}

extension UnlinkedFile {
  fileprivate func fact(names: String, verb: String) -> String {
    let event = isReplaced ? "replaced" : "deleted"
    switch kind {
    case .database:
      return "The database '\(path)' was \(event) while in use: \(names) still \(verb) the older "
        + "file open (\(size) bytes)\(isHarmless ? "." : ", and what is written to it is lost.")"
    case .log:
      let start =
        "The log '\(path)' was \(event) while in use; \(names) still \(verb) it open "
        + "(\(size) bytes)"
      guard !isHarmless else { return "\(start). All of it is in the database file." }
      guard let transactions, transactions > 0 else {
        return "\(start): other programs do not see its commits, which are lost when the program "
          + "ends."
      }
      let count = "\(transactions) committed transaction\(transactions == 1 ? "" : "s")"
      return "\(start), with \(count) that no other program sees. These commits are lost when the "
        + "program is killed."
    case .walIndex:
      return "The file '\(path)' was \(event) while in use; \(names) still \(verb) it open"
        + (isHarmless
          ? "." : ": programs that open the database now do not see the locks, nor the commits.")
    case .journal:
      return "The journal '\(path)' was \(event) within a transaction of \(names): if the "
        + "program ends now, the transaction cannot be rolled back, and the database is corrupt."
    }
  }

  fileprivate var advice: String {
    if isHarmless { return "Restart the program if this was not intended." }
    switch kind {
    case .database, .log:
      return "Save it now: trace-report locks DATABASE --rescue DIR. Then stop the programs."
    case .walIndex:
      return "Stop all programs that use the database, in the usual way, and start them again."
    case .journal:
      return "Do not end the program before its transaction has ended."
    }
  }
}
