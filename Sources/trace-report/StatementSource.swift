// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import QueryPlans
import StoreEvents
import TraceAnalysis
import TraceReading

/// The source of a command's statements: traces and logs, or the command line.
struct StatementSource {
  var paths: [String]
  var sql: [String]

  struct Statements {
    var list: [Statement]
    var doubts: [String] = []
    /// The plans that logs contain, by the forms of the statements.
    var plans: [SQLFingerprint: PlanTranscript.Listing] = [:]
    /// Returns the values that runs of a statement bound, as far as they were recorded.
    var values: (String) -> [[BindValue]] = { _ in [] }
    /// Returns the conditions under which a database has the plans of the trace.
    var conditions: (String) -> PlanConditions = { _ in PlanConditions() }
    /// The database that the program opened, where it is still the same file.
    var database: String?
  }

  struct Statement {
    var id: String
    var sql: String
    var work = StatementWork()
    /// The database of the runs, where the statement takes far more steps on it than on another, or far fewer.
    var database: String?
    /// The lines of code that ran it; none for SQL of the command line.
    var callers: [SourceLocation] = []
    /// Where and when a run began that did not end, if none ended.
    var unended: String?
  }

  /// - Throws: ``Failure``, with one sentence.
  func read() throws -> Statements {
    sql.isEmpty ? try readTraces() : Statements(list: try sql.map(statement))
  }

  private func statement(_ sql: String) throws -> Statement {
    let sql = sql == "-" ? try Self.standardInput() : sql
    return Statement(id: "\(StatementID(sql: sql))", sql: sql)
  }

  private static func standardInput() throws -> String {
    var lines: [String] = []
    while let line = readLine(strippingNewline: false) { lines.append(line) }
    let sql = lines.joined()
    guard sql.contains(where: { !$0.isWhitespace }) else {
      throw Failure("no SQL on standard input", status: ExitStatus.inconclusive)
    }
    return sql
  }

  private func readTraces() throws -> Statements {
    var progress = Progress("events read")
    defer { progress.end() }
    let traced: TracedStatements
    if try paths.contains(where: { try InputContent.isJSON(path: $0) }) {
      traced = TracedStatements(of: try Inputs.profile(of: paths))
    } else {
      ReadingInterruption.catchSignals()
      traced = try TracedStatements(reading: paths) { progress.report($0) }
    }
    var statements = Statements(
      list: traced.statements.flatMap { traced -> [Statement] in
        let whole = Statement(
          id: "\(traced.id)", sql: traced.sql, work: traced.work, callers: traced.callers,
          unended: traced.unended)
        guard !traced.databases.isEmpty else { return [whole] }
        return traced.databases.map { runs in
          var part = whole
          (part.work, part.database) = (runs.work, runs.database)
          return part
        }
      })
    statements.conditions = { traced.conditions($0) }
    statements.values = { traced.values.tuples(of: $0) }
    statements.plans = traced.reading.plans
    statements.database = traced.openedDatabases.first { $0.isStillThere }?.path
    if traced.eventsLost > 0 {
      statements.doubts.append(
        "\(traced.eventsLost.counted("event was", "events were")) lost: statements may be missing here"
      )
    }
    if traced.unresolved > 0 {
      statements.doubts.append(
        "\(traced.unresolved.counted("statement")) ran whose text is not in the trace")
    }
    statements.doubts += traced.reading.sources.flatMap {
      $0.problems + ($0.failures ?? []) + ($0.kind == .log ? $0.unended ?? [] : [])
    }
    return statements
  }
}

extension StatementSource.Statements {
  /// The statements that a capsule contains, with the work that its recording counted.
  init(ofCapsule path: String?) throws {
    let capsule = try path.flatMap { try CapsuleOption.capsule(at: $0) }
    let statements = capsule?.statements ?? []
    list = statements.map {
      StatementSource.Statement(id: "\(StatementID(sql: $0.sql))", sql: $0.sql, work: $0.work)
    }
    let tuples = Dictionary(
      statements.map { ($0.sql, $0.tuples) }, uniquingKeysWith: { first, _ in first })
    values = { tuples[$0] ?? [] }
  }
}
