// SPDX-License-Identifier: Apache-2.0

import CSQLite
import StoreEvents
import Synchronization

/// Counts the statements that run on a connection, by SQLite's trace callback.
final class StatementWatcher: Sendable {
  private let handle: UncheckedHandle
  private let state = Mutex(WatchedStatements())

  /// SQLite calls back on the thread that uses the connection.
  private struct UncheckedHandle: @unchecked Sendable { let pointer: OpaquePointer }

  init(_ handle: OpaquePointer) {
    self.handle = UncheckedHandle(pointer: handle)
    let events = SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE
    sqlite3_trace_v2(
      handle, CUnsignedInt(events),
      { event, watcher, object, detail in
        guard let watcher, let object else { return 0 }
        Unmanaged<StatementWatcher>.fromOpaque(watcher).takeUnretainedValue()
          .traced(Int32(event), OpaquePointer(object), detail)
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  var counts: WatchedStatements { state.withLock { $0 } }

  func end() { sqlite3_trace_v2(handle.pointer, 0, nil, nil) }

  private func traced(
    _ event: Int32, _ statement: OpaquePointer, _ detail: UnsafeMutableRawPointer?
  ) {
    let sql = sqlite3_sql(statement).map { String(cString: $0) } ?? ""
    switch event {
    case SQLITE_TRACE_STMT:
      // A trigger's statement comes as a comment, `-- …`.
      let text = detail.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? sql
      guard !text.hasPrefix("--") || text == sql else { return }
      let steps = Self.fullScanSteps(statement)
      state.withLock { $0.begin(statement, fullScanSteps: steps) }
    case SQLITE_TRACE_ROW: state.withLock { $0.addRow(of: statement) }
    default:
      let steps = Self.fullScanSteps(statement)
      state.withLock { $0.end(statement, sql, fullScanSteps: steps) }
    }
  }

  private static func fullScanSteps(_ statement: OpaquePointer) -> CInt {
    sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0)
  }
}

/// The runs of statements on a connection.
struct WatchedStatements: Sendable {
  private struct Amount {
    var runs = 0
    var rows = 0
    var fullScanSteps = 0
  }

  private var amounts: [String: Amount] = [:]
  private(set) var statements = 0
  private(set) var rows = 0
  private(set) var fullScans = 0
  /// Of statements that run: their rows, and their full-scan steps at the beginning.
  private var running: [UInt: (rows: Int, fullScanSteps: CInt)] = [:]

  mutating func begin(_ statement: OpaquePointer, fullScanSteps: CInt) {
    // SQLite restarts a statement after its schema has changed.
    guard running[UInt(bitPattern: statement)] == nil else { return }
    running[UInt(bitPattern: statement)] = (0, fullScanSteps)
    statements += 1
  }

  mutating func addRow(of statement: OpaquePointer) {
    guard running[UInt(bitPattern: statement)] != nil else { return }
    running[UInt(bitPattern: statement)]?.rows += 1
    rows += 1
  }

  mutating func end(_ statement: OpaquePointer, _ sql: String, fullScanSteps: CInt) {
    guard let run = running.removeValue(forKey: UInt(bitPattern: statement)) else { return }
    // The program may have set the counter back.
    let isSetBack = fullScanSteps < run.fullScanSteps
    let steps = isSetBack ? fullScanSteps : fullScanSteps - run.fullScanSteps
    if steps > 0 { fullScans += 1 }
    amounts[sql, default: Amount()].runs += 1
    amounts[sql]?.rows += run.rows
    amounts[sql]?.fullScanSteps += Int(steps)
  }

  /// The statements that ran, most runs first.
  var report: String {
    let lines = amounts.sorted { ($1.value.runs, $0.key) < ($0.value.runs, $1.key) }
      .map { sql, amount in
        let scans = amount.fullScanSteps > 0 ? ", \(amount.fullScanSteps) full-scan steps" : ""
        let rows = amount.rows == 1 ? "1 row" : "\(amount.rows) rows"
        return "  \(amount.runs)× \(LogText.escaped(sql)) — \(rows)\(scans)"
      }
    return lines.isEmpty ? "  no statement ended" : lines.joined(separator: "\n")
  }
}
