// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Signs of hazards at one moment.
///
/// Most of it is also seen for some microseconds while connections open and close: ``HazardSearch`` looks
/// several times.
struct HazardLook {
  /// A sign that stays the same from look to look.
  enum Suspicion: Hashable {
    case hotJournal(inode: UInt64, size: Int64, modified: Int, nanoseconds: Int)
    case unlinked(UnlinkedFile.Kind, FileIdentity)
    case lostLocks(Int32)
    case forked(Int32)
    case images(Int32)
    case otherProgram(Int32)
    /// A sign for which one look is enough.
    case certain(String)
  }

  private(set) var found: [Suspicion: Hazard] = [:]
  let users: [UserLook]
  let formerUsers: [UserLook]
  private let database: ObservedFiles

  /// The facts about the database that do not change from look to look.
  struct ObservedFiles {
    var path: String
    var isWAL: Bool
    /// Whether the user named the database, rather than that it was found open.
    var isNamed: Bool
    /// Whether the kernel lists all locks of the file system's files.
    var showsLocks: Bool
    /// Whether a lock of the database that is not a user's excludes other writers.
    var isWriteLocked: () -> Bool
    var process: (Int32) -> HazardousProcess
    var images: (Int32, ProcessMap?) -> [SQLiteImage]?
  }

  init(_ found: DatabaseUsers, _ database: ObservedFiles) {
    self.database = database
    users = found.users.map(UserLook.init)
    formerUsers = found.formerUsers.map(UserLook.init)
    addUnlinkedFiles()
    addLostLocks()
    addJournal()
    addNames()
    addImages()
  }

  /// Whether another look can only confirm it.
  var needsAnotherLook: Bool {
    found.keys.contains { if case .certain = $0 { false } else { true } }
  }

  private func process(_ look: UserLook) -> HazardousProcess { database.process(look.user.pid) }

  // MARK: - Files without a name

  private mutating func addUnlinkedFiles() {
    for look in users + formerUsers {
      for file in look.user.files where file.isUnlinked(look.user.pid) {
        guard var unlinked = unlinkedFile(file, look), let identity = identity(file, look) else {
          continue
        }
        let key = Suspicion.unlinked(file.kind, identity)
        if case .unlinked(let known)? = found[key] {
          unlinked.users = known.users + unlinked.users.filter { !known.users.contains($0) }
          unlinked.isHarmless = unlinked.isHarmless && known.isHarmless
        }
        found[key] = .unlinked(unlinked)
      }
    }
  }

  private func identity(_ file: OpenFile, _ look: UserLook) -> FileIdentity? {
    FileIdentity(path: look.user.path(file.descriptor))
  }

  private func unlinkedFile(_ file: OpenFile, _ look: UserLook) -> UnlinkedFile? {
    var status = stat()
    guard stat(look.user.path(file.descriptor), &status) == 0 else { return nil }
    let root = "/proc/\(look.user.pid)/root"
    var result = UnlinkedFile(
      kind: file.kind, path: file.name, isReplaced: access(root + file.name, F_OK) == 0,
      size: UInt64(max(status.st_size, 0)), since: Self.removal(status), users: [process(look)])
    switch file.kind {
    case .database: result.isHarmless = isHarmless(file, look, isReplaced: result.isReplaced)
    case .log:
      let rest = Self.unsaved(file, look)
      (result.frames, result.transactions) = (rest?.frames, rest?.transactions)
      result.isHarmless = rest?.frames == 0 && !look.hasLocks
    case .walIndex: result.isHarmless = !look.hasLocks
    case .journal:
      // Otherwise a connection looked whether the journal is hot.
      guard look.databaseLocks.contains(where: \.isWriter) else { return nil }
    }
    return result
  }

  /// A file that is only read, one that a child inherited and does not use, or one that its program removed
  /// itself to keep it private.
  private func isHarmless(_ file: OpenFile, _ look: UserLook, isReplaced: Bool) -> Bool {
    if look.user.files(.database).allSatisfy({ $0.isReadOnly(look.user.pid) }) { return true }
    if !look.hasLocks, look.isForked { return true }
    let folder = file.name.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/"
    let isTemporary = ["/tmp/", "/var/tmp/", "/dev/shm/"].contains(where: folder.hasPrefix)
    return !isReplaced && !database.isNamed
      && (isTemporary || access("/proc/\(look.user.pid)/root\(folder)", F_OK) != 0)
  }

  /// Frames and transactions of a log that are not in the database file; nil if unknown.
  private static func unsaved(
    _ file: OpenFile, _ look: UserLook
  ) -> (frames: UInt64, transactions: UInt64)? {
    guard let index = look.index, index.validity == .valid else { return nil }
    guard index.frames > index.checkpointed else { return (0, 0) }
    let frames = WALFrames(path: look.user.path(file.descriptor), maxFrames: index.frames)
    let transactions = frames?.transactions(after: index.checkpointed, to: index.frames) ?? 0
    return (UInt64(index.frames - index.checkpointed), transactions)
  }

  /// When a file lost its name: a write changes both times.
  private static func removal(_ status: stat) -> Int64? {
    let changed = status.st_ctim
    let written = status.st_mtim
    guard (changed.tv_sec, changed.tv_nsec) > (written.tv_sec, written.tv_nsec) else { return nil }
    return Int64(changed.tv_sec) * 1_000_000_000 + Int64(changed.tv_nsec)
  }

  // MARK: - Locks

  private mutating func addLostLocks() {
    for look in users + formerUsers where database.showsLocks && !look.mapped.isEmpty {
      guard !look.isConnected || !look.sharesDatabase else { continue }
      let user = process(look)
      let parents = (users + formerUsers).filter {
        look.ancestors.contains($0.user.pid) && !$0.mapped.isDisjoint(with: look.mapped)
      }
      if !parents.isEmpty || look.isForked {
        found[.forked(look.user.pid)] = look.hasLocks ? .usedAfterFork(user) : .inherited(user)
      } else if look.hasLocks || !isRemoved(look) {
        found[.lostLocks(look.user.pid)] = .lostLocks(
          look.isConnected ? .database : .walIndex, user, frames: 0)
      }
    }
  }

  private func isRemoved(_ look: UserLook) -> Bool {
    look.user.files(.walIndex).allSatisfy { $0.isUnlinked(look.user.pid) }
  }

  private mutating func addJournal() {
    guard !database.isWAL, database.showsLocks else { return }
    let path = database.path + "-journal"
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let bytes = FileBytes.read(path, count: 28)?.bytes, bytes.count == 28,
      bytes.contains(where: { $0 != 0 }), !database.isWriteLocked(),
      !users.contains(where: { $0.databaseLocks.contains { $0.isWriter || $0 == .wholeFile } })
    else { return }
    let holders = users.filter { look in
      look.user.files(.journal).contains {
        identity($0, look)?.inode == UInt64(status.st_ino) && !$0.isReadOnly(look.user.pid)
      }
    }
    if let holder = holders.first {
      // A connection with nolock=1 looks the same, and harms no other one if there is none.
      found[.lostLocks(holder.user.pid)] =
        users.count > 1
        ? .lostLocks(.journal, process(holder), frames: 0) : .unlockedTransaction(process(holder))
    } else if RollbackJournal.isHeader(bytes) {
      found[
        .hotJournal(
          inode: UInt64(status.st_ino), size: Int64(status.st_size),
          modified: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)] =
        .hotJournal(path: path)
    }
  }

  // MARK: - Names

  private mutating func addNames() {
    let indexes = Dictionary(
      grouping: users.filter { $0.user.walIndex != nil && !isRemoved($0) }, by: \.user.walIndex)
    if indexes.count > 1 {
      let users = indexes.values.flatMap { $0 }
      let logs = Set(users.map { ($0.user.formerPath ?? $0.user.path) + "-wal" }).sorted()
      found[.certain("severalLogs")] = .severalLogs(logs, users: users.map(process).sorted())
      return
    }
    let others = Dictionary(grouping: users) { $0.user.otherName(than: database.path) }
    for case (let name?, let users) in others {
      found[.certain("otherName \(name)")] = .otherName(name, users: users.map(process).sorted())
    }
  }

  // MARK: - Copies of SQLite

  private mutating func addImages() {
    var racing: [(look: UserLook, names: [String])] = []
    for look in users {
      let images = database.images(look.user.pid, look.map)
      let isMappedTwice = look.user.files(.walIndex).contains { file in
        (look.map?.addresses(of: [file.target]).count ?? 0) > 1
      }
      if isMappedTwice, look.mapped.count > 1 {
        found[.images(look.user.pid)] = .severalImages(images ?? [], process(look))
      } else if let images, images.count > 1, !database.isWAL,
        look.user.databaseDescriptors.count > 1
      {
        found[.images(look.user.pid)] = .possiblySeveralImages(images, process(look))
      }
      if let images, images.isEmpty, look.mapped.isEmpty, !look.hasLocks {
        found[.otherProgram(look.user.pid)] = .otherProgram(process(look))
      }
      let old = Set((images ?? []).filter { !$0.hasResetFix }.map(\.name)).sorted()
      if !old.isEmpty { racing.append((look, old)) }
    }
    racing = racing.filter(\.look.isConnected)
    guard database.isWAL, users.count(where: \.isConnected) > 1, !racing.isEmpty else { return }
    found[.certain("resetRace")] = .resetRace(
      Set(racing.flatMap(\.names)).sorted(), users: racing.map { process($0.look) }.sorted())
  }
}

extension HazardousProcess: Comparable {
  public static func < (a: Self, b: Self) -> Bool { a.process.pid < b.process.pid }
}
