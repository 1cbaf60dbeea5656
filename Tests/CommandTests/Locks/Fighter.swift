// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A program that takes the writer lock again and again, and writes down when it had it.
final class Fighter {
  /// When a lock was asked for, had, about to be released, and released.
  struct Turn {
    var asked: Int64
    var had: Int64
    var releasing: Int64
    var released: Int64
  }

  private let process = Process()
  private let times: String
  var pid: Int32 { process.processIdentifier }

  /// Starts it; the last arguments are the database, the file of times and the file that ends it.
  init(_ program: String, _ arguments: [String], in folder: TemporaryDirectory, input: String? = nil)
    throws
  {
    times = folder.path("\(UUID().uuidString).times")
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [program] + arguments + [folder.path("app.db"), times, folder.path("stop")]
    if let input {
      let script = folder.path("\(UUID().uuidString).sql")
      try Data(input.replacing("TIMES", with: times).utf8).write(to: URL(filePath: script))
      process.arguments = [program] + arguments + [folder.path("app.db")]
      process.standardInput = FileHandle(forReadingAtPath: script)
    }
    try process.run()
  }

  /// Two programs in Python, a Swift program and the sqlite3 shell.
  static func four(in folder: TemporaryDirectory, isWAL: Bool) throws -> [Fighter] {
    let python = folder.path("turns.py")
    try Data(pythonTurns.utf8).write(to: URL(filePath: python))
    let holder = Program("lock-holder").path
    return [
      try Fighter("python3", [python], in: folder), try Fighter("python3", [python], in: folder),
      try Fighter(holder, [isWAL ? "store" : "driver"], in: folder),
      try Fighter("sqlite3", ["-batch", "-bail"], in: folder, input: shellTurns),
    ]
  }

  func end() {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
  }

  /// Waits until it had the lock for the first time.
  func waitForTurn() async throws {
    for _ in 1...3000 {
      if (try? turns())?.isEmpty == false { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("\(process.arguments ?? []) had no turn within 30 s")
  }

  /// Its turns; the last one may go on.
  func turns() throws -> [Turn] {
    // The last line may be cut.
    let numbers = try String(contentsOfFile: times, encoding: .utf8).split(separator: "\n")
      .map { Int64($0) ?? .max }
    return stride(from: 0, to: numbers.count, by: 4).map { start in
      let time = { numbers.indices.contains(start + $0) ? numbers[start + $0] : .max }
      return Turn(asked: time(0), had: time(1), releasing: time(2), released: time(3))
    }
  }

  private static let pythonTurns = """
    import os, random, sqlite3, sys, time
    database, times, stop = sys.argv[1:]
    connection = sqlite3.connect(database, isolation_level=None, timeout=120)
    log = open(times, "w", buffering=1)
    note = lambda: log.write(f"{time.time_ns()}\\n")
    while not os.path.exists(stop):
        note()
        connection.execute("BEGIN IMMEDIATE")
        note()
        connection.execute("INSERT INTO turn VALUES (1)")
        time.sleep(random.random() * 0.004)
        note()
        connection.execute("COMMIT")
        note()
        time.sleep(random.random() * 0.004)
    """

  private static let shellTurns: String = {
    let note = ".system date +%s%N >> 'TIMES'"
    let turn = [
      note, "BEGIN IMMEDIATE;", note, "INSERT INTO turn VALUES (1);", note, "COMMIT;", note,
    ]
    return ".timeout 120000\n"
      + String(repeating: turn.joined(separator: "\n") + "\n", count: 20_000)
  }()
}
