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
  /// The name of the database to which its log and its journal belong, if it is another one now: SQLite
  /// names them when it opens the database.
  var formerPath: String?

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
    let names = Set(opened.map { Self.name($0.target) })
    let companions = links.compactMap { Companion($0.descriptor, Self.name($0.target)) }
    var own = companions.filter { names.contains($0.database) }
    if own.isEmpty {
      own = Self.stray(companions, of: path, first.descriptor, pid, links)
      formerPath = own.first?.database
    }
    walIndexDescriptors = own.filter { $0.suffix == "-shm" }.map(\.descriptor)
    walIndex = walIndexDescriptors.first.flatMap { FileIdentity(path: "/proc/\(pid)/fd/\($0)") }
  }

  /// Companions of a name that the process has not open.
  ///
  /// The database had that name, if there is only one of its journal mode, in its folder if possible,
  /// and no other database that it may belong to: one with a log that is in use is locked, and one with a
  /// journal is locked for writing.
  private static func stray(
    _ companions: [Companion], of path: String, _ descriptor: Int32, _ pid: Int32, _ links: [Link]
  ) -> [Companion] {
    let open = Set(links.map { name($0.target) })
    let strays = companions.filter { !open.contains($0.database) }
    func mode(_ descriptor: Int32) -> JournalMode? {
      let file = FileBytes.read("/proc/\(pid)/fd/\(descriptor)", count: 100)
      return file.map { DatabaseHeader($0.bytes).journalMode }
    }
    func isInUse(_ descriptor: Int32, _ mode: JournalMode) -> Bool {
      let locks = LockTable.locks(pid: pid, descriptor: descriptor)
        .flatMap(DatabaseLock.inDatabase)
      return mode == .wal ? !locks.isEmpty : locks.contains(where: \.isWriter)
    }
    guard !strays.isEmpty, let own = mode(descriptor) else { return [] }
    let fitting = strays.filter { ($0.suffix == "-journal") == (own != .wal) }
    let near = fitting.filter { folder($0.database) == folder(path) }
    let chosen = near.isEmpty ? fitting : near
    let owners = Set(companions.map(\.database))
    let hasOther = links.contains { link in
      let name = name(link.target)
      return name != path && !owners.contains(name) && Companion(0, name) == nil
        && (near.isEmpty || folder(name) == folder(path))
        && mode(link.descriptor) == own && isInUse(link.descriptor, own)
    }
    return hasOther || Set(chosen.map(\.database)).count != 1 ? [] : chosen
  }

  private static func folder(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
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

  /// A file that SQLite opens beside a database.
  private struct Companion {
    let descriptor: Int32
    let database: String
    let suffix: String

    init?(_ descriptor: Int32, _ name: String) {
      guard let suffix = ["-shm", "-wal", "-journal"].first(where: name.hasSuffix) else {
        return nil
      }
      self.descriptor = descriptor
      self.suffix = suffix
      database = String(name.dropLast(suffix.count))
    }
  }

  /// The name by which the process has opened the database, if that is not this one: the files beside it
  /// have that name.
  func otherName(than path: String) -> String? {
    if let formerPath { return formerPath == path ? nil : formerPath }
    // In a container the same file may be in another place.
    guard self.path != path, let opened = FileIdentity(path: self.path),
      opened == FileIdentity(path: path), !Self.isSamePlace(self.path, path)
    else { return nil }
    return self.path
  }

  /// Whether two names are one name in one folder, which is mounted twice.
  private static func isSamePlace(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    guard one.dropFirst(folder(one).count) == other.dropFirst(folder(other).count),
      stat(folder(one), &first) == 0, stat(folder(other), &second) == 0
    else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
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
