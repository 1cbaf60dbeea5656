// SPDX-License-Identifier: Apache-2.0

/// One line of `/proc/locks`, or of the locks in `/proc/PID/fdinfo/N`.
///
///     1: POSIX  ADVISORY  WRITE 17770 fe:00:16236562 120 120
///     1: -> POSIX  ADVISORY  WRITE 17771 fe:00:16236562 120 120
///     2: OFDLCK ADVISORY  READ -1 08:01:4711 0 EOF
///
/// Related documentation: <https://man7.org/linux/man-pages/man5/proc_locks.5.html>
public struct KernelLock: Hashable, Sendable {
  public enum Kind: String, Sendable {
    case posix = "POSIX"
    /// A lock that belongs to an open file, not to a process.
    case openFile = "OFDLCK"
    case flock = "FLOCK"
  }

  public var kind: Kind
  /// Whether the request waits for the lock instead of holding it.
  public var isWaiting: Bool
  public var isExclusive: Bool
  /// The process; -1 for a lock of an open file.
  public var pid: Int32
  public var file: LockedFile
  public var first: UInt64
  public var last: UInt64

  init?(line: Substring) {
    var fields = line.split { $0 == " " || $0 == "\t" }.dropFirst()
    isWaiting = fields.first == "->"
    if isWaiting { fields = fields.dropFirst() }
    let parts = Array(fields)
    guard parts.count >= 7, let kind = Kind(rawValue: String(parts[0])),
      parts[2] == "READ" || parts[2] == "WRITE", let pid = Int32(parts[3]),
      let file = LockedFile(parts[4]), let first = UInt64(parts[5]),
      let last = parts[6] == "EOF" ? .max : UInt64(parts[6])
    else { return nil }
    self.kind = kind
    self.pid = pid
    self.file = file
    self.first = first
    self.last = last
    isExclusive = parts[2] == "WRITE"
  }

  func covers(_ byte: UInt64) -> Bool { first <= byte && byte <= last }

  func overlaps(_ bytes: ClosedRange<UInt64>) -> Bool {
    first <= bytes.upperBound && bytes.lowerBound <= last
  }
}

/// The locks of all files, as `/proc/locks` lists them.
struct LockTable {
  var locks: [KernelLock]
  /// Whether the list was built in one go, so that it is one moment's.
  var isOneMoment: Bool

  /// Reads the list; nil where `/proc/locks` is missing or may not be read.
  init?() {
    guard let (text, reads) = ProcFile.read("/proc/locks") else { return nil }
    locks = text.split(separator: "\n").compactMap { KernelLock(line: $0) }
    isOneMoment = reads <= 1
  }

  /// The locks that one process holds through one descriptor.
  static func locks(pid: Int32, descriptor: Int32) -> [KernelLock] {
    guard let text = ProcFile.text("/proc/\(pid)/fdinfo/\(descriptor)") else { return [] }
    return text.split(separator: "\n").filter { $0.hasPrefix("lock:") }.compactMap {
      guard var lock = KernelLock(line: $0.dropFirst("lock:".count).drop { $0 == "\t" })
      else { return nil }
      // -1 for a lock of an open file, which this process has.
      lock.pid = pid
      return lock
    }
  }
}
