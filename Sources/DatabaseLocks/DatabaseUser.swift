// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A process that has the database open, and which of its descriptors are the database's files.
struct DatabaseUser: Hashable {
  var pid: Int32
  /// The database, as the process names it.
  var path: String
  var database: FileIdentity
  /// The database's descriptors, then descriptors of its log, its index and its journal.
  var files: [OpenFile]
  var walIndex: FileIdentity?
  /// The name of the database to which its log and its journal belong, if it is another one now: SQLite
  /// names them when it opens the database.
  var formerPath: String?

  var databaseDescriptors: [Int32] { files(.database).map(\.descriptor) }
  var walIndexDescriptors: [Int32] { files(.walIndex).map(\.descriptor) }
  /// A name under which the WAL-index can be opened, also where the process sees other folders.
  var walIndexPath: String? { walIndexDescriptors.first.map(path) }
  var databasePath: String? { databaseDescriptors.first.map(path) }

  func files(_ kind: UnlinkedFile.Kind) -> [OpenFile] { files.filter { $0.kind == kind } }

  /// A name under which a descriptor of the process can be opened.
  func path(_ descriptor: Int32) -> String { "/proc/\(pid)/fd/\(descriptor)" }

  /// A file that a process has open.
  typealias Link = (descriptor: Int32, target: String)

  /// Looks through a process's descriptors; nil if it has not opened the database.
  init?(pid: Int32, _ links: [Link], database: FileIdentity) {
    let opened = links.filter {
      FileIdentity(path: "/proc/\(pid)/fd/\($0.descriptor)") == database
    }
    guard let first = opened.first else { return nil }
    self.pid = pid
    self.database = database
    path = OpenFile.name(first.target)
    let names = Set(opened.map { OpenFile.name($0.target) })
    let companions = links.compactMap { Companion($0) }
    var own = companions.filter { names.contains($0.database) }
    if own.isEmpty {
      own = Self.stray(companions, of: path, first.descriptor, pid, links)
      formerPath = own.first?.database
    }
    files =
      opened.map { OpenFile(kind: .database, descriptor: $0.descriptor, target: $0.target) }
      + own.map(\.file)
    walIndex = walIndexPath.flatMap { FileIdentity(path: $0) }
  }

  /// Companions of a name that the process has not open.
  ///
  /// The database had that name, if there is only one of its journal mode, in its folder if possible,
  /// and no other database that it may belong to: one with a log that is in use is locked, and one with a
  /// journal is locked for writing.
  private static func stray(
    _ companions: [Companion], of path: String, _ descriptor: Int32, _ pid: Int32, _ links: [Link]
  ) -> [Companion] {
    let open = Set(links.map { OpenFile.name($0.target) })
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
    // A child of a fork has the descriptors of its parent, and none of its locks.
    guard !strays.isEmpty, let own = mode(descriptor), isInUse(descriptor, own) else { return [] }
    let fitting = strays.filter { ($0.file.kind == .journal) == (own != .wal) }
    let near = fitting.filter { folder($0.database) == folder(path) }
    let chosen = near.isEmpty ? fitting : near
    let owners = Set(companions.map(\.database))
    let hasOther = links.contains { link in
      let name = OpenFile.name(link.target)
      return name != path && !owners.contains(name) && Companion(link) == nil
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
      // Not pipes, sockets and similar descriptors: their links are no paths.
      guard let target = ProcFile.link("\(folder)/\(descriptor)"), target.hasPrefix("/") else {
        return nil
      }
      return (descriptor, target)
    }
  }

  /// A file that SQLite opens beside a database.
  private struct Companion {
    let file: OpenFile
    let database: String

    private static let kinds: [(suffix: String, kind: UnlinkedFile.Kind)] = [
      ("-shm", .walIndex), ("-wal", .log), ("-journal", .journal),
    ]

    init?(_ link: Link) {
      let name = OpenFile.name(link.target)
      guard let (suffix, kind) = Self.kinds.first(where: { name.hasSuffix($0.suffix) }) else {
        return nil
      }
      file = OpenFile(kind: kind, descriptor: link.descriptor, target: link.target)
      database = String(name.dropLast(suffix.count))
    }
  }

  /// The name by which the process has opened the database, if that is not this one: the files beside it
  /// have that name.
  func otherName(than path: String) -> String? {
    if let formerPath { return formerPath == path ? nil : formerPath }
    // In a container the same file may be at another path.
    guard self.path != path, let opened = FileIdentity(path: self.path),
      opened == FileIdentity(path: path), !Self.isSameEntry(self.path, path)
    else { return nil }
    return self.path
  }

  /// Whether two names are one name in one folder, which is mounted twice.
  private static func isSameEntry(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    guard one.dropFirst(folder(one).count) == other.dropFirst(folder(other).count),
      stat(folder(one), &first) == 0, stat(folder(other), &second) == 0
    else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }
}

/// The processes that have the database open.
struct DatabaseUsers {
  var users: [DatabaseUser] = []
  /// Processes that have another file open, which had the database's path.
  var formerUsers: [DatabaseUser] = []
  /// Processes with descriptors that may not be read.
  var unreadable = 0

  init(of database: FileIdentity, _ path: String) {
    for pid in ProcFile.numbers(in: "/proc") ?? [] where pid != getpid() {
      guard access("/proc/\(pid)/fd", R_OK | X_OK) == 0, Self.mayRead(pid) else {
        if errno == EACCES || errno == EPERM { unreadable += 1 }
        continue
      }
      add(pid, database, path)
    }
    users.sort { $0.pid < $1.pid }
    formerUsers.sort { $0.pid < $1.pid }
  }

  /// Searches a deleted file among the open files of processes.
  ///
  /// - Returns: the path without links, and one by which the file can be opened; nil if no process has it.
  static func removed(_ path: String) -> (path: String, opened: String)? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.dropLast().joined(separator: "/")
    let start = parts.count == 1 ? "." : folder.isEmpty ? "/" : folder
    guard let name = parts.last, !name.isEmpty else { return nil }
    var file = path
    if let resolved = realpath(start, nil) {
      file = String(cString: resolved) + "/" + name
      free(resolved)
    }
    for pid in ProcFile.numbers(in: "/proc") ?? [] where pid != getpid() {
      for link in DatabaseUser.links(pid) where link.target == file + OpenFile.removedSuffix {
        return (file, "/proc/\(pid)/fd/\(link.descriptor)")
      }
    }
    return nil
  }

  /// Looks at the same processes again.
  func again(_ database: FileIdentity, _ path: String) -> Self {
    var result = self
    result.users = []
    result.formerUsers = []
    for pid in Set((users + formerUsers).map(\.pid)).sorted() { result.add(pid, database, path) }
    return result
  }

  private mutating func add(_ pid: Int32, _ database: FileIdentity, _ path: String) {
    let links = DatabaseUser.links(pid)
    if let user = DatabaseUser(pid: pid, links, database: database) { users.append(user) }
    let removed = path + OpenFile.removedSuffix
    for former in Set(
      links.filter { $0.target == removed }
        .compactMap { FileIdentity(path: "/proc/\(pid)/fd/\($0.descriptor)") })
    // A process in a container may see another file by the path.
    where former.device == database.device && former != database {
      if let user = DatabaseUser(pid: pid, links, database: former) { formerUsers.append(user) }
    }
  }

  private static func mayRead(_ pid: Int32) -> Bool {
    guard let directory = opendir("/proc/\(pid)/fd") else { return false }
    closedir(directory)
    return true
  }
}
