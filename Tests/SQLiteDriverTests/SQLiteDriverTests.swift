// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import TestSupport
import Testing

@Suite struct StatementTests {
  let connection: Connection
  init() throws { connection = try Connection(path: ":memory:") }

  private func prepareError(_ sql: String) -> SQLiteError? {
    do {
      _ = try connection.prepare(sql)
      return nil
    } catch {
      return error
    }
  }

  @Test func emptyTextAndBlobAreNotNull() throws {
    let statement = try connection.prepare("SELECT typeof(?), typeof(?), ?, ?")
    statement.bind("", at: 1)
    statement.bind(blob: UnsafeRawBufferPointer(start: nil, count: 0), at: 2)
    statement.bind("", at: 3)
    statement.bind(blob: UnsafeRawBufferPointer(start: nil, count: 0), at: 4)
    #expect(try statement.step())
    #expect(statement.string(0) == "text")
    #expect(statement.string(1) == "blob")
    #expect(statement.columnType(2) == .text && statement.utf8(2).isEmpty)
    #expect(statement.columnType(3) == .blob && statement.blob(3).isEmpty)
  }

  @Test func keepsNULInsideText() throws {
    let statement = try connection.prepare("SELECT ?")
    statement.bind("a\0b", at: 1)
    #expect(try statement.step())
    #expect(statement.string(0) == "a\0b")
  }

  @Test func refusesNULInSQL() throws {
    #expect(prepareError("SELECT 1\0; DROP TABLE t")?.message == "the SQL holds a NUL character")
    try connection.execute("CREATE TABLE t(a)")
    #expect(throws: SQLiteError.self) { try connection.execute("DELETE FROM t;\0nonsense") }
  }

  @Test(arguments: ["", " ", "-- nothing", "/* nothing */ ;"])
  func refusesTextWithoutStatement(sql: String) {
    #expect(prepareError(sql)?.message == "no statement in the text")
  }

  @Test(arguments: ["SELECT 1; SELECT 2", "SELECT 1;;x", "SELECT 1; /* a */ SELECT 2"])
  func refusesSecondStatement(sql: String) {
    #expect(prepareError(sql)?.message == "more than one statement in the text")
  }

  @Test(arguments: ["SELECT 1;", "SELECT 1 ; -- done", "SELECT 1;; /* a; b */ ;\n"])
  func acceptsSpaceAndCommentsAfterTheStatement(sql: String) throws {
    #expect(try connection.prepare(sql).step())
  }

  @Test func errorReportsCodeTextAndPlace() throws {
    let error = try #require(prepareError("SELECT é, nosuch"))
    #expect(error.code == 1)
    #expect(error.message.contains("no such column"))
    #expect(error.sql == "SELECT é, nosuch")
    #expect(error.description.contains(" of: SELECT é, nosuch"))
  }

  @Test func constraintFailureHasItsExtendedCode() throws {
    try connection.execute("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES(1)")
    let statement = try connection.prepare("INSERT INTO t VALUES(1)")
    do {
      try statement.run()
      Issue.record("the second 1 went in")
    } catch {
      #expect(error.extendedCode == 2067)
      #expect(error.offset == nil)
    }
  }

  @Test func failedBindIsThrownByTheNextStepOnly() throws {
    let statement = try connection.prepare("SELECT ?")
    statement.bind(Int64(1), at: 2)
    #expect(throws: SQLiteError.self) { _ = try statement.step() }
    statement.bind(Int64(7), at: 1)
    #expect(try statement.step())
    #expect(statement.int64(0) == 7)
  }

  @Test func bindingWhileRunningIsNotSilent() throws {
    let statement = try connection.prepare("SELECT ? UNION ALL SELECT 2")
    #expect(try statement.step())
    statement.bind(Int64(1), at: 1)
    #expect(throws: SQLiteError.self) { _ = try statement.step() }
  }

  @Test func columnCountFollowsTheSchema() throws {
    try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
    let statement = try connection.prepare("SELECT * FROM t")
    try connection.execute("ALTER TABLE t ADD COLUMN b DEFAULT 2")
    #expect(try statement.step())
    #expect(statement.columnCount == 2)
    #expect(statement.int64(1) == 2)
  }

  @Test func countsWorkOnce() throws {
    try connection.execute(
      "CREATE TABLE t(a); WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 50) "
        + "INSERT INTO t SELECT i FROM n")
    let statement = try connection.prepare("SELECT a FROM t ORDER BY a DESC")
    try statement.run()
    let counters = statement.takeCounters()
    #expect(counters.fullScanSteps == 49)
    #expect(counters.sorts == 1)
    #expect(counters.vmSteps > 50)
    #expect(statement.takeCounters() == StatementCounters())
  }

  @Test func planErrorPointsIntoTheUsersSQL() throws {
    do {
      _ = try connection.plan("SELECT nosuch")
      Issue.record("compiled")
    } catch {
      #expect(error.sql == "SELECT nosuch")
      #expect(error.offset == 7)
    }
  }
}

@Suite struct StatementCacheTests {
  @Test func statementInUseIsNotHandedOutAgain() throws {
    let connection = try Connection(path: ":memory:")
    let sql = "SELECT 1 UNION ALL SELECT 2"
    let first = try connection.cachedStatement(sql)
    #expect(try first.step())
    let second = try connection.cachedStatement(sql)
    #expect(second !== first)
    #expect(try second.step())
    #expect(second.int64(0) == 1)
    #expect(try first.step())
    #expect(first.int64(0) == 2)
    connection.recycle(first)
    connection.recycle(second)
    #expect(try connection.cachedStatement(sql) === second)
  }

  @Test func recycledStatementDiscardsItsValues() throws {
    let connection = try Connection(path: ":memory:")
    let first = try connection.cachedStatement("SELECT ?")
    first.bind("secret", at: 1)
    #expect(try first.step())
    connection.recycle(first)
    let again = try connection.cachedStatement("SELECT ?")
    #expect(again === first)
    #expect(try again.step())
    #expect(again.isNull(0))
  }

  @Test func theLongestUnusedGoesFirst() throws {
    let connection = try Connection(path: ":memory:", statementCacheCapacity: 2)
    let statements = try ["SELECT 1", "SELECT 2", "SELECT 3"].map(connection.cachedStatement)
    statements.forEach(connection.recycle)
    #expect(try connection.cachedStatement("SELECT 3") === statements[2])
    #expect(try connection.cachedStatement("SELECT 2") === statements[1])
    #expect(try connection.cachedStatement("SELECT 1") !== statements[0])
  }

  @Test func capacityZeroKeepsNothing() throws {
    let connection = try Connection(path: ":memory:", statementCacheCapacity: 0)
    let first = try connection.cachedStatement("SELECT 1")
    connection.recycle(first)
    #expect(try connection.cachedStatement("SELECT 1") !== first)
  }
}

@Suite struct ConnectionTests {
  @Test func busyHandlerIsCalledUntilItStops() throws {
    let folder = try TemporaryDirectory()
    let writer = try Connection(path: folder.path("a.sqlite"))
    try writer.execute("CREATE TABLE t(a); BEGIN IMMEDIATE")
    let other = try Connection(path: folder.path("a.sqlite"))
    nonisolated(unsafe) var attempts: [Int32] = []
    other.setBusyHandler {
      attempts.append($0)
      return $0 < 2
    }
    do {
      try other.execute("BEGIN IMMEDIATE")
      Issue.record("two writers")
    } catch {
      #expect(error.isBusy)
    }
    #expect(attempts == [0, 1, 2])
  }

  @Test func statementMayOutliveItsConnection() throws {
    var connection: Connection? = try Connection(path: ":memory:")
    connection?.setBusyHandler { _ in false }
    let statement = try #require(try connection?.prepare("SELECT 42"))
    connection = nil
    #expect(try statement.step())
    #expect(statement.int64(0) == 42)
  }

  @Test(arguments: ["ä %41 ? #.sqlite", "a&b=c.sqlite"])
  func guardedFindsFilesOfAnyName(name: String) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path(name)
    try Connection(path: path).execute("CREATE TABLE t(a); INSERT INTO t VALUES(5)")
    let statement = try Connection(path: "/" + path, mode: .guarded).prepare("SELECT a FROM t")
    #expect(try statement.step())
    #expect(statement.int64(0) == 5)
  }

  @Test func refusesNULInPath() {
    #expect(throws: SQLiteError.self) { _ = try Connection(path: "a\0b", mode: .create) }
  }
}
