// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A database and its log or journal as a process has them open, whatever names they still have.
public struct RescueSource: Hashable, Sendable {
  public var process: LockingProcess
  /// The file name of the copy: `app.db`.
  public var name: String
  var database: String
  var log: String?
  var index: String?
  var journal: String?

  init(_ user: DatabaseUser, _ process: LockingProcess) {
    self.process = process
    name = user.path.split(separator: "/").last.map(String.init) ?? "database"
    func first(_ kind: UnlinkedFile.Kind) -> String? {
      user.files(kind).first.map { user.path($0.descriptor) }
    }
    database = first(.database) ?? ""
    (log, index, journal) = (first(.log), first(.walIndex), first(.journal))
  }

  /// The suffix of each file and where it is read.
  var files: [(suffix: String, path: String)] {
    [("", database)] + (log.map { [("-wal", $0)] } ?? [])
      + (journal.map { [("-journal", $0)] } ?? [])
  }

  /// The bytes of the files together.
  public var size: UInt64 {
    files.reduce(0) { $0 + (FileBytes.read($1.path, count: 0)?.size ?? 0) }
  }
}

extension LockObserver {
  /// The files that would be lost: files of processes with a deleted file, or with a log of their
  /// own; each pair of a database and a log once.
  public var rescueSources: [RescueSource] {
    let all = users.users + users.formerUsers
    let lossy = all.filter { user in
      user.files.contains { $0.kind != .walIndex && $0.isUnlinked(user.pid) }
    }
    func pair(_ user: DatabaseUser) -> [FileIdentity?] {
      [
        user.database,
        user.files(.log).first.flatMap { FileIdentity(path: user.path($0.descriptor)) },
      ]
    }
    let logs = Set(users.users.filter { !$0.files(.log).isEmpty }.map(pair))
    var seen: Set<[FileIdentity?]> = []
    // A process without the log has less than one with it.
    return (logs.count > 1 ? all : lossy)
      .sorted { $0.files.count > $1.files.count }
      .filter { user in
        seen.insert(pair(user)).inserted
          && (!user.files(.log).isEmpty
            || !seen.contains { $0[0] == user.database && $0[1] != nil })
      }
      .map { RescueSource($0, process($0.pid)) }
  }
}
