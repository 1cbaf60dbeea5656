// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Finds threads that sleep as SQLite's busy handler does between two attempts to take a lock.
///
/// The handler sleeps for 1 to 100 ms at a time: see `sqliteDefaultBusyCallback` of SQLite's main.c.
enum SleepingThread {
  private static let longest: Int64 = 100_000_000

  /// Whether a process has such a thread; nil where the kernel does not show it.
  static func exists(in pid: Int32) -> Bool? {
    guard let threads = ProcFile.numbers(in: "/proc/\(pid)/task") else { return nil }
    var isKnown = false
    for thread in threads {
      let folder = "/proc/\(pid)/task/\(thread)"
      guard let waitChannel = ProcFile.text("\(folder)/wchan") else { continue }
      isKnown = true
      guard waitChannel.contains("nanosleep") else { continue }
      if length(folder, pid).map({ $0 <= longest }) ?? true { return true }
    }
    return isKnown ? false : nil
  }

  // The numbers of the two calls, and which argument is the time.
  #if arch(x86_64)
    private static let calls: [Substring: Int] = ["35": 1, "230": 3]
  #elseif arch(arm64)
    private static let calls: [Substring: Int] = ["101": 1, "115": 3]
  #else
    private static let calls: [Substring: Int] = [:]
  #endif

  /// How long the thread sleeps in all, from the argument of its system call.
  ///
  /// - Returns: nil where that may not be read.
  private static func length(_ folder: String, _ pid: Int32) -> Int64? {
    guard let call = ProcFile.text("\(folder)/syscall")?.split(separator: " "),
      let index = call.first.flatMap({ calls[$0] }), index < call.count,
      let address = UInt64(call[index].dropFirst(2), radix: 16),
      let offset = off_t(exactly: address)
    else { return nil }
    let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { return nil }
    defer { close(memory) }
    var time = timespec()
    let size = MemoryLayout<timespec>.size
    guard pread(memory, &time, size, offset) == size, (0..<1_000_000).contains(time.tv_sec)
    else { return nil }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
