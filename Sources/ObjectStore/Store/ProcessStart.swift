// SPDX-License-Identifier: Apache-2.0

import Glibc
import StoreEvents

/// When this process began.
enum ProcessStart {
  /// Nanoseconds since 1970-01-01 00:00 UTC, to the clock tick of `/proc`; 0 where that is absent.
  static let time: Nanoseconds = {
    guard let file = fopen("/proc/self/stat", "r") else { return 0 }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 2048)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { return 0 }
    let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    // The program's name, in parentheses, may contain spaces; the fields after it do not.
    guard let end = text.lastIndex(of: UInt8(ascii: ")")) else { return 0 }
    let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 19, let ticks = Int64(String(decoding: fields[19], as: UTF8.self))
    else { return 0 }
    var boot = timespec()
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &boot)
    clock_gettime(CLOCK_REALTIME, &now)
    let sinceBoot = ticks * (1_000_000_000 / Int64(max(sysconf(Int32(_SC_CLK_TCK)), 1)))
    return nanoseconds(now) - nanoseconds(boot) + sinceBoot
  }()

  private static func nanoseconds(_ time: timespec) -> Nanoseconds {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
