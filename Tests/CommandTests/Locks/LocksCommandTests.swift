// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess
import TestSupport
import TraceRendering
import Testing

@Suite struct LocksCommandTests {
  private let report = Program("trace-report")
  private let folder: TemporaryDirectory
  private let database: String

  init() throws {
    folder = try TemporaryDirectory()
    database = folder.path("app.db")
  }

  private func locks(_ options: String...) async throws -> LocksV1 {
    let run = try await report.run(["locks", database, "--json"] + options)
    #expect(run.status == 0, "\(run.error)")
    return try JSONDecoder().decode(LocksV1.self, from: Data(run.output.utf8))
  }

  // MARK: - With a log

  @Test func namesTheWriterOfADatabaseWithALog() async throws {
    try await Database.make(database, isWAL: true)
    let holder = try SQLHolder(database, "BEGIN IMMEDIATE; INSERT INTO turn VALUES (1)", in: folder)
    defer { holder.end() }
    let state = try await locks()
    #expect(state.writers.map(\.process.pid) == [holder.pid] && state.writers[0].lock == "WRITE")
    #expect(state.writers[0].process.program.hasPrefix("python3") && state.journalMode == "wal")
    #expect(state.writers[0].process.command.contains("holder.py"))
    #expect(state.writers[0].process.userID == geteuid())
    let text = try await report.run("locks", database).output
    #expect(text.contains("the writer lock is held by \(state.writers[0].process.program)["))
  }

  @Test func namesTheReaderThatPinsTheLog() async throws {
    try await Database.make(database, isWAL: true)
    let writer = try SQLHolder(database, "SELECT 1", in: folder)
    defer { writer.end() }
    writer.run("INSERT INTO turn VALUES (1)")
    let reader = try SQLHolder(database, "BEGIN; SELECT count(*) FROM turn", in: folder)
    defer { reader.end() }
    for _ in 0..<30 { writer.run("INSERT INTO turn VALUES (1)") }
    writer.run("PRAGMA wal_checkpoint")
    let state = try await locks()
    let checkpoint = try #require(state.checkpoint)
    #expect(checkpoint.obstacle == "stops" && checkpoint.frame == checkpoint.checkpointed)
    #expect(checkpoint.frames > checkpoint.checkpointed)
    #expect(state.readers.filter(\.pinsLog).map(\.process.pid) == [reader.pid])
    #expect(state.writers.isEmpty)
    let text = try await report.run("locks", database).output
    #expect(text.contains("The checkpoint stops at frame \(checkpoint.checkpointed): read mark"))
    #expect(text.contains("[\(reader.pid)]."))
    // A reader that ends takes its mark with it.
    reader.run("COMMIT")
    #expect(try await locks().checkpoint?.obstacle == nil)
  }

  @Test func aReaderBesideTheWriterPinsNothing() async throws {
    try await Database.make(database, isWAL: true)
    let writer = try SQLHolder(database, "INSERT INTO turn VALUES (1)", in: folder)
    defer { writer.end() }
    let reader = try SQLHolder(database, "BEGIN; SELECT count(*) FROM turn", in: folder)
    defer { reader.end() }
    let state = try await locks()
    #expect(state.readers.map(\.process.pid) == [reader.pid])
    #expect(state.readers.allSatisfy { !$0.pinsLog } && state.checkpoint?.obstacle == nil)
  }

  // MARK: - With a rollback journal

  @Test func namesWriterAndReadersOfADatabaseWithAJournal() async throws {
    try await Database.make(database, isWAL: false)
    let reader = try SQLHolder(
      database, "BEGIN; SELECT count(*) FROM turn", in: folder)
    defer { reader.end() }
    let writer = try SQLHolder(
      database, "BEGIN IMMEDIATE; INSERT INTO turn VALUES (1)", in: folder)
    defer { writer.end() }
    var state = try await locks()
    #expect(state.journalMode == "rollback" && state.checkpoint == nil)
    #expect(state.writers.map(\.process.pid) == [writer.pid])
    #expect(state.writers.map(\.lock) == ["RESERVED"])
    #expect(Set(state.readers.map(\.process.pid)) == [reader.pid, writer.pid])
    // Its commit fails as long as the reader reads, and leaves PENDING.
    writer.run("COMMIT")
    state = try await locks()
    #expect(state.writers.map(\.lock) == ["PENDING"])
    #expect(state.waiters.map(\.process.pid) == [writer.pid])
    #expect(state.waiters.map(\.evidence) == ["pending"])
  }

  @Test func exclusiveLockingModeIsAWriter() async throws {
    try await Database.make(database, isWAL: false)
    let holder = try SQLHolder(
      database, "PRAGMA locking_mode = EXCLUSIVE; INSERT INTO turn VALUES (1)", in: folder)
    defer { holder.end() }
    #expect(try await locks().writers.map(\.lock) == ["EXCLUSIVE"])
  }

  // MARK: - Waiting, time and exit codes

  @Test func aProgramInTheBusyHandlerMayWaitAndASleepingOneDoesNot() async throws {
    try await Database.make(database, isWAL: true)
    let holder = try SQLHolder(database, "BEGIN IMMEDIATE", in: folder)
    defer { holder.end() }
    let idle = try SQLHolder(database, "SELECT 1", in: folder, pause: 60)
    defer { idle.end() }
    let waiter = try SQLHolder(database, "BEGIN IMMEDIATE", in: folder, isReady: false)
    defer { waiter.end() }
    var waiters: [Int32] = []
    for _ in 1...100 where !waiters.contains(waiter.pid) {
      waiters = try await locks().waiters.map(\.process.pid)
    }
    #expect(waiters == [waiter.pid])
  }

  @Test func aLockHeldForLongEndsWith2() async throws {
    try await Database.make(database, isWAL: true)
    let holder = try SQLHolder(database, "BEGIN IMMEDIATE", in: folder)
    defer { holder.end() }
    let run = try await report.run("locks", database, "--fail-over", "200ms")
    #expect(run.status == 2)
    #expect(run.error.contains("writer lock, held for ") && run.error.contains("[\(holder.pid)]"))
    #expect(run.output.contains("writer lock, held for "))
    let watch = try await report.run(
      "locks", database, "--watch", "50ms", "--fail-over", "200ms", "--json")
    #expect(watch.status == 2)
  }

  @Test func aFreeDatabaseEndsWith0AtOnce() async throws {
    try await Database.make(database, isWAL: true)
    let clock = ContinuousClock.now
    let run = try await report.run("locks", database, "--fail-over", "60s")
    #expect(run.status == 0 && ContinuousClock.now - clock < .seconds(30))
    #expect(run.output.contains("no process holds the writer lock"))
  }

  @Test func watchPrintsEachInterval() async throws {
    try await Database.make(database, isWAL: true)
    let run = try await report.run("locks", database, "--watch", "10ms", "--count", "3", "--json")
    #expect(run.status == 0 && run.output.split(separator: "\n").count == 3)
  }

  // MARK: - Inputs

  @Test func missingFileAndFolderAreErrors() async throws {
    let missing = try await report.run("locks", database)
    #expect(missing.status == 1 && missing.error.contains("no such database file"))
    let directory = try await report.run("locks", folder.url.path)
    #expect(directory.status == 1 && directory.error.contains("not a regular file"))
  }

  @Test(arguments: ["", "not a database, but a text that is longer than a header "])
  func aFileThatIsNoDatabaseHasNoJournalMode(text: String) async throws {
    try Data(String(repeating: text, count: 3).utf8).write(to: URL(filePath: database))
    let state = try await locks()
    #expect(state.journalMode == (text.isEmpty ? "empty" : "unknown") && state.writers.isEmpty)
  }

  @Test func aLinkIsTheDatabaseItPointsTo() async throws {
    try await Database.make(database, isWAL: true)
    let holder = try SQLHolder(database, "BEGIN IMMEDIATE", in: folder)
    defer { holder.end() }
    let link = folder.path("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: database)
    let run = try await report.run("locks", link, "--json")
    let state = try JSONDecoder().decode(LocksV1.self, from: Data(run.output.utf8))
    #expect(state.writers.map(\.process.pid) == [holder.pid])
  }

  @Test func aDamagedWALIndexIsReported() async throws {
    try await Database.make(database, isWAL: true)
    let holder = try SQLHolder(database, "BEGIN IMMEDIATE", in: folder)
    defer { holder.end() }
    let index = try FileHandle(forUpdating: URL(filePath: database + "-shm"))
    try index.write(contentsOf: Data(repeating: 0x55, count: 8))
    try index.close()
    let state = try await locks()
    #expect(state.blindSpots.contains { $0.contains("two copies of the WAL-index header differ") })
    #expect(state.checkpoint == nil && state.writers.map(\.process.pid) == [holder.pid])
  }
}
