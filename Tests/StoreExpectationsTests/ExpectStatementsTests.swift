// SPDX-License-Identifier: Apache-2.0

import CSQLite
import SQLiteProbe
import StoreExpectations
import Synchronization
import Testing

@Suite struct ExpectStatementsTests {
  private func withConnection(_ body: (OpaquePointer) throws -> Void) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    #expect(sqlite3_open(":memory:", &handle) == SQLITE_OK)
    let connection = try #require(handle)
    run(
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE TABLE log(a);"
        + "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES(1); END;"
        + "INSERT INTO t(b) VALUES(1), (2), (3)", on: connection)
    try body(connection)
  }

  private func run(_ sql: String, on connection: OpaquePointer) {
    #expect(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK)
  }

  private func issue(_ body: () throws -> Void) throws -> String {
    let found = Mutex("")
    try withKnownIssue {
      try body()
    } matching: { issue in
      found.withLock { $0 += issue.comments.map(\.rawValue).joined(separator: "\n") }
      return true
    }
    return found.withLock { $0 }
  }

  @Test func statementsWithinTheirLimitAreNoIssue() throws {
    try withConnection { connection in
      expectStatements(on: connection, atMost: 2, rows: 1, fullScans: 0) {
        run("SELECT b FROM t WHERE a = 2; INSERT INTO t(b) VALUES(4)", on: connection)
      }
      expectStatements(on: connection, statements: 0) {}
    }
  }

  @Test func anIssueNamesTheStatementsAndTheirScans() throws {
    try withConnection { connection in
      let text = try issue {
        expectStatements(on: connection, atMost: 1, fullScans: 0) {
          run("SELECT a FROM t WHERE b = 2; SELECT a FROM t WHERE a = 1", on: connection)
        }
      }
      #expect(
        text == """
          expected at most 1 statements, counted 2; expected 0 full scans, counted 1
            1× SELECT a FROM t WHERE a = 1 — 1 row
            1× SELECT a FROM t WHERE b = 2; — 1 row, 2 full-scan steps
          """)
    }
  }

  @Test func afterTheBodyNothingIsCounted() throws {
    try withConnection { connection in
      expectStatements(on: connection, statements: 1) { run("SELECT 1", on: connection) }
      run("SELECT 2", on: connection)
    }
  }

  @Test func withoutTheProbeNoConnectionIsObserved() throws {
    try withConnection { connection in
      #expect(!SQLiteProbe.isLoaded)
      #expect(!SQLiteProbe.observe(connection))
    }
  }
}
