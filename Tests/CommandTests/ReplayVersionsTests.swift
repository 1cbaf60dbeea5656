// SPDX-License-Identifier: Apache-2.0

import Foundation
import StatementReplay
import StoreEvents
import TestSupport
import Testing
import TraceRendering

/// Libraries that Scripts/sqlite-libraries.sh unpacked.
enum DebianLibrary {
  static func path(_ suite: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../.build/sqlite/\(suite)/libsqlite3.so.0").standardizedFileURL.path
  }

  static var isThere: Bool { FileManager.default.fileExists(atPath: path("bullseye")) }
}

/// An upgrade of SQLite, before it happens.
@Suite(
  .enabled(
    if: DebianLibrary.isThere, "run Scripts/sqlite-libraries.sh, which needs Debian's apt-get"))
struct ReplayVersionsTests {
  private let sample: RecordedLoans
  init() throws { sample = try RecordedLoans() }

  private static let books = """
    CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT, shelf INTEGER);
    INSERT INTO book SELECT book, 'b' || book, book % 5 FROM (SELECT DISTINCT book FROM loan WHERE book > 0);
    ANALYZE;
    """

  /// Debian 11 has 3.34, which has no Bloom filter in the plan; Debian 12 has 3.40.
  @Test func aPlanThatChangesIsNamedWithItsStatement() async throws {
    try sample.makeDatabase(mode: "DELETE", Self.books)
    try await sample.record(
      """
      db = sqlite3.connect("app.db")
      for i in range(20):
          db.execute("SELECT count(*) FROM loan, book WHERE loan.book = book.id AND book.title = ?", (f"b{i}",)).fetchall()
          db.execute("SELECT day FROM loan ORDER BY book, day").fetchall()

      """)
    let before = try FolderSnapshot(sample.folder.url)
    let run = try await sample.report.run(
      "replay", sample.trace, "--sqlite", DebianLibrary.path("bullseye"), "--sqlite",
      DebianLibrary.path("bookworm"))
    #expect([0, 2].contains(run.status), "\(run.output)\(run.error)")
    #expect(run.output.contains("BLOOM FILTER ON book (id=?)"), "\(run.output)")
    #expect(run.output.contains("FROM loan, book WHERE loan.book = book.id"), "\(run.output)")
    // A plan in other words is the same plan.
    #expect(!run.output.contains("ORDER BY book, day"), "\(run.output)")
    #expect(try FolderSnapshot(sample.folder.url) == before)
  }

  @Test func theSameVersionTwiceHasNoDifference() async throws {
    try sample.makeDatabase()
    try await sample.record(RecordedLoans.program)
    let library = DebianLibrary.path("bookworm")
    let run = try await sample.report.run(
      "replay", sample.trace, "--sqlite", library, "--sqlite", library)
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.hasPrefix("replay: no version of SQLite costs more"), "\(run.output)")
    let rows = run.output.split(separator: "\n").filter { $0.hasPrefix("3.40.1") }
    #expect(rows.count == 2 && rows.allSatisfy { $0.contains("1.00×") && $0.hasSuffix("0") })
    #expect(!run.output.contains("With SQLite"))
  }

  @Test func eachVersionIsInTheJSON() async throws {
    try sample.makeDatabase()
    try await sample.record(RecordedLoans.program)
    let run = try await sample.report.run(
      "replay", sample.trace, "--json", "--sqlite", DebianLibrary.path("bookworm"), "--sqlite",
      DebianLibrary.path("bullseye"))
    #expect([0, 2].contains(run.status), "\(run.output)\(run.error)")
    let versions = try JSONDecoder().decode([ReplayV1].self, from: Data(run.output.utf8))
    #expect(versions.map { $0.changedVersion.prefix(5) } == ["3.40.", "3.34."])
    #expect(Set(versions.map(\.recordedRuns)).count == 1)
    #expect(versions.allSatisfy { $0.after.vmSteps > 0 && $0.divergences.isEmpty })
  }
}
