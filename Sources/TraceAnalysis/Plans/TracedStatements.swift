// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
public import StoreEvents
public import TraceReading

/// The SQL texts of a trace, each once and in the order of their first use, with the work counted.
public struct TracedStatements: Sendable {
  public struct Statement: Sendable {
    public var id: StatementID
    public var sql: String
    public var work = StatementWork()
  }

  public private(set) var statements: [Statement] = []
  /// What was read, and what was lost.
  public private(set) var reading = ReadingReport(sources: [])
  /// Statements that ran, whose text the source never told.
  public private(set) var unresolved = 0
  private var works: [StatementID: StatementWork] = [:]

  /// Reads traces and logs to their ends.
  ///
  /// - Throws: ``TraceReadingError`` where an input cannot be read at all.
  public init(reading paths: [String], progress: (UInt64) -> Void = { _ in }) throws {
    var known: Set<StatementID> = []
    var events: UInt64 = 0
    reading = try TraceReader.read(paths) { record in
      events += 1
      if events & 0xffff == 0 { progress(events) }
      switch record.event {
      case .statement(let announced):
        guard known.count < Bounds.statements, known.insert(announced.statementID).inserted else {
          return
        }
        statements.append(Statement(id: announced.statementID, sql: announced.sql))
      case .fetchEnd(let fetch):
        add(fetch.statementID, vmSteps: fetch.vmSteps, fullScanSteps: fetch.fullScanSteps)
      case .cacheMiss(let miss):
        add(miss.statementID, vmSteps: miss.vmSteps, fullScanSteps: miss.fullScanSteps)
      default: break
      }
    }
    for index in statements.indices {
      statements[index].work = works[statements[index].id] ?? StatementWork()
    }
    unresolved = works.keys.count { $0.rawValue != 0 && !known.contains($0) }
  }

  /// Takes the statements of a profile, such as that of a saved report.
  public init(of profile: Profile) {
    reading = profile.reading
    for statement in profile.statements {
      guard let sql = statement.sql else {
        if statement.id.rawValue != 0 { unresolved += 1 }
        continue
      }
      var work = StatementWork()
      work.executions = statement.work.count
      work.vmSteps = statement.work.vmSteps
      work.fullScanSteps = statement.work.fullScanSteps
      statements.append(Statement(id: statement.id, sql: sql, work: work))
    }
  }

  private mutating func add(_ id: StatementID, vmSteps: UInt64, fullScanSteps: UInt64) {
    // Those beyond have no text either: they are told as unresolved.
    guard works.count < Bounds.statements || works[id] != nil else { return }
    var work = works[id] ?? StatementWork()
    work.executions &+= 1
    work.vmSteps &+= vmSteps
    work.fullScanSteps &+= fullScanSteps
    works[id] = work
  }

  /// Events that the sources say were lost.
  public var eventsLost: UInt64 { reading.sources.reduce(0) { $0 &+ $1.eventsLost } }
}
