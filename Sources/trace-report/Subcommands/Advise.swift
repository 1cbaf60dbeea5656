// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import QueryPlans
import SQLiteDriver
import StatementReplay
import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRendering

struct Advise: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "advise",
    abstract: "Finds the smallest set of useful indexes by trying them on a copy.",
    discussion: """
      trace-report advise trace --database transit.sqlite

      The database is only read. The copy goes to the folder of temporary files (TMPDIR) and is \
      removed. Sets of indexes are compared by the VM steps of the statements, which are the same in \
      every run; the statements that an index changes are then timed in interleaved rounds.

      Values: those of the trace if it was recorded with --values, or those of a log of level 2 or \
      more; otherwise values sampled from the database, with which a run returns as many rows as \
      the trace counted. A statement without such a sample is not measured, and the report \
      states that.

      The store's own SQL functions and collations run as in the store, also for SQL of Core \
      Data. With --capsule no index is tried, since it has no rows: the indexes that SQLite would use are listed, and the \
      result is inconclusive (3). An input that is not complete is inconclusive (3), and no index to drop is named.
      """)

  @Argument(
    help: """
      CTF folders, debug logs and saved reports of the workload; - is standard input; the newest recording in this \
      folder by default.
      """,
    completion: .file())
  var paths: [String] = []

  @Option(
    help: """
      The program's database; it is only read. By default the file that the program opened, if it is still there.
      """, completion: .file())
  var database: String?

  @OptionGroup var capsule: CapsuleOption

  @OptionGroup var model: ModelOption

  @Option(
    help: "The smallest saving of VM steps for which indexes are advised, in percent."
  )
  var minimumEffect = 5.0

  @Flag(
    help:
      "Then replay the whole recording with the indexes, writes included; see 'record --replayable'."
  )
  var replay = false

  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  @OptionGroup var forms: FormsOption

  mutating func validate() throws {
    if paths.isEmpty { paths = [try Recordings.newest()] }
    try forms.validate(json: json)
    if replay, json || capsule.capsule != nil {
      throw ValidationError("--replay excludes --json and --capsule.")
    }
    guard (0.1...100).contains(minimumEffect) else {
      throw ValidationError("--minimum-effect takes percents from 0.1 to 100.")
    }
  }

  func run() throws {
    ReadingInterruption.catchSignals()
    let path = try capsule.path(or: database)
    let named = try path.map(ReportedDatabase.open)
    let profile = try Inputs.profile(of: paths)
    guard let database = path ?? ReportedDatabase.opened(by: profile) else {
      throw Failure(
        "the database of the program is not known, or is gone; name it: --database FILE",
        status: .validationFailure)
    }
    let file = try named ?? ReportedDatabase.open(database)
    let names = try model.names(in: capsule.capsule == nil ? database : nil)
    var report = try AdviceReport(
      profile, database: database, file.connection, minimumEffect: minimumEffect / 100)
    report.names = names
    try Output.print(
      json
        ? JSONText.encoded(forms.forms ? report.json.withForms(of: profile) : report.json)
        : report.text(.ofStandardOutput))
    let isProven = try !replay || prove(report.advice)
    if !report.isConclusive || !isProven { throw ExitStatus.inconclusive }
  }

  /// Replays the recording with the advised indexes, and prints their cost and savings.
  ///
  /// - Returns: whether the replay held.
  private func prove(_ advice: IndexAdvice) throws -> Bool {
    var change = ReplayChange()
    change.statements = advice.creations.map(\.candidate.sql) + advice.removals.map(\.sql)
    guard !change.statements.isEmpty else { return true }
    var progress = Progress("runs replayed", isLong: true)
    defer { progress.end() }
    let replay = try Replay(paths, change: change) { progress.report($0) }
    progress.end()
    Output.print("\n" + Document(replay: replay, change: change).text(.ofStandardOutput))
    return replay.isConclusive
  }
}
