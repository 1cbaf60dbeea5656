// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A process that has the database open, and which of its descriptors are the database's files.
struct DatabaseUser: Hashable {
  var pid: Int32
  /// The database, as the process names it.
  var path: String
  var databaseDescriptors: [Int32]
  var walIndexDescriptors: [Int32]
  var walIndex: FileIdentity?

  /// A name under which the WAL-index can be opened, also where the process sees other folders.
  var walIndexPath: String? { walIndexDescriptors.first.map { "/proc/\(pid)/fd/\($0)" } }
  var databasePath: String? { databaseDescriptors.first.map { "/proc/\(pid)/fd/\($0)" } }

  /// A file that a process has open.
  typealias Link = (descriptor: Int32, target: String)

  /// Looks through a process's descriptors; nil if it has not opened the database.
  init?(pid: Int32, _ links: [Link], database: FileIdentity) {
    let opened = links.filter {
      FileIdentity(path: "/proc/\(pid)/fd/\($0.descriptor)") == database
    }
    guard let first = opened.first else { return nil }
    self.pid = pid
    path = Self.name(first.target)
    databaseDescriptors = opened.map(\.descriptor)
    let names = Set(opened.map { Self.name($0.target) + "-shm" })
    walIndexDescriptors = links.filter { names.contains(Self.name($0.target)) }.map(\.descriptor)
    walIndex = walIndexDescriptors.first.flatMap { FileIdentity(path: "/proc/\(pid)/fd/\($0)") }
  }

  static func links(_ pid: Int32) -> [Link] {
    let folder = "/proc/\(pid)/fd"
    return (ProcFile.numbers(in: folder) ?? []).sorted().compactMap { descriptor in
      // Not pipes, sockets and the like, whose links are no paths.
      guard let target = ProcFile.link("\(folder)/\(descriptor)"), target.hasPrefix("/") else {
        return nil
      }
      return (descriptor, target)
    }
  }

  /// What the kernel puts behind the path of a file that was removed or replaced.
  static let removedSuffix = " (deleted)"

  private static func name(_ target: String) -> String {
    target.hasSuffix(removedSuffix) ? String(target.dropLast(removedSuffix.count)) : target
  }
}

/// The processes that have the database open.
struct DatabaseUsers {
  var users: [DatabaseUser] = []
  /// Processes that have another file open, which had the database's path.
  var formerUsers: [Int32] = []
  /// Processes whose descriptors may not be looked at.
  var unreadable = 0

  init(of database: FileIdentity, _ path: String) {
    let removed = path + DatabaseUser.removedSuffix
    for pid in ProcFile.numbers(in: "/proc") ?? [] where pid != getpid() {
      guard access("/proc/\(pid)/fd", R_OK | X_OK) == 0, Self.mayRead(pid) else {
        if errno == EACCES || errno == EPERM { unreadable += 1 }
        continue
      }
      let links = DatabaseUser.links(pid)
      if let user = DatabaseUser(pid: pid, links, database: database) { users.append(user) }
      let hasFormer = links.contains {
        // A process in a container may see another file by the path.
        $0.target == removed
          && FileIdentity(path: "/proc/\(pid)/fd/\($0.descriptor)")?.device == database.device
      }
      if hasFormer { formerUsers.append(pid) }
    }
    users.sort { $0.pid < $1.pid }
    formerUsers.sort()
  }

  private static func mayRead(_ pid: Int32) -> Bool {
    guard let directory = opendir("/proc/\(pid)/fd") else { return false }
    closedir(directory)
    return true
  }
}
