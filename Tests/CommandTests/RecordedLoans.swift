// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// A library's loans, and Python programs that are recorded on them.
struct RecordedLoans {
  let folder: TemporaryDirectory
  let report = Program("trace-report")
  var database: String { folder.path("app.db") }
  var trace: String { folder.path("trace") }

  init() throws { folder = try TemporaryDirectory() }

  func makeDatabase(mode: String = "DELETE", _ more: String = "") throws {
    try Connection(path: database).execute(
      """
      PRAGMA journal_mode = \(mode);
      CREATE TABLE loan(id INTEGER PRIMARY KEY, book INTEGER, day TEXT);
      WITH n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n LIMIT 3000)
        INSERT INTO loan(book, day) SELECT v % 50, 'day ' || v FROM n;
      \(more)
      """)
  }

  /// Records a Python program after lines that import its modules and go to the folder.
  func record(_ program: String, _ arguments: [String]? = nil) async throws {
    let script = folder.path("app.py")
    try "import os, sqlite3, threading\nos.chdir('\(folder.url.path)')\n\(program)"
      .write(toFile: script, atomically: true, encoding: .utf8)
    let run = try await report.run(
      ["record"] + (arguments ?? ["--replayable", database])
        + ["-o", trace, "--", "python3", script])
    #expect(run.status == 0, "\(run.error)")
  }

  static let program = """
    db = sqlite3.connect("app.db")
    for i in range(60):
        with db: db.execute("INSERT INTO loan(book, day) VALUES (?, ?)", (i % 50, "x" * 300))
        db.execute("SELECT count(*) FROM loan WHERE book = ?", (i % 50,)).fetchone()
    db.execute("SELECT * FROM loan WHERE day LIKE ?", ("day%",)).fetchone()

    """
}
