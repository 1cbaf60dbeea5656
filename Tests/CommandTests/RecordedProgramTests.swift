// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Python programs that are recorded unchanged, and the findings in them.
@Suite struct RecordedProgramTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  init() throws { folder = try TemporaryDirectory() }

  private static let start = """
    import os, signal, sqlite3, sys
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.chdir(sys.argv[1])
    db = sqlite3.connect("app.db", isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT)")
    db.execute("INSERT INTO item(name) WITH n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n LIMIT 600) SELECT v FROM n")

    """

  /// Records a program, and returns the text of a report.
  private func summary(of program: String) async throws -> String {
    let script = folder.path("app.py")
    try (Self.start + program).write(toFile: script, atomically: true, encoding: .utf8)
    let trace = folder.path("trace")
    let run = try await report.run(
      "record", "-o", trace, "--", "python3", script, folder.url.path)
    #expect(run.status == 0, "\(run.error)")
    return try await report.run("summary", trace).output
  }

  // MARK: - A transaction for each row

  /// A server with requests that write over one connection to the database.
  private static func server(rows: Int, requests: Int) -> String {
    """
    import http.client, http.server, threading
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def do_POST(self):
            first = int(self.path[1:]) * \(rows) + 1
            for number in range(first, first + \(rows)):
                db.execute("SELECT name FROM item WHERE id = ?", (number,)).fetchone()
                db.execute("UPDATE item SET name = ? WHERE id = ?", (self.path, number))
            self.send_response(204)
            self.end_headers()
        def log_message(self, *parts): pass
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    client = http.client.HTTPConnection(*server.server_address)
    for number in range(\(requests)):
        client.request("POST", f"/{number}")
        client.getresponse().read()
    client.close()
    server.shutdown()
    thread.join()
    """
  }

  @Test func requestsThatWriteARowEachAreNotGrouped() async throws {
    let text = try await summary(of: Self.server(rows: 1, requests: 120))
    #expect(text.contains("No findings."), "\(text)")
  }

  // MARK: - Errors

  @Test func tooManyParametersAreNamedWithTheLimit() async throws {
    let text = try await summary(
      of: """
        db.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 100)
        try: db.execute(f"SELECT name FROM item WHERE id IN ({','.join('?' * 120)})", range(120))
        except sqlite3.OperationalError: pass
        """)
    #expect(text.contains("app.py:9  a statement beyond a limit on 'item'"), "\(text)")
    #expect(text.contains("it has 120 parameters, and this connection accepts 100"), "\(text)")
  }

  @Test func anErrorThatTheProgramHandlesHasALineAndNoFinding() async throws {
    let text = try await summary(
      of: """
        try: db.execute("SELECT name FROM missing")
        except sqlite3.OperationalError: pass
        """)
    #expect(text.contains("No findings, 1 error."), "\(text)")
    #expect(text.contains("1 error at app.py:8: SQLITE_ERROR: no such table: missing"), "\(text)")
  }

  // MARK: - Compiling

  @Test func valuesInTheTextAreCompiledEachTime() async throws {
    let text = try await summary(
      of: """
        for number in range(1, 201):
            db.execute(f"SELECT name FROM item WHERE id = {number}").fetchall()
        """)
    #expect(text.contains("app.py:9  a statement compiled for each run on 'item'"), "\(text)")
    #expect(text.contains("200 texts that differ only in their values were compiled 200 times"))
    #expect(text.contains("compiling"), "\(text)")
  }

  @Test func aScriptOfManyInsertsIsNotReported() async throws {
    let text = try await summary(
      of: """
        script = "".join(f"INSERT INTO item(name) VALUES ('n{number}');" for number in range(300))
        db.executescript(f"BEGIN; {script} COMMIT")
        """)
    #expect(text.contains("No findings."), "\(text)")
  }

  @Test func aRequestThatCommitsEachOfItsRowsIsFound() async throws {
    let text = try await summary(of: Self.server(rows: 60, requests: 2))
    #expect(text.contains("app.py:15  a transaction for each write on 'item'"), "\(text)")
  }
}
