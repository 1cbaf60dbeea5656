// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The database files that processes have open.
public enum OpenDatabases {
  /// The paths, each once; files that were removed are left out.
  public static func paths(of processes: [Int32]) -> [String] {
    var seen: Set<FileIdentity> = []
    var paths: [String] = []
    for pid in processes {
      let folder = "/proc/\(pid)/fd"
      for descriptor in (ProcFile.numbers(in: folder) ?? []).sorted() {
        guard let path = ProcFile.link("\(folder)/\(descriptor)"), path.hasPrefix("/"),
          !["-wal", "-shm", "-journal"].contains(where: path.hasSuffix),
          let identity = FileIdentity(path: path), !seen.contains(identity), isDatabase(path)
        else { continue }
        seen.insert(identity)
        paths.append(path)
      }
    }
    return paths
  }

  /// By its first bytes; a new database is empty until its first transaction.
  private static func isDatabase(_ path: String) -> Bool {
    FileBytes.read(path, count: 16)?.bytes == Array("SQLite format 3\0".utf8)
  }
}
