// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// How many frames the write-ahead log held after the last commit.
public final class WriteAheadLogSize {
  public fileprivate(set) var frames = 0
}

extension Connection {
  /// Ends SQLite's own checkpoints on this connection, and follows the log's size instead.
  ///
  /// Whoever calls this owes the file a ``checkpoint(_:)`` now and then, and keeps the returned
  /// object as long as the connection.
  public func followWriteAheadLog() -> WriteAheadLogSize {
    let size = WriteAheadLogSize()
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
