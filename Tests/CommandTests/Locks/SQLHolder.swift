// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A program in Python that runs statements on a database, and keeps its connection and its locks.
final class SQLHolder {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  var pid: Int32 { process.processIdentifier }

  /// - Parameter isReady: whether to wait until the statements have run.
  init(
    _ database: String, _ sql: String, in folder: TemporaryDirectory, pause: Int = 0,
    isReady: Bool = true
  ) throws {
    let script = folder.path("holder.py")
    try Data(Self.script.utf8).write(to: URL(filePath: script))
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", script, database, sql, "\(pause)"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    if isReady { wait() }
  }

  /// Runs one more statement; that it failed is no error.
  func run(_ sql: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((sql + "\n").utf8))
    wait()
  }

  func end() {
    process.terminate()
    process.waitUntilExit()
  }

  private func wait() {
    let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(answer.hasPrefix("done"))
  }

  private static let script = """
    import sqlite3, sys, time
    database, statements, pause = sys.argv[1:]
    connection = sqlite3.connect(database, isolation_level=None, timeout=60)
    for statement in statements.split("; "):
        connection.execute(statement).fetchall()
    connection.execute("PRAGMA busy_timeout = 0")
    print("done", flush=True)
    time.sleep(int(pause))
    for line in sys.stdin:
        try:
            connection.execute(line).fetchall()
        except sqlite3.OperationalError:
            pass
        print("done", flush=True)
    """
}
