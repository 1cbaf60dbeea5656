// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A program in Python that runs statements on a database, and keeps its connection and its locks.
final class SQLHolder {
  private let program: BackgroundProgram
  var pid: Int32 { program.pid }

  /// - Parameter isReady: whether to wait until the statements have run.
  init(
    _ database: String, _ sql: String, in folder: TemporaryDirectory, pause: Int = 0,
    isReady: Bool = true
  ) throws {
    let script = folder.path("holder.py")
    try Data(Self.script.utf8).write(to: URL(filePath: script))
    program = try BackgroundProgram(["python3", script, database, sql, "\(pause)"])
    if isReady { wait() }
  }

  /// Runs one more statement; that it failed is no error.
  func run(_ sql: String) {
    program.write(sql)
    wait()
  }

  func end() { program.end() }

  private func wait() { #expect(program.readLine() == "done") }

  private static let script = """
    import sqlite3, sys, time
    database, statements, pause = sys.argv[1:]
    def done():
        sys.stdout.write("done\\n")
        sys.stdout.flush()
    connection = sqlite3.connect(database, isolation_level=None, timeout=60)
    for statement in statements.split("; "):
        connection.execute(statement).fetchall()
    connection.execute("PRAGMA busy_timeout = 0")
    done()
    time.sleep(int(pause))
    for line in sys.stdin:
        try:
            connection.execute(line).fetchall()
        except sqlite3.OperationalError:
            pass
        done()
    """
}
