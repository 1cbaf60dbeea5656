// SPDX-License-Identifier: Apache-2.0

public import QueryPlans
public import StoreEvents
import TraceReading

/// A profile in the advisor's form: statements with their counts and values, writes, and missing
/// parts.
public struct AdviceWorkload: Sendable {
  /// The statements that read.
  public var statements: [WorkloadStatement] = []
  /// The writes per table.
  public var writes: [WorkloadWrite] = []
  /// The reasons why the workload may be incomplete; one sentence each.
  public var doubts: [String]
  /// The reason why an index may be used although no statement of the profile uses it; nil if there
  /// is none.
  public var incompleteness: String?

  /// Adds the statements and writes of a profile.
  ///
  /// - Parameters:
  ///   - profile: the counts of the trace.
  ///   - paths: the paths of the database in the trace; nil if it has none.
  public init(_ profile: Profile, on paths: Set<String>? = nil) {
    let completeness = profile.completeness
    doubts = completeness.doubts
    // A statement that always failed has no plan.
    for whole in profile.statements where whole.work.count > whole.work.errors {
      guard let sql = whole.sql else { continue }
      let statement = profile.statement(whole, on: paths)
      statements.append(WorkloadStatement(statement, sql: sql, profile.values))
      if let write = WorkloadWrite(statement, sql: sql) { writes.append(write) }
    }
    let unresolved = profile.statements.count { $0.sql == nil && $0.id != Bounds.restOfStatements }
    if unresolved > 0 {
      doubts.append(
        "\(unresolved.counted("statement")) ran whose text is missing from the input")
    }
    addSaves(profile)
    addUncountedChanges(profile)
    if !doubts.isEmpty {
      incompleteness = "the input is incomplete, so another statement may use an index"
    } else if profile.reading.sources.contains(where: { $0.kind == .coreDataLog }) {
      incompleteness =
        "a log of Core Data cannot prove that it is complete, so another statement may use an index"
    }
  }

  /// A store's saves have no tables.
  private mutating func addSaves(_ profile: Profile) {
    func add(_ kind: WorkloadWrite.Kind, _ rows: KeyPath<SaveProfile, UInt64>) {
      let sum = profile.saves.reduce(0) { $0 &+ $1[keyPath: rows] }
      if sum > 0 { writes.append(WorkloadWrite(kind: kind, rows: sum)) }
    }
    add(.insert, \.inserted)
    add(.update, \.updated)
    add(.delete, \.deleted)
  }

  /// A run of a statement may write more than one row: the table of the rest is unknown.
  private mutating func addUncountedChanges(_ profile: Profile) {
    let counted = writes.reduce(0) { $1.table == nil ? $0 : $0 &+ $1.rows }
    let changes = profile.observed?.changes ?? 0
    if changes > counted { writes.append(WorkloadWrite(kind: .insert, rows: changes - counted)) }
  }
}

extension WorkloadStatement {
  fileprivate init(_ statement: StatementProfile, sql: String, _ values: StatementValues) {
    let isCount = statement.kinds == [.count]
    let isMixed = statement.kinds.contains(.count) && !isCount
    let work = statement.work
    self.init(
      id: "\(statement.id)", sql: sql, runs: work.count,
      counted: CountedRuns(
        rows: isMixed ? nil : statement.statementWork.perRun(\.rows),
        rowsAreResult: isCount,
        vmSteps: work.vmSteps > 0 ? work.perRun(\.vmSteps) : nil, offset: work.perRun(\.offset)),
      values: BindValue.tuples(of: values[statement.id]))
  }
}

extension WorkloadWrite {
  /// Nil for a statement that reads.
  fileprivate init?(_ statement: StatementProfile, sql: String) {
    guard let written = WrittenTable(sql: sql) else { return nil }
    self.init(
      kind: written.kind, rows: max(statement.work.count, statement.work.changes ?? 0),
      table: written.table,
      columns: written.columns)
  }
}

extension StatementValues {
  /// The values of some runs of a statement, each tuple whole.
  public func tuples(of sql: String) -> [[BindValue]] {
    BindValue.tuples(of: self[StatementID(sql: sql)])
  }
}

extension BindValue {
  /// The tuples that were recorded whole: with others a statement would find something else.
  public static func tuples(of recorded: [RecordedValues]) -> [[BindValue]] {
    recorded.filter(\.isWhole).map { $0.values.map(BindValue.init) }
  }

  private init(_ value: RecordedValues.Value) {
    self =
      switch value {
      case .null: .null
      case .integer(let value): .integer(value)
      case .real(let value): .real(value)
      case .text(let value, _): .text(value)
      case .blob(let value, _): .blob(value)
      }
  }
}
