// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `trace-report locks` names the hazards of a database, from outside, and none in healthy
/// programs.
@Suite(.enabled(if: Python.has("sqlite3"))) struct HazardTests {
  private let directory: TemporaryDirectory
  private let report = BuiltTool("trace-report")
  private var database: String { directory.path("app.db") }

  init() throws { directory = try TemporaryDirectory() }

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var modes: [String] = ["WAL", "DELETE"]
    var code: String
    /// Kinds, with a "?" behind notes.
    var hazards: [String]
    var testDescription: String { name }
  }

  private static let insert =
    "c.execute('BEGIN IMMEDIATE'); c.execute('INSERT INTO t VALUES (2)')\n"

  static let hazards: [Case] = [
    Case(
      name: "the database file is opened and closed", modes: ["WAL"], code: "open(P).close()",
      hazards: ["lostLocks"]),
    Case(
      name: "the -shm file is opened and closed in a transaction", modes: ["WAL"],
      code: insert + "open(P + '-shm').close()", hazards: ["lostLocks"]),
    Case(
      name: "the database file is opened and closed in a transaction beside another program",
      modes: ["DELETE", "TRUNCATE", "PERSIST"],
      code: "other('x = sqlite3.connect(P)')\n" + insert + "open(P).close()",
      hazards: ["lostLocks"]),
    Case(
      name: "a transaction without locks and without another program", modes: ["DELETE"],
      code: insert + "open(P).close()", hazards: ["unlockedTransaction?"]),
    Case(
      name: "the log is deleted", modes: ["WAL"],
      code: "os.unlink(P + '-wal'); c.execute('INSERT INTO t VALUES (2)')",
      hazards: ["deletedLog"]),
    Case(
      name: "the -shm file is replaced", modes: ["WAL"],
      code: "open(P + '-new', 'w').close(); os.rename(P + '-new', P + '-shm')",
      hazards: ["replacedWALIndex"]),
    Case(
      name: "all files are deleted", modes: ["WAL"],
      code: "[os.unlink(P + s) for s in ['', '-wal', '-shm']]",
      hazards: ["deletedDatabase", "deletedLog", "deletedWALIndex"]),
    Case(
      name: "the database is replaced",
      code: "x = connect(P + '2'); c.backup(x); x.close(); os.rename(P + '2', P)",
      hazards: ["replacedDatabase"]),
    Case(
      name: "the journal is deleted", modes: ["DELETE"], code: insert + "os.unlink(P + '-journal')",
      hazards: ["deletedJournal"]),
    Case(
      name: "a connection is used after fork()", modes: ["WAL"],
      code: "fork('c.execute(\"BEGIN IMMEDIATE\")')", hazards: ["usedAfterFork"]),
    Case(
      name: "a second link", modes: ["WAL"],
      code: """
        os.link(P, P + '.b')
        other('x = sqlite3.connect(P + ".b"); x.execute("PRAGMA user_version = 2")')
        """,
      hazards: ["severalLogs"]),
    Case(
      name: "a second link", modes: ["DELETE"],
      code: "os.link(P, P + '.b'); other('x = sqlite3.connect(P + \".b\")')", hazards: ["otherName"]
    ),
    Case(
      name: "two copies of SQLite", modes: ["WAL"], code: twoCopies, hazards: ["severalImages"]),
    Case(
      name: "two copies of SQLite", modes: ["DELETE"], code: twoCopies,
      hazards: ["possiblySeveralImages?"]),
    Case(
      name: "a second copy of SQLite has closed the database", modes: ["WAL"],
      code: twoCopies + "; L.sqlite3_close(h); c.execute('INSERT INTO t VALUES (2)')",
      hazards: ["deletedLog", "deletedWALIndex?"]),
  ]

  private static let twoCopies = """
    import ctypes
    library = next(l.split()[-1] for l in open('/proc/self/maps') if '/libsqlite3.so' in l)
    shutil.copy(library, P + '.so')
    L = ctypes.CDLL(P + '.so'); h = ctypes.c_void_p()
    L.sqlite3_open(P.encode(), ctypes.byref(h))
    L.sqlite3_exec(h, b'SELECT * FROM t', None, None, None)
    """

  static let healthy: [Case] = [
    Case(name: "an idle connection", code: "", hazards: []),
    Case(name: "a write transaction", code: insert, hazards: []),
    Case(
      name: "a read transaction",
      code: "c.execute('BEGIN'); c.execute('SELECT * FROM t').fetchall()", hazards: []),
    Case(name: "a connection that has not read", code: "c.close(); c = connect()", hazards: []),
    Case(name: "two connections", code: "x = connect(); x.execute('SELECT * FROM t')", hazards: []),
    Case(
      name: "immutable=1",
      code: "c.close(); c = connect(f'file:{P}?immutable=1', True); c.execute('SELECT * FROM t')",
      hazards: []),
    Case(
      name: "nolock=1", modes: ["DELETE"],
      code: "c.close(); c = connect(f'file:{P}?nolock=1', True); c.execute('SELECT * FROM t')",
      hazards: []),
    Case(
      name: "mode=ro",
      code: "x = connect(f'file:{P}?mode=ro', True); x.execute('SELECT * FROM t')", hazards: []),
    Case(
      name: "exclusive", code: "c.execute('PRAGMA locking_mode = EXCLUSIVE')\n" + insert,
      hazards: []),
    Case(
      name: "exclusive from the start",
      code: "c.close(); c = connect(); c.execute('PRAGMA locking_mode = EXCLUSIVE')\n" + insert,
      hazards: []),
    Case(
      name: "a kept journal", modes: ["PERSIST", "TRUNCATE", "MEMORY", "OFF"], code: insert,
      hazards: []),
    Case(
      name: "a backup under way",
      code:
        "x = connect(P + '2'); [c.execute('INSERT INTO t VALUES (zeroblob(9000))') for i in range(9)]\n"
        + "other('x = sqlite3.connect(P + \"2\"); c = sqlite3.connect(P); c.backup(x)')",
      hazards: []),
    Case(
      name: "a child that does not use the connection", modes: ["WAL"], code: "fork('')",
      hazards: ["inherited?"]),
    Case(
      name: "a child whose parent has closed the connection", modes: ["WAL"],
      code: "fork(''); c.close()", hazards: ["deletedLog?", "deletedWALIndex?", "inherited?"]),
    Case(
      name: "a program that copies the file",
      code: "tail = subprocess.Popen(['tail', '-f', P], stdout=subprocess.DEVNULL); "
        + "children.append(tail)\n"
        + "while not any('app.db' in os.readlink(f'/proc/{tail.pid}/fd/{d}') "
        + "for d in os.listdir(f'/proc/{tail.pid}/fd')): time.sleep(0.01)",
      hazards: ["otherProgram?"]),
  ]

  @Test(arguments: hazards + healthy) func areNamed(_ item: Case) async throws {
    for mode in item.modes {
      let file = directory.path("\(mode)/app.db")
      try FileManager.default.createDirectory(
        atPath: directory.path(mode), withIntermediateDirectories: true)
      let program = try PythonProgram(item.code, database: file, mode: mode)
      defer { program.end() }
      let run = try await report.run("locks", file, "--json", "--fail-on", "warning")
      let found = try JSONDecoder().decode(Locks.self, from: Data(run.output.utf8)).hazards
      // Debian's version has the race.
      let names = found.map(\.name).filter { $0 != "resetRace?" }
      #expect(names == item.hazards, "\(item.name), \(mode): \(found)")
      let hasWarning = item.hazards.contains { !$0.hasSuffix("?") }
      #expect(run.status == (hasWarning ? 2 : 0), "\(run.errorOutput)")
    }
  }

  private struct Locks: Decodable {
    struct Hazard: Decodable {
      var kind: String
      var severity: String
      var fact: String
      var transactions: Int?
      var users: [User]
      var name: String { kind + (severity == "note" ? "?" : "") }
    }
    struct User: Decodable { var process: Process }
    struct Process: Decodable { var pid: Int32 }
    var hazards: [Hazard]
  }

  @Test func aDeletedLogIsCountedInTransactionsAndNamesItsProcess() async throws {
    let program = try PythonProgram(
      "c.execute('PRAGMA wal_checkpoint'); os.unlink(P + '-wal')\n"
        + "for i in range(20): c.execute('INSERT INTO t VALUES (2)')",
      database: database, mode: "WAL")
    defer { program.end() }
    let run = try await report.run("locks", database, "--json")
    let hazards = try JSONDecoder().decode(Locks.self, from: Data(run.output.utf8)).hazards
    #expect(hazards.map(\.transactions) == [20])
    #expect(hazards.first?.users.map(\.process.pid) == [program.pid])
  }

  @Test func aWriterWithoutItsLocksIsNotCalledNoWriter() async throws {
    let program = try PythonProgram(
      Self.insert + "open(P + '-shm').close()", database: database, mode: "WAL")
    defer { program.end() }
    let run = try await report.run("locks", database)
    #expect(run.output.contains("python3[\(program.pid)] has lost its locks"), "\(run.output)")
    #expect(!run.output.contains("no process holds the writer lock"))
    #expect(run.output.contains(" · started "))
  }

  @Test func twoProcessesWithAnOlderSQLiteAreANote() async throws {
    let program = try PythonProgram(
      "other('x = sqlite3.connect(P); x.execute(\"SELECT * FROM t\")')", database: database,
      mode: "WAL")
    defer { program.end() }
    let run = try await report.run("locks", database, "--json", "--fail-on", "note")
    let hazards = try JSONDecoder().decode(Locks.self, from: Data(run.output.utf8)).hazards
    let isOld = try await Self.hasOldPython()
    #expect(hazards.map(\.name) == (isOld ? ["resetRace?"] : []), "\(hazards)")
    #expect(run.status == (isOld ? 2 : 0))
  }

  /// Whether Python's SQLite lacks the fix.
  private static func hasOldPython() async throws -> Bool {
    let run = try await BuiltTool("trace-report").run(
      through: ["python3", "-c", "import sqlite3; print(sqlite3.sqlite_version)"], [])
    let parts = run.output.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
    return parts.lexicographicallyPrecedes([3, 51, 3])
      && !(parts.starts(with: [3, 50]) && parts[2] >= 7)
      && !(parts.starts(with: [3, 44]) && parts[2] >= 6)
  }

  /// Connections that open and close all the time, with journals that come and go.
  @Test(arguments: ["WAL", "DELETE", "PERSIST"]) func aFloodOfConnectionsIsHealthy(
    mode: String
  ) async throws {
    // Within one command: beside other tests it would run for minutes.
    let flood = """
      import json, os, signal, sqlite3, subprocess, sys
      def use(path):
          c = sqlite3.connect(path, timeout=10, isolation_level=None)
          c.execute("PRAGMA journal_mode = \(mode)")
          c.execute("CREATE TABLE IF NOT EXISTS t(a)")
          c.execute("INSERT INTO t VALUES (zeroblob(3000))")
          c.close()
      def flood(path):
          signal.alarm(100)
          while True:
              try: use(path)
              except sqlite3.OperationalError: pass
      use(sys.argv[3])
      children = []
      for i in range(2):
          children.append(os.fork())
          if children[-1] == 0: flood(sys.argv[3])
      try: runs = [json.loads(subprocess.run(sys.argv[1:], capture_output=True).stdout) for i in range(10)]
      finally:
          for child in children: os.kill(child, signal.SIGKILL)
      print(json.dumps({**runs[0], "hazards": [hazard for run in runs for hazard in run["hazards"]]}))
      """
    let run = try await report.run(
      through: ["timeout", "120", "python3", "-c", flood], ["locks", database, "--json"])
    let hazards = try JSONDecoder().decode(Locks.self, from: Data(run.output.utf8)).hazards
    #expect(hazards.filter { $0.severity == "warning" }.map(\.fact) == [])
  }
}
