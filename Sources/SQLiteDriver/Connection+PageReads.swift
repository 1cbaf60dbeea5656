// SPDX-License-Identifier: Apache-2.0

import CSQLite

extension Connection {
  /// Reads how many pages the connection looked up since this was last read, and sets the count to
  /// zero: in its cache or in the file.
  ///
  /// The sum does not depend on what is in the cache.
  /// See <https://www.sqlite.org/c3ref/c_dbstatus_options.html>.
  public func takePageReads() -> UInt64 {
    take(SQLITE_DBSTATUS_CACHE_HIT) &+ take(SQLITE_DBSTATUS_CACHE_MISS)
  }

  private func take(_ counter: Int32) -> UInt64 {
    var (current, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, counter, &current, &highest, 1)
    return UInt64(UInt32(bitPattern: current))
  }
}
