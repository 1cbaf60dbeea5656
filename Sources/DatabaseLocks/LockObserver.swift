// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Observes who holds the locks of a database, from outside.
///
///     let observer = try LockObserver(path: "app.db")
///     let state = LockState(observer.sample())
///     // state.writers: python3[4711], by WRITE
///
/// It opens files for reading only and takes no lock. It must not share a process with an SQLite
/// connection to the same database: closing a descriptor drops the process's own locks of the file.
/// See <https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_>.
public final class LockObserver {
  public let path: String
  private let mount: MountPoint?
  private let isInitialPIDNamespace: Bool
  private(set) var users: DatabaseUsers
  private var usersRead: Int64
  private var processes: [Int32: LockingProcess] = [:]
  /// The kernel's names of a file, as far as they were learned from descriptors.
  private var learned: [FileIdentity: Set<LockedFile>] = [:]
  private(set) var identity: FileIdentity
  /// Whether the user named the database, rather than that it was found open.
  private let isNamed: Bool
  private var search = HazardSearch()
  private var hazards: [Hazard] = []
  private var hazardsFound: Int64?

  /// How long a list of the programs that have the database open is used: it takes milliseconds.
  private static let usersLifetime: Int64 = 1_000_000_000

  /// Finds the database and the programs that have it open; also a database that was deleted while in use.
  public convenience init(path: String) throws(LocksError) {
    let file: String
    let opened: String
    if let resolved = realpath(path, nil) {
      file = String(cString: resolved)
      opened = file
      free(resolved)
    } else {
      let code = errno
      guard code == ENOENT, let removed = DatabaseUsers.removed(path) else {
        throw .noSuchFile(path, code: code)
      }
      (file, opened) = removed
    }
    guard let identity = FileIdentity(path: opened) else { throw .notAFile(path) }
    guard access("/proc/locks", R_OK) == 0 else { throw .noLockTable(code: errno) }
    self.init(path: file, identity: identity, opened: opened, isNamed: true)
  }

  /// Observes a database that a process has open.
  ///
  /// A process in a container may see another file by the same path: it is then reached through that
  /// process.
  convenience init?(_ database: OpenDatabases.Database) {
    guard access("/proc/locks", R_OK) == 0 else { return nil }
    let pid = database.opened.dropFirst("/proc/".count).prefix { $0 != "/" }
    let inside = "/proc/\(pid)/root\(database.path)"
    let isHere = FileIdentity(path: database.path) == database.identity
    let isThere = FileIdentity(path: inside) == database.identity
    self.init(
      path: !isHere && isThere ? inside : database.path, identity: database.identity,
      opened: database.opened, isNamed: false)
  }

  private init(path: String, identity: FileIdentity, opened: String, isNamed: Bool) {
    self.path = path
    self.identity = identity
    self.isNamed = isNamed
    mount = MountPoint(of: opened)
    // The number of the namespace that the machine starts with: PROC_PID_INIT_INO.
    isInitialPIDNamespace = ProcFile.link("/proc/self/ns/pid") == "pid:[4026531836]"
    users = DatabaseUsers(of: identity, path)
    usersRead = Clock.uptime
    for user in users.users { learn(from: user) }
  }

  /// Reads the locks once.
  public func sample() -> LockSample {
    if isNamed { identity = FileIdentity(path: path) ?? identity }
    var sample = begin()
    var indexes = walIndexes()
    var table: LockTable?
    // A second time where the -shm file was replaced meanwhile; 3 is arbitrary.
    for _ in 0..<3 {
      sample.stampBefore = stamp(indexes.first?.path)
      sample.began = Clock.now
      table = LockTable()
      sample.ended = Clock.now
      sample.uptime = Clock.uptime
      let after = walIndexes()
      if after.map(\.identity) == indexes.map(\.identity) { break }
      indexes = after
    }
    sample.index = index(indexes.first?.path)
    sample.stampAfter = stamp(indexes.first?.path)
    let locks = self.locks(table, indexes.map(\.identity))
    if needsUsers(locks) { readUsers() }
    fill(&sample, locks)
    describeBlindSpots(&sample, indexes, isTableMissing: table == nil)
    findHazards(&sample)
    return sample
  }

  private func begin() -> LockSample {
    let database = FileBytes.read(path, count: 100) ?? openDatabase
    var sample = LockSample(
      path: path, identity: identity,
      header: DatabaseHeader(database?.bytes ?? Array(repeating: 0, count: 1)))
    sample.journalSize = RollbackJournal(of: path)?.size
    if let log = FileBytes.read(path + "-wal", count: WALFile.headerSize) {
      sample.walSize = log.size
      sample.wal = WALFile(log.bytes, size: log.size)
    }
    return sample
  }

  private var openDatabase: (bytes: [UInt8], size: UInt64)? {
    users.users.lazy.compactMap(\.databasePath).compactMap { FileBytes.read($0, count: 100) }.first
  }

  // MARK: - The WAL-index

  /// The -shm file beside the database, and the -shm files that its users have open.
  private func walIndexes() -> [(identity: FileIdentity, path: String)] {
    var result: [(identity: FileIdentity, path: String)] = []
    if let identity = FileIdentity(path: path + "-shm") { result = [(identity, path + "-shm")] }
    for user in users.users {
      guard let identity = user.walIndex, let path = user.walIndexPath,
        !result.contains(where: { $0.identity == identity }),
        FileIdentity(path: path) == identity
      else { continue }
      result.append((identity, path))
    }
    return result
  }

  private func stamp(_ indexPath: String?) -> CommitStamp {
    let index = indexPath.flatMap { FileBytes.read($0, count: 48)?.bytes } ?? []
    let header = FileBytes.read(path, count: 100).map { DatabaseHeader($0.bytes) }
    return CommitStamp(walIndex: index, changeCounter: header?.changeCounter ?? 0)
  }

  /// Reads the head of the -shm file, again while a writer changes it.
  private func index(_ path: String?) -> WALIndex? {
    guard let path else { return nil }
    var index: WALIndex?
    // 5 is arbitrary: a writer is between the two copies for less than a microsecond.
    for _ in 0..<5 {
      index = FileBytes.read(path, count: WALIndex.size).flatMap { WALIndex($0.bytes) }
      if index?.validity == .valid { break }
    }
    return index
  }

  // MARK: - Locks

  private func names(of file: FileIdentity) -> Set<LockedFile> {
    var names = learned[file] ?? []
    names.insert(LockedFile(file))
    if let mount {
      names.insert(LockedFile(major: mount.major, minor: mount.minor, inode: file.inode))
    }
    return names
  }

  private func locks(
    _ table: LockTable?, _ indexes: [FileIdentity]
  ) -> [(pid: Int32, lock: DatabaseLock, isWaiting: Bool)] {
    let databaseNames = names(of: identity)
    let indexNames = Set(indexes.flatMap { names(of: $0) })
    var found: [(pid: Int32, lock: DatabaseLock, isWaiting: Bool)] = []
    var hasOpenFileLock = false
    for lock in table?.locks ?? [] {
      let meanings =
        databaseNames.contains(lock.file)
        ? DatabaseLock.inDatabase(lock)
        : indexNames.contains(lock.file) ? DatabaseLock.inWALIndex(lock) : []
      if lock.pid < 0 {
        hasOpenFileLock = hasOpenFileLock || !meanings.isEmpty
      } else {
        found += meanings.map { (lock.pid, $0, lock.isWaiting) }
      }
    }
    if hasOpenFileLock || !(table?.isOneMoment ?? false) { addFromDescriptors(to: &found) }
    return found + hiddenLocks(indexes)
  }

  /// Adds the locks of the users' descriptors, where the list of all locks is not enough.
  private func addFromDescriptors(
    to found: inout [(pid: Int32, lock: DatabaseLock, isWaiting: Bool)]
  ) {
    for user in users.users {
      let database = user.databaseDescriptors.flatMap {
        LockTable.locks(pid: user.pid, descriptor: $0)
      }
      let index = user.walIndexDescriptors.flatMap {
        LockTable.locks(pid: user.pid, descriptor: $0)
      }
      let meanings =
        database.flatMap(DatabaseLock.inDatabase) + index.flatMap(DatabaseLock.inWALIndex)
      for meaning in meanings
      where !found.contains(where: { $0.pid == user.pid && $0.lock == meaning && !$0.isWaiting }) {
        found.append((user.pid, meaning, false))
      }
    }
  }

  /// Locks of processes that the list leaves out, since they are outside this pid namespace.
  private func hiddenLocks(
    _ indexes: [FileIdentity]
  ) -> [(pid: Int32, lock: DatabaseLock, isWaiting: Bool)] {
    guard !isInitialPIDNamespace else { return [] }
    return HiddenLocks.find(database: path, walIndex: path + "-shm").map { (0, $0, false) }
  }

  // MARK: - Processes

  private func needsUsers(
    _ locks: [(pid: Int32, lock: DatabaseLock, isWaiting: Bool)]
  ) -> Bool {
    Clock.uptime - usersRead > Self.usersLifetime
      || locks.contains { lock in lock.pid > 0 && processes[lock.pid] == nil }
  }

  private func readUsers() {
    users = DatabaseUsers(of: identity, path)
    usersRead = Clock.uptime
    processes = processes.filter { LockingProcess.startTicks($0.key) == $0.value.startTicks }
    for user in users.users { learn(from: user) }
  }

  /// Notes the names by which the kernel lists the files that a process has locked.
  private func learn(from user: DatabaseUser) {
    for descriptor in user.databaseDescriptors {
      let files = LockTable.locks(pid: user.pid, descriptor: descriptor).map(\.file)
      learned[identity, default: []].formUnion(files)
    }
    guard let index = user.walIndex else { return }
    for descriptor in user.walIndexDescriptors {
      let files = LockTable.locks(pid: user.pid, descriptor: descriptor).map(\.file)
      learned[index, default: []].formUnion(files)
    }
  }

  func process(_ pid: Int32) -> LockingProcess {
    if pid == 0 { return .hidden }
    if let process = processes[pid] { return process }
    let process = LockingProcess(pid: pid)
    processes[pid] = process
    return process
  }

  private func fill(
    _ sample: inout LockSample, _ locks: [(pid: Int32, lock: DatabaseLock, isWaiting: Bool)]
  ) {
    sample.locks = locks.map {
      HeldLock(process: process($0.pid), lock: $0.lock, isWaiting: $0.isWaiting)
    }
    let pids = Set(users.users.map(\.pid)).union(locks.map(\.pid)).subtracting([0])
    sample.users = pids.sorted().map(process)
    let writers = Set(locks.filter { $0.lock.isWriter && !$0.isWaiting }.map(\.pid))
    guard !writers.isEmpty else { return }
    sample.sleepers = sample.users.filter {
      !writers.contains($0.pid) && SleepingThread.exists(in: $0.pid) == true
    }
  }

  // MARK: - Hazards and blind spots

  private func findHazards(_ sample: inout LockSample) {
    defer { (sample.hazards, sample.images) = (hazards, search.imagesOfUsers) }
    guard Clock.uptime - (hazardsFound ?? .min / 2) > Self.usersLifetime else { return }
    let isUnreadable = sample.header.journalMode == .unknown && access(path, R_OK) != 0
    hazards = search.hazards(
      .init(
        path: path, identity: identity, users: users, isWAL: sample.isWAL, isNamed: isNamed,
        hidesLocks: mount?.isShared ?? true || access(path + ".lock", F_OK) == 0 || isUnreadable,
        isWriteLocked: { self.locks(LockTable(), []).contains { $0.lock.isWriter } },
        process: process))
    if sample.header.journalMode == .unknown, !isUnreadable { hazards.insert(.noDatabase, at: 0) }
    if let mount, mount.isNetwork { hazards.insert(.networkFileSystem(type: mount.type), at: 0) }
    hazardsFound = Clock.uptime
  }

  private func describeBlindSpots(
    _ sample: inout LockSample, _ indexes: [(identity: FileIdentity, path: String)],
    isTableMissing: Bool
  ) {
    var spots: [BlindSpot] = []
    if sample.header.journalMode == .unknown, access(path, R_OK) != 0 {
      spots.append(.headerUnreadable)
    }
    if let index = indexes.first {
      if access(index.path, R_OK) != 0 { spots.append(.walIndexUnreadable(index.path)) }
    }
    if let index = sample.index {
      if index.validity != .valid { spots.append(.walIndexInvalid(index.validity)) }
      if index.isOtherByteOrder { spots.append(.otherByteOrder) }
    }
    let used = Set(users.users.compactMap(\.walIndex))
    if used.count > 1 {
      spots.append(.severalWALIndexes(Set(users.users.map { $0.path + "-shm" }).sorted()))
    }
    if !isInitialPIDNamespace {
      spots.append(.pidNamespace(isHolding: sample.locks.contains { $0.process.pid == 0 }))
    }
    let unknown = Set(sample.locks.map(\.process).filter { $0.program == "?" }.map(\.pid))
    if !unknown.isEmpty { spots.append(.hiddenProcesses(unknown.sorted())) }
    if users.unreadable > 0 { spots.append(.otherUsers(count: users.unreadable)) }
    if let mount, mount.isShared { spots.append(.sharedFileSystem(mount.type)) }
    if access(path + ".lock", F_OK) == 0 { spots.append(.dotFile(path + ".lock")) }
    sample.blindSpots = spots
  }
}

/// The machine's clocks, in nanoseconds.
package enum Clock {
  package static var now: Int64 { read(CLOCK_REALTIME) }
  static var uptime: Int64 { read(CLOCK_MONOTONIC) }

  /// When a process started, from its ticks since the machine did; exact to a second.
  static func start(ticks: UInt64) -> Int64? {
    guard ticks > 0, let boot = bootTime else { return nil }
    return boot + Int64(clamping: ticks) * (1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK))))
  }

  private static let bootTime: Int64? = ProcFile.text("/proc/stat").flatMap { text in
    text.split(separator: "\n").first { $0.hasPrefix("btime ") }
      .flatMap { Int64($0.dropFirst("btime ".count)) }.map { $0 * 1_000_000_000 }
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
