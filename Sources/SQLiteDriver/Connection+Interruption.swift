// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A reason to end statements, and the outer one that stays in force.
final class StatementWatch {
  let isOver: () -> Bool
  let instructions: Int32
  let outer: StatementWatch?
  /// The instructions between two calls: the smallest number of this closure and the outer ones.
  let period: Int32
  private var passed: Int32 = 0

  init(_ outer: StatementWatch?, _ instructions: Int32, _ isOver: @escaping () -> Bool) {
    (self.outer, self.instructions, self.isOver) = (outer, instructions, isOver)
    period = min(instructions, outer?.period ?? instructions)
  }

  func endsStatements(after steps: Int32) -> Bool {
    passed += steps
    let isDue = passed >= instructions
    if isDue { passed = 0 }
    return isDue && isOver() || outer?.endsStatements(after: steps) == true
  }
}

extension Connection {
  /// Runs statements that end early, with `SQLITE_INTERRUPT`, once a closure returns true.
  ///
  /// Unlike `sqlite3_interrupt()` this cannot end a statement that comes later. The closure is called on
  /// the thread that runs the statement, each time SQLite has run so many instructions; a scan runs
  /// some ten a row. Calls nest: each closure is called at its own number of instructions.
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
      handle, watch.period,
      { context in
        guard let context else { return 0 }
        let watch = Unmanaged<StatementWatch>.fromOpaque(context).takeUnretainedValue()
        return watch.endsStatements(after: watch.period) ? 1 : 0
      }, Unmanaged.passUnretained(watch).toOpaque())
  }
}
