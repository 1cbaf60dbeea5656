// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The state of one process of a Core Data log.
final class CoreDataProcess {
  let identity: ProcessIdentity
  private var fetchID: UInt64 = 0
  private var saveID: UInt64 = 0
  private var announced: Set<StatementID> = []
  private var entities: [String: String] = [:]
  /// By the lines from which they were read.
  private var statements: [String: CoreDataSQL] = [:]
  /// Statements without their end.
  private(set) var cutStatements: UInt64 = 0
  // 65,536 is arbitrary: SQL that is built from values would fill the memory.
  private static let maxNames = 65_536
  // Also arbitrary; a program has a few hundred.
  private static let maxStatements = 1024

  init(_ identity: ProcessIdentity) { self.identity = identity }

  func nextFetchID() -> UInt64 {
    fetchID += 1
    return fetchID
  }

  func nextSaveID() -> UInt64 {
    saveID += 1
    return saveID
  }

  /// Whether a statement is met for the first time; discards all statements rather than grow.
  func announces(_ id: StatementID) -> Bool {
    if announced.count >= Self.maxNames { announced.removeAll() }
    return announced.insert(id).inserted
  }

  /// The statement in a line, without the spaces at its ends.
  func sql(_ line: String) -> CoreDataSQL {
    if let known = statements[line] { return known }
    var text = line
    let sql = text.withUTF8 {
      CoreDataSQL(String(decoding: UnsafeRawBufferPointer($0).trimmed, as: UTF8.self))
    }
    if statements.count >= Self.maxStatements { statements.removeAll() }
    statements[line] = sql
    if sql.isCut { cutStatements += 1 }
    return sql
  }

  /// Stores the entity of a table from a line of level 2.
  func learn(_ entity: String, table: String) {
    guard entities.count < Self.maxNames, table == "Z" + entity.uppercased() else { return }
    entities[table] = entity
  }

  /// The entity's name, or the table's if no line contained it.
  func entity(ofTable table: String) -> String { entities[table] ?? table }
}

/// The time at which the lines of a log were written, or their order.
final class CoreDataClock {
  private(set) var now: Nanoseconds = 0
  /// Whether the lines contain the time.
  private(set) var isReal = false

  func read(_ head: CoreDataLineHead?) {
    if let time = head?.time {
      now = time
      isReal = true
    } else if !isReal {
      now += 1
    }
  }

  /// Advances by the durations in the log, if its lines contain no time.
  func advance(to time: Nanoseconds) {
    if !isReal { now = max(now, time) }
  }
}
