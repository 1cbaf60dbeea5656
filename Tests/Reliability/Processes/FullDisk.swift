// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import ObjectStore

/// A disk that is really full, as far as one process is concerned: no file may grow beyond a limit.
public enum FullDisk {
  /// Saves steps of a ledger until there is no room, then makes room and goes on, and prints that.
  ///
  ///     saved 17, then: reading or writing the store …
  ///     saved 18
  public static func run(_ url: URL, seed: UInt64, bytes: UInt64) throws {
    let container = try LedgerVersion.first.open(url)
    let writer = try LedgerWriter(container, .first, seed: seed)
    // Else a write beyond the limit ends the process.
    signal(SIGXFSZ, SIG_IGN)
    try limit(bytes)
    var last: Int64 = 0
    do {
      while true { last = try writer.save() }
    } catch {
      print("saved \(last), then: \(error)")
    }
    try limit(.max)
    try container.mainContext.save()
    print("saved \(last + 1)")
    container.close()
  }

  private static func limit(_ bytes: UInt64) throws {
    var limits = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
    limits.rlim_cur = min(rlim_t(bytes), limits.rlim_max)
    guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits) == 0 else {
      throw LedgerError("no limit: \(String(cString: strerror(errno)))")
    }
  }
}
