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

  private let program: BackgroundProgram
  private let times: String
  var pid: Int32 { program.pid }

  /// Starts it; the last arguments are the database, the file of times and the file that ends it.
  init(
    _ program: String, _ arguments: [String], in folder: TemporaryDirectory, input: String? = nil
  ) throws {
    times = folder.path("\(UUID().uuidString).times")
    var command = [program] + arguments + [folder.path("app.db")]
    var script: String?
    if let input {
      let path = folder.path("\(UUID().uuidString).sql")
      try Data(input.replacing("TIMES", with: times).utf8).write(to: URL(filePath: path))
      script = path
    } else {
      command += [times, folder.path("stop")]
    }
    self.program = try BackgroundProgram(command, inputFile: script)
  }

  /// A Swift program, two programs in Python and the sqlite3 shell, each after its first turn.
  static func four(in folder: TemporaryDirectory, isWAL: Bool) async throws -> [Fighter] {
    let python = folder.path("turns.py")
    try Data(pythonTurns.utf8).write(to: URL(filePath: python))
    let holder = Program("lock-holder").path
    if !isWAL { try await Database.make(folder.path("app.db"), isWAL: false) }
    var fighters = [try Fighter(holder, [isWAL ? "store" : "driver"], in: folder)]
    try await fighters[0].waitForTurn()
    // A store makes its own database, and leaves another table alone.
    if isWAL { try await Database.make(folder.path("app.db"), isWAL: true) }
    for _ in 0..<2 { fighters.append(try Fighter("python3", [python], in: folder)) }
    fighters.append(try Fighter("sqlite3", ["-batch", "-bail"], in: folder, input: shellTurns))
    for fighter in fighters { try await fighter.waitForTurn() }
    return fighters
  }

  func end() { program.end() }

  /// Waits until it had the lock for the first time.
  func waitForTurn() async throws {
    for _ in 1...3000 {
      if (try? turns())?.isEmpty == false { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("process \(pid) had no turn within 30 s")
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
