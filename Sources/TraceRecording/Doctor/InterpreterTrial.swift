// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents

/// A few lines of a language that open a database in memory.
struct InterpreterTrial {
  private let arguments: [String]
  private let language: String

  /// By the beginning of the interpreter's name.
  private static let trials: [(name: String, language: String, arguments: [String])] = [
    (
      "python", "Python",
      [
        "-c",
        """
        import importlib
        for name in 'sqlite3', 'apsw', 'pysqlite3', 'sqlean':
          try: driver = importlib.import_module(name)
          except Exception: continue
          connect = driver.Connection if name == 'apsw' else driver.connect
          connect(':memory:').execute('SELECT 1').fetchall()
        """,
      ]
    ),
    (
      "php", "PHP", ["-r", "(new SQLite3(':memory:'))->query('SELECT 1')->fetchArray();"]
    ),
    (
      "ruby", "Ruby",
      ["-e", "require 'sqlite3'; SQLite3::Database.new(':memory:').execute('SELECT 1')"]
    ),
    (
      "perl", "Perl",
      ["-MDBI", "-e", "DBI->connect('dbi:SQLite::memory:')->selectall_arrayref('SELECT 1')"]
    ),
    (
      "node", "Node",
      ["-e", "new (require('node:sqlite').DatabaseSync)(':memory:').prepare('SELECT 1').all()"]
    ),
    (
      // Takes its script on its input alone.
      "tclsh", "Tcl",
      [
        "/bin/sh", "-c", #"printf %s "$1" | exec "$0""#, "",
        "package require sqlite3; sqlite3 db :memory:; db eval {SELECT 1}; db close",
      ]
    ),
    ("sqlite3", "", [":memory:", "SELECT 1"]),
  ]

  /// Nil if the program is no interpreter that is known.
  init?(_ program: String) {
    let file = program.split(separator: "/").last.map(String.init) ?? program
    let name = file.hasPrefix("pypy") ? "python" : file
    guard let trial = Self.trials.first(where: { name.hasPrefix($0.name) }) else { return nil }
    arguments = trial.arguments
    language = trial.language
  }

  func run(
    _ program: String, _ probe: String, _ diagnosis: inout ProgramDiagnosis,
    readLog: (String) throws -> [StoreEvent]
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "storescope-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let log = folder.appending(path: "log.txt").path
    var variables = Dictionary(uniqueKeysWithValues: ProbeLibrary.variables(probe))
    variables["STORE_SQL_DEBUG"] = "1"
    variables["STORE_SQL_DEBUG_FILE"] = log
    if arguments[0] == "/bin/sh" {
      let arguments = arguments.dropFirst().map { $0.isEmpty ? program : $0 }
      _ = CommandText.run("/bin/sh", arguments, adding: variables)
    } else {
      _ = CommandText.run(program, arguments, adding: variables)
    }
    let events = FileManager.default.fileExists(atPath: log) ? try readLog(log) : []
    var hasLines = language.isEmpty
    for event in events {
      switch event {
      case .caller(let caller) where !caller.file.isEmpty: hasLines = true
      case .connectionOpened(let opened):
        add(
          .init(path: opened.sqlitePath, version: opened.sqliteVersion, way: opened.way, reason: "")
        )
      case .copyNotObserved(let copy):
        add(
          .init(path: copy.sqlitePath, version: copy.sqliteVersion, way: nil, reason: copy.reason))
      default: break
      }
    }
    func add(_ copy: ProgramDiagnosis.Copy) {
      if !diagnosis.copies.contains(copy) { diagnosis.copies.append(copy) }
    }
    if diagnosis.copies.isEmpty, language == "Node" {
      diagnosis.loadsSQLiteLater = true
      diagnosis.remarks.append(
        "node:sqlite opened no database in a trial; a copy of SQLite in a module, such as "
          + "better-sqlite3's, is looked for when the program runs")
      return
    }
    if diagnosis.copies.isEmpty {
      diagnosis.obstacles.append(
        "\(language.isEmpty ? "the program" : language) opened no database in a trial; "
          + "is its SQLite driver installed?")
      return
    }
    if !hasLines {
      diagnosis.addUnknownLines(of: language)
    }
    if !language.isEmpty {
      diagnosis.remarks.append(
        "tried with \(language)'s usual drivers; another one may bring its own copy of SQLite, "
          + "which is looked for when the program runs")
    }
  }
}
