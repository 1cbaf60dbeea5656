// SPDX-License-Identifier: Apache-2.0

/// The meaning of a sample: the writer, the readers, the waiting processes, and the obstacle that
/// keeps the log from shrinking.
public struct LockState: Sendable {
  /// A process that keeps all others from writing.
  public struct Writer: Hashable, Sendable {
    public var process: LockingProcess
    /// The strongest of its locks.
    public var lock: DatabaseLock
  }

  /// A process with a read transaction.
  public struct Reader: Hashable, Sendable {
    public var process: LockingProcess
    /// The slot of its read mark; nil in a database with a rollback journal.
    public var slot: Int?
    /// The frame of its snapshot or a later one; 0 for the database file alone.
    public var mark: UInt32?
  }

  public struct Waiter: Hashable, Sendable {
    public enum Evidence: String, Sendable {
      /// The kernel lists its request.
      case queued
      /// It holds PENDING: it commits as soon as the readers have finished.
      case pending
      /// A thread sleeps for a time, as SQLite's busy handler does between two attempts. A program
      /// that sleeps for a reason of its own looks the same.
      case sleeping
    }
    public var process: LockingProcess
    public var evidence: Evidence
  }

  public var sample: LockSample
  public var writers: [Writer]
  public var readers: [Reader]
  public var waiters: [Waiter]
  /// Processes that run a checkpoint or a recovery.
  public var checkpointers: [LockingProcess]
  public var recovering: [LockingProcess]
  public var checkpoint: CheckpointState?

  /// Interprets a sample.
  public init(_ sample: LockSample) {
    self.sample = sample
    let held = sample.locks.filter { !$0.isWaiting }
    writers = Self.writers(held)
    let index = sample.index.flatMap { $0.validity == .valid ? $0 : nil }
    readers = Self.readers(held, index, isWAL: sample.isWAL, writers)
    checkpointers = Self.processes(held) { $0 == .checkpointer }
    recovering = Self.processes(held) { $0 == .recovery }
    waiters = Self.waiters(sample, writers, readers)
    checkpoint = index.map { CheckpointState($0, readers) }
  }

  private static func writers(_ held: [HeldLock]) -> [Writer] {
    // From the weakest to the strongest.
    let order: [DatabaseLock] = [.writer, .reserved, .pending, .exclusive]
    var writers: [Writer] = []
    for lock in order {
      for process in processes(held, where: { $0 == lock }) {
        if let position = writers.firstIndex(where: { $0.process == process }) {
          writers[position].lock = lock
        } else {
          writers.append(Writer(process: process, lock: lock))
        }
      }
    }
    return writers
  }

  private static func readers(
    _ held: [HeldLock], _ index: WALIndex?, isWAL: Bool, _ writers: [Writer]
  ) -> [Reader] {
    let readers: [Reader] = held.compactMap {
      switch $0.lock {
      case .reader(let slot):
        Reader(process: $0.process, slot: slot, mark: slot == 0 ? 0 : index?.readMarks[slot])
      // With a log every connection holds SHARED, whether it reads or not.
      case .shared where !isWAL: Reader(process: $0.process, slot: nil, mark: nil)
      default: nil
      }
    }
    return unique(readers).sorted {
      ($0.slot ?? 0, $0.process.pid) < ($1.slot ?? 0, $1.process.pid)
    }
  }

  private static func waiters(
    _ sample: LockSample, _ writers: [Writer], _ readers: [Reader]
  ) -> [Waiter] {
    var waiters = unique(sample.locks.filter(\.isWaiting).map(\.process)).map {
      Waiter(process: $0, evidence: .queued)
    }
    for writer in writers where writer.lock == .pending {
      guard readers.contains(where: { $0.process != writer.process }) else { continue }
      waiters.append(Waiter(process: writer.process, evidence: .pending))
    }
    for process in sample.sleepers where !waiters.contains(where: { $0.process == process }) {
      waiters.append(Waiter(process: process, evidence: .sleeping))
    }
    return waiters
  }

  private static func processes(
    _ held: [HeldLock], where condition: (DatabaseLock) -> Bool
  ) -> [LockingProcess] {
    unique(held.filter { condition($0.lock) }.map(\.process))
  }

  private static func unique<Value: Hashable>(_ values: [Value]) -> [Value] {
    var seen: Set<Value> = []
    return values.filter { seen.insert($0).inserted }
  }

  /// The readers that the next checkpoint, or the next writer that would reuse the log, runs into.
  public var pinningReaders: [Reader] {
    guard let slot = checkpoint?.obstacle?.slot else { return [] }
    return readers.filter { $0.slot == slot }
  }
}

extension LockSample {
  /// Whether the database has a write-ahead log: by its header, else by an index in use.
  public var isWAL: Bool {
    switch header.journalMode {
    case .wal: true
    case .rollback, .empty: false
    case .unknown: index != nil
    }
  }
}
