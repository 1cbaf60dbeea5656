// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Synchronization

/// How many frames the write-ahead log held after the last commit; readable from any thread.
public final class WriteAheadLogSize: Sendable {
  private let count = Atomic<Int>(0)

  public fileprivate(set) var frames: Int {
    get { count.load(ordering: .relaxed) }
    set { count.store(newValue, ordering: .relaxed) }
  }
}

extension Connection {
  /// Ends SQLite's own checkpoints on this connection, and follows the log's size instead.
  ///
  /// The caller must call ``checkpoint(_:)`` from time to time, and keep the returned object as
  /// long as the connection.
  public func followWriteAheadLog() -> WriteAheadLogSize {
    let size = WriteAheadLogSize()
    followedLog = logIdentity
    sqlite3_wal_hook(
      handle,
      { context, _, _, frames in
        if let context {
          Unmanaged<WriteAheadLogSize>.fromOpaque(context).takeUnretainedValue().frames =
            Int(frames)
        }
        return SQLITE_OK
      }, Unmanaged.passUnretained(size).toOpaque())
    return size
  }
}
