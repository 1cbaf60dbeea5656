// SPDX-License-Identifier: Apache-2.0

import CFaultyFiles
public import ObjectStore
import Synchronization

/// A disk that fails selected calls: an SQLite VFS over the real one.
///
///     let disk = FaultyDisk()
///     let container = try PersistentContainer(at: url, entities: …, options: disk.options())
///     disk.fail(.write, number: 3)
///
/// Registered until the process ends: a statement may outlive its connection.
public final class FaultyDisk: @unchecked Sendable {
  /// The program's calls of the disk.
  public struct Calls: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    private init(_ call: CFaultyFiles_Call) { rawValue = call.rawValue }

    public static let open = Calls(CFaultyFiles_open)
    public static let delete = Calls(CFaultyFiles_delete)
    public static let access = Calls(CFaultyFiles_access)
    public static let read = Calls(CFaultyFiles_read)
    public static let write = Calls(CFaultyFiles_write)
    public static let truncate = Calls(CFaultyFiles_truncate)
    public static let sync = Calls(CFaultyFiles_sync)
    public static let size = Calls(CFaultyFiles_size)
    public static let lock = Calls(CFaultyFiles_lock)
    public static let control = Calls(CFaultyFiles_control)
    public static let sharedMemoryMap = Calls(CFaultyFiles_shm_map)
    public static let sharedMemoryLock = Calls(CFaultyFiles_shm_lock)
    /// Calls that allocate space.
    public static let growing: Calls = [.write, .sharedMemoryMap]
    public static let all = Calls(rawValue: 0xfff)
  }

  /// How calls fail.
  public enum Fault: String, Sendable, CaseIterable {
    /// Each with its `SQLITE_IOERR`.
    case error
    /// With `SQLITE_FULL`.
    case full
    /// A write puts down its first half.
    case shortWrite
    /// The process is killed before the call.
    case kill

    fileprivate var value: CFaultyFiles_Fault {
      switch self {
      case .error: CFaultyFiles_error
      case .full: CFaultyFiles_full
      case .shortWrite: CFaultyFiles_short_write
      case .kill: CFaultyFiles_kill
      }
    }
  }

  /// The outcome of ``fail(_:number:staysBroken:with:)``.
  public struct Outcome: Sendable {
    /// Calls that could have failed.
    public let seen: Int
    /// Calls that did.
    public let failed: Int
    /// The first of them.
    public let call: Calls
  }

  private static let count = Atomic<Int>(0)
  private let files: OpaquePointer
  public let name: String

  public init() {
    name = "faulty-\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
    guard let files = CFaultyFiles_register(name) else { fatalError("no memory for a VFS") }
    self.files = files
  }

  /// Options with which a store lies on this disk.
  public func options(_ options: StoreOptions = StoreOptions()) -> StoreOptions {
    var options = options
    options.vfs = name
    return options
  }

  /// Lets the call with this number fail, counted from 1, and all behind it if the disk stays
  /// broken.
  public func fail(
    _ calls: Calls, number: Int, staysBroken: Bool = false, with fault: Fault = .error
  ) {
    CFaultyFiles_arm(files, calls.rawValue, UInt32(number), staysBroken, fault.value)
  }

  /// Lets nothing fail any more.
  @discardableResult
  public func repair() -> Outcome {
    let outcome = CFaultyFiles_repair(files)
    return Outcome(
      seen: Int(outcome.seen), failed: Int(outcome.failed), call: Calls(rawValue: outcome.call))
  }

  /// Waits until a lock was refused so many times since the disk was made.
  public func waitForBusy(_ count: Int) { CFaultyFiles_wait_for_busy(files, UInt32(count)) }
}
