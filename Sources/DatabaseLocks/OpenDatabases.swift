// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The database files that processes have open.
public enum OpenDatabases {
  /// The paths, each once; files that were removed are left out.
  public static func paths(of processes: [Int32]) -> [String] {
    databases(of: processes).filter { FileIdentity(path: $0.path) == $0.identity }.map(\.path)
  }

  /// A database and a process that has it open.
  struct Database: Hashable {
    /// As the process names it, without the kernel's remark about a removed file.
    var path: String
    var identity: FileIdentity
    /// A name by which the file can be opened.
    var opened: String
  }

  /// Each file once; also files that were removed while in use.
  static func databases(of processes: [Int32]) -> [Database] {
    var seen: Set<FileIdentity> = []
    var found: [Database] = []
    for pid in processes {
      for link in DatabaseUser.links(pid) {
        let path = OpenFile.name(link.target)
        let opened = "/proc/\(pid)/fd/\(link.descriptor)"
        // Not SQLite's own temporary files, which have no name from the start.
        guard !["-wal", "-shm", "-journal"].contains(where: path.hasSuffix),
          !path.contains("/etilqs_"), let identity = FileIdentity(path: opened),
          seen.insert(identity).inserted,
          isDatabase(opened)
        else { continue }
        found.append(Database(path: path, identity: identity, opened: opened))
      }
    }
    return found
  }

  /// An observer for each database that a visible process of this host has open.
  public static func observers() -> [LockObserver] {
    let pids = (ProcFile.numbers(in: "/proc") ?? []).filter { $0 != getpid() }.sorted()
    return databases(of: pids).compactMap { LockObserver($0) }
      .sorted { ($0.path, $0.identity.inode) < ($1.path, $1.identity.inode) }
  }

  /// The number of processes with open files that cannot be listed.
  public static var unreadableProcesses: Int {
    (ProcFile.numbers(in: "/proc") ?? []).count { access("/proc/\($0)/fd", R_OK | X_OK) != 0 }
  }

  /// By its first bytes; a new database is empty until its first transaction.
  private static func isDatabase(_ path: String) -> Bool {
    FileBytes.read(path, count: 16)?.bytes == Array("SQLite format 3\0".utf8)
  }
}
