// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
public import StoreEvents
public import TraceReading

/// The SQL texts of a trace, each once and in the order of their first use, with the work counted.
public struct TracedStatements: Sendable {
  /// A statement that ran.
  public struct Statement: Sendable {
    /// The statement's id.
    public var id: StatementID
    /// The SQL text.
    public var sql: String
    /// The counts of its runs.
    public var work = StatementWork()
    /// The runs on each database, where they take far more steps on one of them, that one first; otherwise empty.
    public var databases: [Runs] = []
    /// The lines of code that ran it, or that fetched the objects with faults that ran it; by their
    /// total time.
    public var callers: [SourceLocation] = []
    /// Where and when a run began that did not end, if none ended; nil otherwise.
    public var unended: String?

    /// The runs on one of several databases.
    public struct Runs: Sendable {
      /// The path of the database.
      public var database: String
      /// The counts of the runs.
      public var work: StatementWork
    }
  }

  /// The statements, in the order of their first run.
  public private(set) var statements: [Statement] = []
  /// The inputs that were read, and the events that were lost.
  public private(set) var reading = ReadingReport(sources: [])
  /// The number of statements that ran without a text in the source.
  public private(set) var unresolved = 0
  /// The conditions under which a database has the plans of the trace.
  public private(set) var conditions: @Sendable (String) -> PlanConditions = { _ in PlanConditions()
  }
  /// The values that were recorded.
  public private(set) var values = StatementValues()

  /// The databases that the programs opened, the one with most time in its statements first.
  public private(set) var openedDatabases: [OpenedDatabase] = []

  /// Reads traces and logs to their ends.
  ///
  /// - Throws: `TraceReadingError` where an input cannot be read at all.
  public init(
    reading paths: [String], progress: (ReadingProgress) -> Void = { _ in }
  ) throws {
    var known: Set<StatementID> = []
    var builder = ProfileBuilder()
    reading = try TraceReader.read(paths, progress: progress) { record in
      builder.add(record)
      guard case .statement(let announced) = record.event, known.count < Bounds.statements,
        known.insert(announced.statementID).inserted
      else { return }
      statements.append(Statement(id: announced.statementID, sql: announced.sql))
    }
    let profile = builder.profile(of: reading)
    values = profile.values
    conditions = { profile.planConditions(for: $0) }
    openedDatabases = profile.openedDatabases
    let ran = Dictionary(
      profile.statements.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let unended = Dictionary(
      profile.unended.map { ($0.site.statement, $0) }, uniquingKeysWith: { first, _ in first })
    for (index, statement) in statements.enumerated() {
      if let ran = ran[statement.id] {
        statements[index].record(ran, on: profile.databaseRuns[statement.id] ?? [])
      } else if let run = unended[statement.id] {
        statements[index].unended = run.sentence
        statements[index].callers = [run.site.location].filter { $0 != .unknown }
      }
    }
    unresolved = profile.statements.count { $0.id.rawValue != 0 && !known.contains($0.id) }
  }

  /// Adds the statements of a profile, such as that of a saved report.
  public init(of profile: Profile) {
    reading = profile.reading
    values = profile.values
    conditions = { profile.planConditions(for: $0) }
    openedDatabases = profile.openedDatabases
    for ran in profile.statements {
      guard let sql = ran.sql else {
        if ran.id.rawValue != 0 { unresolved += 1 }
        continue
      }
      var statement = Statement(id: ran.id, sql: sql)
      statement.record(ran, on: profile.databaseRuns[ran.id] ?? [])
      statements.append(statement)
    }
  }

  /// Events that the sources report as lost.
  public var eventsLost: UInt64 { reading.sources.reduce(0) { $0 &+ $1.eventsLost } }
}

extension TracedStatements.Statement {
  fileprivate mutating func record(_ profile: StatementProfile, on databases: [DatabaseRuns]) {
    work = profile.statementWork
    self.databases = databases.map { runs in
      TracedStatements.Statement.Runs(
        database: runs.path, work: profile.with(runs).statementWork)
    }
    callers = profile.callers.map(\.location)
  }
}
