// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Looks for hazards several times, and reports the hazards that are there each time.
struct HazardSearch {
  private let images = SQLiteImages()
  private var processes: [Int32: HazardousProcess] = [:]
  /// The copies of SQLite in each process of the last look.
  private(set) var imagesOfUsers: [Int32: [SQLiteImage]] = [:]

  /// The pauses between looks in microseconds: together longer than a connection takes to open or close.
  private static let pauses: [UInt32] = [1_000, 4_000, 15_000, 40_000]

  /// The facts that a search needs of the database.
  struct Subject {
    var path: String
    var identity: FileIdentity
    var users: DatabaseUsers
    var isWAL: Bool
    /// Whether the user named the database.
    var isNamed: Bool
    /// Whether other machines or programs may hold locks that the kernel does not list.
    var hidesLocks: Bool
    var isWriteLocked: () -> Bool
    var process: (Int32) -> LockingProcess
  }

  mutating func hazards(_ subject: Subject) -> [Hazard] {
    var look = look(subject, subject.users)
    var found = look.found
    let firstIndex = index(subject)
    // A lock of a child is there for a moment only, and its connection all the time.
    var forks = found.filter { if case .usedAfterFork = $0.value { true } else { false } }
    if look.needsAnotherLook {
      for pause in Self.pauses {
        usleep(pause)
        look = self.look(subject, subject.users.again(subject.identity, subject.path))
        found = look.found.filter { found[$0.key] != nil }
        forks.merge(look.found.filter { if case .usedAfterFork = $0.value { true } else { false } })
        { $1 }
      }
    }
    found.merge(forks.filter { found[$0.key] != nil }) { $1 }
    imagesOfUsers = Dictionary(
      look.users.map { ($0.user.pid, images.images(in: $0.user.pid, $0.map) ?? []) }
    ) { $1 }
    return withGrowth(found.map(\.value), from: firstIndex, to: index(subject)).sorted()
  }

  private func index(_ subject: Subject) -> WALIndex? {
    FileBytes.read(subject.path + "-shm", count: WALIndex.size).flatMap { WALIndex($0.bytes) }
  }

  /// Adds the growth of the log to a process without locks, if no process with locks can have
  /// written.
  private func withGrowth(
    _ hazards: [Hazard], from first: WALIndex?, to last: WALIndex?
  ) -> [Hazard] {
    guard let first, let last, first.salts == last.salts, last.frames > first.frames else {
      return hazards
    }
    return hazards.map {
      guard case .lostLocks(.walIndex, let user, _) = $0 else { return $0 }
      return .lostLocks(.walIndex, user, frames: last.frames - first.frames)
    }
  }

  private mutating func look(_ subject: Subject, _ users: DatabaseUsers) -> HazardLook {
    let pids = Set((users.users + users.formerUsers).map(\.pid))
    processes = processes.filter { pids.contains($0.key) }
    for pid in pids where processes[pid]?.process.startTicks != LockingProcess.startTicks(pid) {
      processes[pid] = HazardousProcess(LockingProcess(pid: pid))
    }
    let processes = processes
    return HazardLook(
      users,
      .init(
        path: subject.path, isWAL: subject.isWAL, isNamed: subject.isNamed,
        showsLocks: !subject.hidesLocks && LockTable.isVisible,
        isWriteLocked: subject.isWriteLocked,
        process: { processes[$0] ?? HazardousProcess(subject.process($0)) },
        images: images.images))
  }
}

extension LockTable {
  /// Whether the kernel lists locks below `/proc/PID/fdinfo`, tried with a lock of a file of this process.
  static let isVisible: Bool = {
    let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_len = 1
    guard fcntl(descriptor, F_SETLK, &lock) == 0 else { return false }
    return !locks(pid: getpid(), descriptor: descriptor).isEmpty
  }()
}

extension Hazard: Comparable {
  /// Warnings first, then by kind and process.
  public static func < (a: Self, b: Self) -> Bool {
    func key(_ hazard: Self) -> (Int, String, Int32) {
      (hazard.severity == .warning ? 0 : 1, hazard.kind, hazard.users.first?.process.pid ?? 0)
    }
    return key(a) < key(b)
  }
}
