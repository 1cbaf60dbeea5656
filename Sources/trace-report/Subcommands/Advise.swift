// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import QueryPlans
import SQLiteDriver
import StoreEvents
import TraceReading
import TraceRendering

struct Advise: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds the smallest set of indexes worth having, by trying them on a copy.",
    discussion: """
      trace-report advise trace --database transit.sqlite

      The database is only read. The copy goes to the folder of temporary files (TMPDIR) and is \
      removed. A trace holds no values: they are sampled from the columns compared. The store's own \
      SQL functions and collations run as the store has them, also for SQL of Core Data.
      """)

  @Argument(
    help: "CTF folders, debug logs and saved reports of the workload; - is standard input.",
    completion: .file())
  var paths: [String]

  @Option(help: "The database that ran; it is read, never written.", completion: .file())
  var database: String

  @Option(help: "Indexes that save less than this many percent of the time are not worth it.")
  var minimumEffect = 5.0

  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  func validate() throws {
    guard (0.1...100).contains(minimumEffect) else {
      throw ValidationError("--minimum-effect takes percents from 0.1 to 100.")
    }
  }

  func run() throws {
    ReadingInterruption.catchSignals()
    let file = try ReportedDatabase.open(database)
    let statements = try StatementSource(paths: paths, sql: []).read()
    let workload = statements.list.filter { $0.work.executions > 0 }.map {
      WorkloadStatement(id: $0.id, sql: $0.sql, runs: $0.work.executions)
    }
    let report = AdviceReport(
      database: database, sqliteVersion: Connection.libraryVersion,
      advice: try IndexAdvice(
        workload, database: database, file.connection, minimumEffect: minimumEffect / 100),
      doubts: statements.doubts)
    try Output.print(json ? JSONText.encoded(report.json) : report.text(.ofStandardOutput))
  }
}
