// SPDX-License-Identifier: Apache-2.0

import BenchFixtures
import CSQLite
import ObjectStore
import StoreEvents
import StoreInstruments
import Synchronization

/// SQL that the store ran, with its values, for the C API to run the same.
struct CapturedStatement: Sendable {
  let sql: String
  let bindings: [BoundValue]

  /// Opens a store with some entities, and keeps the first statement of a fetch.
  static func first(
    _ body: (Instruments) throws -> Void
  ) throws -> CapturedStatement {
    let observer = StatementObserver()
    try body(Instruments(observers: [observer]))
    guard let statement = observer.fetches.first else {
      throw BenchmarkError.sqlite("the store ran no SELECT")
    }
    return statement
  }

  /// Prepares it with its values bound.
  func prepare(_ database: CDatabase) throws -> OpaquePointer {
    let statement = try database.prepare(sql)
    bind(statement)
    return statement
  }

  /// Binds the values again, as a program does for each search.
  func bind(_ statement: OpaquePointer) {
    // SQLITE_TRANSIENT, which the importer cannot show: SQLite copies the text.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (index, value) in bindings.enumerated() {
      let place = Int32(index + 1)
      switch value {
      case .null: sqlite3_bind_null(statement, place)
      case .integer(let integer): sqlite3_bind_int64(statement, place, integer)
      case .real(let real), .timestamp(let real): sqlite3_bind_double(statement, place, real)
      case .text(let text): sqlite3_bind_text(statement, place, text, -1, transient)
      case .blob(let prefix, _):
        sqlite3_bind_blob(statement, place, prefix, Int32(prefix.count), transient)
      }
    }
  }
}

private final class StatementObserver: StoreObserver {
  private let statements = Mutex<[CapturedStatement]>([])

  var interests: Interests { [.sql, .bindings] }
  /// The first begin with the entity's number, as fetches of objects do.
  var fetches: [CapturedStatement] {
    statements.withLock { $0.filter { $0.sql.hasPrefix("SELECT 0, t0.Z_PK") } }
  }

  func willRun(sql: String, bindings: [BoundValue], contextID: UInt64) {
    statements.withLock { $0.append(CapturedStatement(sql: sql, bindings: bindings)) }
  }

  func record(_ event: StoreEvent, contextID: UInt64) {}
  func didReturn(_ objectURIs: [String], entity: String, sql: String, contextID: UInt64) {}
  func didExplain(sql: String, plan: [PlanLine], contextID: UInt64) {}
  func annotate(_ remark: String, contextID: UInt64) {}
  func warn(_ remark: String, contextID: UInt64) {}
}
