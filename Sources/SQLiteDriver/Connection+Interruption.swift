// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A reason to end statements, and the outer one that stays in force.
final class StatementWatch {
  let isOver: () -> Bool
  let instructions: Int32
  let outer: StatementWatch?

  init(_ outer: StatementWatch?, _ instructions: Int32, _ isOver: @escaping () -> Bool) {
    (self.outer, self.instructions, self.isOver) = (outer, instructions, isOver)
  }

  func endsStatements() -> Bool { isOver() || outer?.endsStatements() == true }
}

extension Connection {
  /// Runs statements that end early, with `SQLITE_INTERRUPT`, once a closure returns true.
  ///
  /// Unlike `sqlite3_interrupt()` this cannot end a statement that comes later. The closure is called on
  /// the thread that runs the statement, each time SQLite has run so many instructions; a scan runs
  /// some ten a row. Calls nest: an outer closure is called with the inner one.
  public func interrupting<R>(
    when isOver: @escaping () -> Bool, every instructions: Int32 = 1000, _ body: () throws -> R
  ) rethrows -> R {
    let outer = watch
    watch = StatementWatch(outer, instructions, isOver)
    handleProgress()
    defer {
      watch = outer
      handleProgress()
    }
    return try body()
  }

  private func handleProgress() {
    guard let watch else { return sqlite3_progress_handler(handle, 0, nil, nil) }
    sqlite3_progress_handler(
      handle, watch.instructions,
      { context in
        guard let context else { return 0 }
        let watch = Unmanaged<StatementWatch>.fromOpaque(context).takeUnretainedValue()
        return watch.endsStatements() ? 1 : 0
      }, Unmanaged.passUnretained(watch).toOpaque())
  }
}
