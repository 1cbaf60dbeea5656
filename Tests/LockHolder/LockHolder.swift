// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreEvents
import StoreInstruments

/// Writes to a database again and again, and writes down when it held the writer lock.
///
///     lock-holder store PATH TIMES STOP       saves of a store
///     lock-holder driver PATH TIMES STOP      transactions of a plain connection
///
/// Each turn is four lines of TIMES, nanoseconds since 1970: before the lock was requested, when it
/// was held, before it was released, after that. It ends when the file STOP exists.
@main
enum LockHolder {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5 else { exit(64) }
    let turns = TurnLog(path: arguments[3])
    let isOver = { access(arguments[4], F_OK) == 0 }
    switch arguments[1] {
    case "store": try save(URL(filePath: arguments[2]), turns, until: isOver)
    case "driver": try write(arguments[2], turns, until: isOver)
    default: exit(64)
    }
  }

  private static func save(_ url: URL, _ turns: TurnLog, until isOver: () -> Bool) throws {
    var options = StoreOptions()
    options.busyTimeout = .seconds(120)
    let container = try PersistentContainer(
      at: url, entities: [Mark.self], options: options,
      instruments: .fromEnvironment(adding: turns))
    turns.isOpen = true
    while !isOver() {
      container.mainContext.insert(Mark.self).number = 1
      try container.mainContext.save()
      turns.write()
      usleep(.random(in: 0..<4000))
    }
    turns.isOpen = false
  }

  private static func write(_ path: String, _ turns: TurnLog, until isOver: () -> Bool) throws {
    let connection = try Connection(path: path, busyTimeout: 120_000)
    while !isOver() {
      turns.write()
      try connection.execute("BEGIN IMMEDIATE")
      turns.write()
      try connection.execute("INSERT INTO turn VALUES (1)")
      usleep(.random(in: 0..<4000))
      turns.write()
      try connection.execute("COMMIT")
      turns.write()
      usleep(.random(in: 0..<4000))
    }
  }
}

struct Mark: Entity {
  let number = Attribute<Int64>("number")
}

/// Notes the times around the transactions of one thread.
final class TurnLog: StoreObserver, @unchecked Sendable {
  // Used by the program's only thread.
  private let file: UnsafeMutablePointer<FILE>?
  private var isBeginning = false
  /// Whether the store is open, and its transactions come from saves.
  var isOpen = false
  let interests: Interests = [.sql]

  init(path: String) { file = fopen(path, "w") }

  func write() {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    fputs("\(now.tv_sec * 1_000_000_000 + now.tv_nsec)\n", file)
    fflush(file)
  }

  func willRun(sql: String, bindings: [BoundValue], contextID: UInt64) {
    guard isOpen else { return }
    if isBeginning {
      isBeginning = false
      write()
      usleep(.random(in: 0..<4000))
    }
    if sql.hasPrefix("BEGIN") { isBeginning = true }
    if isBeginning || sql == "COMMIT" { write() }
  }

  func record(_ event: StoreEvent, contextID: UInt64) {}
  func didReturn(_ objectURIs: [String], entity: String, sql: String, contextID: UInt64) {}
  func didExplain(sql: String, plan: [PlanLine], contextID: UInt64) {}
  func annotate(_ remark: String, contextID: UInt64) {}
  func warn(_ remark: String, contextID: UInt64) {}
}
