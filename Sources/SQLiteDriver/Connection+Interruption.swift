// SPDX-License-Identifier: Apache-2.0

import CSQLite

extension Connection {
  private final class Watch {
    let isOver: () -> Bool
    init(_ isOver: @escaping () -> Bool) { self.isOver = isOver }
  }

  /// Runs statements that end early, with `SQLITE_INTERRUPT`, once a closure returns true.
  ///
  /// Unlike ``interrupt()`` this cannot end a statement that comes later. The closure is called on
  /// the thread that runs the statement, each time SQLite has run so many instructions; a scan runs
  /// some ten a row.
  public func interrupting<R>(
    when isOver: @escaping () -> Bool, every instructions: Int32 = 1000, _ body: () throws -> R
  ) rethrows -> R {
    let watch = Watch(isOver)
    sqlite3_progress_handler(
      handle, instructions,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().isOver() ? 1 : 0
      }, Unmanaged.passUnretained(watch).toOpaque())
    defer {
      sqlite3_progress_handler(handle, 0, nil, nil)
      withExtendedLifetime(watch) {}
    }
    return try body()
  }
}
