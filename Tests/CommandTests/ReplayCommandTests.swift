// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import TestSupport
import Testing

/// A program's work is repeated on copies, unchanged and with a change, and differences from the
/// recording are named.
@Suite struct ReplayCommandTests {
  private let sample: RecordedLoans
  init() throws { sample = try RecordedLoans() }

  private var folder: TemporaryDirectory { sample.folder }
  private var report: Program { sample.report }
  private var database: String { sample.database }
  private var trace: String { sample.trace }
  private static let loans = RecordedLoans.program

  private func makeDatabase(mode: String = "DELETE") throws { try sample.makeDatabase(mode: mode) }

  private func record(_ program: String, _ arguments: [String]? = nil) async throws {
    try await sample.record(program, arguments)
  }

  @Test func anIndexIsMeasuredOnTheRecordedRuns() async throws {
    try makeDatabase()
    try await record(Self.loans)
    let before = try FolderSnapshot(folder.url)
    let run = try await report.run(
      "replay", trace, "--with", "CREATE INDEX loan_book ON loan(book)")
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.contains("SCAN loan"), "\(run.output)")
    #expect(run.output.contains("SEARCH loan USING COVERING INDEX loan_book (book=?)"))
    #expect(run.output.contains("All runs had the rows, changes and result codes"))
    #expect(try FolderSnapshot(folder.url) == before)
  }

  @Test func anIndexOfATableThatTheProgramMakesIsMadeLater() async throws {
    try await record(
      """
      db = sqlite3.connect("app.db")
      db.execute("CREATE TABLE loan(id INTEGER PRIMARY KEY, book INTEGER, day TEXT)")
      \(Self.loans)
      """)
    let run = try await report.run(
      "replay", trace, "--with", "CREATE INDEX loan_book ON loan(book)")
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.contains("USING COVERING INDEX loan_book"), "\(run.output)")
  }

  @Test func anIndexThatMisleadsIsARegression() async throws {
    try makeDatabase()
    try Connection(path: database).execute("CREATE INDEX loan_book ON loan(book)")
    try await record(Self.loans)
    let run = try await report.run("replay", trace, "--with", "DROP INDEX loan_book")
    #expect(run.status == 2, "\(run.output)\(run.error)")
    #expect(run.output.contains("replay: 1 statement costs more"), "\(run.output)")
  }

  @Test func aSettingReplacesTheProgramsOwn() async throws {
    try makeDatabase()
    try await record(
      "db = sqlite3.connect('app.db')\ndb.execute('PRAGMA journal_mode = WAL').fetchall()\n"
        + Self.loans)
    let run = try await report.run("replay", trace, "--pragma", "journal_mode=DELETE")
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(!run.output.contains("another result"), "\(run.output)")
  }

  @Test func theSameLibraryTwiceHasNoDifference() async throws {
    try makeDatabase()
    try await record(Self.loans)
    let library = try #require(Self.loadedLibrary)
    try FileManager.default.copyItem(atPath: library, toPath: folder.path("other.so"))
    let run = try await report.run("replay", trace, "--sqlite", folder.path("other.so"))
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.hasPrefix("replay: the same VM steps"), "\(run.output)")
    #expect(!run.output.contains("Statements that changed"))
  }

  /// The file of the SQLite library of this process.
  private static var loadedLibrary: String? {
    // A file without a size, which is read to its end.
    let maps = FileHandle(forReadingAtPath: "/proc/self/maps")?.readDataToEndOfFile() ?? Data()
    return String(decoding: maps, as: UTF8.self).split(separator: "\n")
      .first { $0.contains("libsqlite3.so") }?.split(separator: " ").last.map(String.init)
  }

  /// The order of the commits is that of the recording, whichever process wrote its event first.
  @Test(arguments: ["WAL", "DELETE"])
  func concurrentProcessesAreReplayedWithoutADivergence(mode: String) async throws {
    try makeDatabase(mode: mode)
    try await record(
      """
      def work(k):
          c = sqlite3.connect("app.db", timeout=60)
          for i in range(40):
              with c: c.execute("INSERT INTO loan(book, day) VALUES (?, 'x')", (k * 1000 + i,))
              c.execute("SELECT book, count(*) FROM loan GROUP BY book").fetchall()
              c.execute("UPDATE loan SET day = 'y' WHERE book % 7 = ? AND day = 'x'", (i % 7,)); c.commit()
      for p in range(2):
          if os.fork() == 0:
              threads = [threading.Thread(target=work, args=(p * 10 + j,)) for j in range(2)]
              for t in threads: t.start()
              for t in threads: t.join()
              os._exit(0)
      for p in range(2): os.wait()

      """)
    let run = try await report.run("replay", trace)
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.contains("All runs had the rows, changes and result codes"), "\(run.output)")
  }

  @Test func allValuesAreWhole() async throws {
    try makeDatabase()
    try await record(
      """
      db = sqlite3.connect("app.db")
      db.execute("CREATE TABLE kept(a, b)"); db.commit()
      values = [1/3, 2**62, -5, None, "x" * 5000, "nul\\0 quote' \\n", b"", b"\\x00\\xff" * 4000, float("inf")]
      for value in values:
          with db: db.execute("INSERT INTO kept VALUES (?, ?)", (value, value))
          db.execute("SELECT * FROM kept WHERE a IS ?", (value,)).fetchall()
      many = list(range(500))
      db.execute(f"SELECT count(*) FROM loan WHERE id IN ({','.join('?' * 500)})", many).fetchall()

      """)
    let run = try await report.run("replay", trace)
    #expect(run.status == 0, "\(run.output)\(run.error)")
  }

  /// The probe records its statements, with the functions that the store defines.
  @Test func aStoreIsReplayed() async throws {
    let transit = Program("transit")
    let store = folder.path("transit.sqlite")
    let made = try await transit.run(
      "generate", "--stops", "300", "--stop-times", "3000", "--seed", "1", "--store", store)
    #expect(made.status == 0, "\(made.error)")
    for search in [["--geo"], ["--departures", "--at", "08:30"], ["--text", "u gorli"]] {
      let recording = folder.path("trace \(search[0])")
      let run = try await report.run(
        ["record", "--replayable", store, "-o", recording, "--", transit.path, "search"] + search
          + ["--store", store])
      #expect(run.status == 0, "\(run.error)")
      let replay = try await report.run("replay", recording)
      #expect(replay.status == 0, "\(search): \(replay.output)\(replay.error)")
    }
  }

  @Test func statementsThatCannotBeReplayedAreNamed() async throws {
    try makeDatabase()
    try Connection(path: folder.path("victim.db")).execute("CREATE TABLE t(a)")
    try await record(
      """
      db = sqlite3.connect("app.db", isolation_level=None)
      db.create_function("f2", 1, lambda x: x)
      db.execute("SELECT f2(1)").fetchall()
      db.execute("VACUUM INTO 'out.db'")
      db.execute("ATTACH 'victim.db' AS v")
      db.execute("INSERT INTO v.t VALUES (1)")
      sqlite3.connect("later.db").execute("CREATE TABLE t(a)")
      db.execute("SELECT 1").fetchone()

      """)
    try FileManager.default.removeItem(atPath: folder.path("out.db"))
    let before = try FolderSnapshot(folder.url)
    let run = try await report.run("replay", trace)
    #expect(run.status == 3, "\(run.output)\(run.error)")
    for sentence in [
      "a function or collation that the program defines, f2", "a file that is not a copy",
      "a database without a copy from the start",
    ] { #expect(run.output.contains(sentence), "\(run.output)") }
    #expect(try FolderSnapshot(folder.url) == before)
  }

  @Test func aRecordingWithoutValuesIsInconclusive() async throws {
    try makeDatabase()
    try await record(Self.loans, ["--log"])
    let run = try await report.run("replay", trace, "--database", database)
    #expect(run.status == 3)
    #expect(run.output.contains("values that were not recorded whole"), "\(run.output)")
  }

  @Test func aSettingThatPaysIsFound() async throws {
    try makeDatabase()
    try await record(
      """
      db = sqlite3.connect("app.db")
      for i in range(300):
          with db: db.execute("INSERT INTO loan(book, day) VALUES (?, 'x')", (i,))

      """)
    let run = try await report.run("replay", trace, "--advise-pragmas")
    #expect(run.status == 0, "\(run.output)\(run.error)")
    // The disk's time decides which ones; each is listed.
    for setting in ["journal_mode = WAL", "synchronous = NORMAL", "cache_size = -64000"] {
      #expect(run.output.contains(setting), "\(run.output)")
    }
  }
}
