// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import StatementReplay
import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRendering

struct Rehearse: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rehearse",
    abstract: "Runs a migration on private copies: the locks, the log, the disk that it needs.",
    discussion: """
      trace-report rehearse 0042_add_price.sql --database production.db
      trace-report rehearse 0042_add_price.sql --database production.db trace/ --sizes 1/100,1/10

      The database is only read. The copies have a part of its rows, and its journal mode; the migration runs on all \
      rows where the smaller copies show that this fits, and its costs are extrapolated otherwise. ATTACH of other \
      files, VACUUM INTO and load_extension are refused. With a recording, the statements that would wait \
      for the lock are listed. Exits with 2 if a statement of the migration fails, or if recorded statements would wait \
      longer than --busy-timeout.
      """)

  @Argument(help: "A file of SQL.", completion: .file())
  var migration: String

  @Argument(
    help: ArgumentHelp("Recordings of the program.", valueName: "input"), completion: .file())
  var inputs: [String] = []

  @Option(help: "The database as it is before the migration; it is only read.", completion: .file())
  var database: String

  @Option(help: "The parts of the rows to run on.")
  var sizes = "1/16,1/4,1"

  @Option(help: "Seconds that the run on all rows may take.")
  var budget = 60.0

  @Option(help: "Milliseconds that the program's statements wait for a lock.")
  var busyTimeout: UInt64 = 5000

  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  private var parts: [Int] {
    sizes.split(separator: ",", omittingEmptySubsequences: false).map { part in
      part == "1" ? 1 : part.hasPrefix("1/") ? Int(part.dropFirst(2)) ?? 0 : 0
    }
  }

  func validate() throws {
    guard parts.allSatisfy({ (1...1_000_000).contains($0) }) else {
      throw ValidationError("--sizes takes parts such as 1/16,1/4,1.")
    }
    guard budget >= 0, budget.isFinite else {
      throw ValidationError("--budget takes seconds from 0 up.")
    }
    guard busyTimeout <= 86_400_000 else {
      throw ValidationError("--busy-timeout takes milliseconds up to a day.")
    }
  }

  func run() throws {
    ReadingInterruption.catchSignals()
    guard let data = FileManager.default.contents(atPath: migration),
      let script = String(data: data, encoding: .utf8)
    else { throw Failure("cannot read \(LogText.quoted(migration)) as a file of statements") }
    guard !script.utf8.contains(0) else {
      throw Failure("\(LogText.quoted(migration)) is not a file of statements")
    }
    // First, so that a wrong path costs no copy.
    let profile = inputs.isEmpty ? nil : try Inputs(inputs).profile()
    if let profile, profile.isEmpty { throw Failure.noEvents(inputs) }
    do {
      let rehearsal = try Rehearsal(of: script, on: database, sizes: parts, budget: budget)
      var report = RehearsalReport(rehearsal, profile, busyTimeout: busyTimeout)
      report.doubts += profile?.comparisonDoubts ?? []
      try Output.print(
        json
          ? JSONText.encoded(RehearsalV1(report))
          : Document(rehearsal: report).text(.ofStandardOutput))
      if rehearsal.failure != nil { throw ExitStatus.regression }
      guard report.isConclusive else { throw ExitStatus.inconclusive }
      if report.exceedsTimeout { throw ExitStatus.regression }
    } catch ReplayError.interrupted {
      throw Failure.interrupted(before: "the migration was rehearsed")
    }
  }
}
