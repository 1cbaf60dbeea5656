// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
import Synchronization

/// The time of `datetime('now')` in replayed statements: that of the recorded run.
enum ReplayClock {
  /// In nanoseconds since 1970; 0 for the machine's time.
  static let time = Atomic<Int64>(0)

  /// Registers SQLite's own VFS again, with another clock.
  ///
  /// - Returns: its name; "" where the library has none.
  static func register(
    _ find: @convention(c) (UnsafePointer<CChar>?) -> UnsafeMutablePointer<sqlite3_vfs>?,
    _ register: @convention(c) (UnsafeMutablePointer<sqlite3_vfs>?, Int32) -> Int32
  ) -> String {
    guard let own = find(nil), own.pointee.iVersion >= 2, own.pointee.xCurrentTimeInt64 != nil
    else {
      return ""
    }
    let name = "storescope-replay"
    // SQLite keeps both as long as the process runs.
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: own.pointee)
    vfs.pointee.zName = UnsafePointer(strdup(name))
    vfs.pointee.xCurrentTimeInt64 = { _, result in
      var now = ReplayClock.time.load(ordering: .relaxed)
      if now == 0 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        now = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
      }
      // Milliseconds since the start of the Julian period.
      result?.pointee = 210_866_760_000_000 + now / 1_000_000
      return SQLITE_OK
    }
    return register(vfs, 0) == SQLITE_OK ? name : ""
  }
}
