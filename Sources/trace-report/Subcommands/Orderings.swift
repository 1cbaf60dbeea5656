// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import QueryPlans
import SQLiteDriver
import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRendering

struct Orderings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "orderings",
    abstract: "Measures whether the AND terms of a WHERE are faster in another order.",
    discussion: """
      trace-report orderings trace/ --statement 2156cf5652879464 --database transit.sqlite
      trace-report orderings --database transit.sqlite --sql 'SELECT … WHERE …'

      Values: those of --bind; otherwise those of the trace if it was recorded with --values, or \
      of a log of level 2 or more; otherwise values sampled from the columns, with which a run \
      returns as many rows as the trace counted. If there are none, or nothing was counted, the \
      result is inconclusive (3).

      The VM steps of all orders are counted first. Those with the fewest, and those whose costly \
      terms come last, are then timed in interleaved rounds. An order that fails although the \
      original one runs is listed with its error.

      The store's own SQL functions and collations run as in the store, also for SQL of Core Data. \
      A construct whose meaning is unknown is inconclusive.
      """)

  @Argument(
    help: "CTF folders, logs and saved reports that hold the statement; - is standard input.",
    completion: .file())
  var paths: [String] = []

  @Option(help: "The database to measure with; it is only read.", completion: .file())
  var database: String

  @Option(help: "The SQL to measure; - reads it from standard input.")
  var sql: String?

  @Option(help: "The id of a statement of the traces, as summary and plans print it.")
  var statement: String?

  @Option(
    parsing: .upToNextOption,
    help: "Values of all parameters, in order: 1.5, 'text', x'00ff', NULL; --bind=-1 if negative.")
  var bind: [String] = []

  @Option(help: "The smallest effect that counts as a difference, in percent.")
  var minimumEffect = 5.0

  @Option(help: "The time limit in seconds; no round starts after it.")
  var budget = 20.0

  @Flag(help: "Print the predicate's format string in the better order.")
  var suggest = false

  @Flag(help: "Print JSON, schemaVersion 1.")
  var json = false

  func validate() throws {
    if sql == nil, statement == nil, let path = paths.first {
      throw ValidationError(
        "Name the statement with --statement ID, as 'trace-report summary \(path)' prints it.")
    }
    if sql == nil, statement != nil, paths.isEmpty {
      throw ValidationError("--statement needs the trace or log that holds it.")
    }
    if (sql == nil) == (statement == nil) || (statement == nil) != paths.isEmpty {
      throw ValidationError("Pass either --sql, or a trace and --statement.")
    }
    guard (0.1...100).contains(minimumEffect) else {
      throw ValidationError("--minimum-effect takes percents from 0.1 to 100.")
    }
    guard (0.1...86_400).contains(budget) else {
      throw ValidationError("--budget takes seconds from 0.1 to 86400.")
    }
  }

  func run() throws {
    ReadingInterruption.catchSignals()
    let subject = try subject()
    let sql = subject.sql
    let file = try ReportedDatabase.open(database)
    var report = OrderingsReport(
      database: database, sqliteVersion: Connection.libraryVersion, sql: sql,
      minimumEffect: minimumEffect / 100, comparison: try compare(subject, file.connection))
    report.suggests = suggest
    try Output.print(json ? JSONText.encoded(report.json) : report.text(.ofStandardOutput))
    if report.comparison.verdict == .inconclusive { throw ExitStatus.inconclusive }
  }

  /// The statement, with its counts and values from a trace.
  private func subject() throws -> WorkloadStatement {
    guard let id = statement else {
      let read = try StatementSource(paths: [], sql: sql.map { [$0] } ?? []).read().list
      return WorkloadStatement(id: read.first?.id ?? "", sql: read.first?.sql ?? "", runs: 0)
    }
    let profile = try Inputs.profile(of: paths)
    let named = profile.statements.first { "\($0.sharedID)" == id.lowercased() }?.id
    let ids = [id.lowercased()] + (named.map { ["\($0)"] } ?? [])
    let statements = AdviceWorkload(profile).statements
    guard let found = ids.lazy.compactMap({ id in statements.first { $0.id == id } }).first else {
      throw Failure(
        "no statement '\(LogText.escaped(id))' in the trace; 'trace-report plans' lists their ids",
        status: ExitStatus.inconclusive)
    }
    return found
  }

  private func compare(
    _ subject: WorkloadStatement, _ connection: Connection
  ) throws -> OrderingComparison {
    var progress = Progress("runs")
    let clock = ContinuousClock()
    let begin = clock.now
    defer { progress.end() }
    do {
      var options = OrderingComparison.Options()
      options.values = bind.isEmpty ? nil : try bind.map { try BindValue($0) }
      options.recorded = subject.values
      options.counted = subject.counted
      options.minimumEffect = minimumEffect / 100
      options.budget = .seconds(budget)
      options.isCancelled = { ReadingInterruption.isRequested }
      // No new round starts after the budget; most end earlier.
      return try OrderingComparison(subject.sql, on: connection, options: options) { runs in
        progress.report(runs, part: Double((clock.now - begin).nanoseconds) / 1e9 / budget)
      }
    } catch let error as SQLiteError where error.isInterruption {
      throw Failure.interrupted(before: "every order had run once")
    } catch let error as SQLiteError {
      throw Failure(
        LogText.escaped("'\(database)': \(error.message)")
          + "; is this the database of the statement?",
        status: error.code == 1 ? ExitStatus.inconclusive : ExitStatus.failed)
    }
  }
}
