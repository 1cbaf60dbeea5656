// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import QueryPlans
import SQLiteDriver
import StoreEvents
import TraceAnalysis
import TraceReading
import TraceRendering

extension AdviceReport {
  /// Tries candidate indexes for a workload, with progress on a terminal.
  init(
    _ profile: Profile, database: String, _ connection: Connection, minimumEffect: Double
  ) throws {
    let conditions = profile.planConditions(for: database)
    var workload = AdviceWorkload(profile, on: conditions.ownDatabases)
    workload.mergeLists()
    let all = workload.statements.count
    workload.statements.removeAll { conditions.otherDatabase($0.sql) != nil }
    let others = UInt64(all - workload.statements.count)
    if others > 0 {
      workload.doubts.append(
        "\(others.counted("statement")) ran on other databases: pass each of them with --database")
    }
    let explainer = PlanExplainer(
      connection, conditions: conditions
    ) { profile.values.tuples(of: $0) }
    if explainer.isFromCapsule { workload.doubts.append("not tried: a capsule has no rows") }
    func explanations() -> [(id: String, explanation: PlanExplainer.Explanation)] {
      profile.statements.compactMap {
        statement -> (id: String, explanation: PlanExplainer.Explanation)? in
        guard let sql = statement.sql else { return nil }
        let own = profile.statement(statement, on: conditions.ownDatabases)
        return ("\(statement.id)", explainer.explain(sql, work: own.statementWork))
      }
    }
    let advice: IndexAdvice
    do {
      advice =
        explainer.isFromCapsule
        ? IndexAdvice(untried: workload.statements, explainer)
        : try IndexAdvice(
          workload, database: database, connection, minimumEffect: minimumEffect,
          conditions: conditions)
    } catch AdviceError.nothingMeasured(let statements) {
      // What to write differently is known without a run.
      let sentences = explanations().flatMap { id, explanation in
        explanation.judgement?.rewrites.map { "; \(id): \($0)" } ?? []
      }
      throw Failure(
        LogText.escaped("\(AdviceError.nothingMeasured(statements))\(sentences.joined())"),
        status: ExitStatus.inconclusive)
    }
    self.init(
      database: database, sqliteVersion: Connection.libraryVersion, advice: advice,
      doubts: workload.doubts)
    for (id, explanation) in explanations() {
      verdicts[id] = explanation.verdict
      rewrites[id] = explanation.judgement?.rewrites
    }
  }
}

extension IndexAdvice {
  /// Tries candidate indexes for a workload, with progress on a terminal.
  fileprivate init(
    _ workload: AdviceWorkload, database: String, _ connection: Connection,
    minimumEffect: Double, conditions: PlanConditions
  ) throws {
    ReadingInterruption.catchSignals()
    var copying = Progress("pages copied")
    var trying = Progress("indexes tried", isLong: true)
    defer {
      copying.end()
      trying.end()
    }
    do {
      var options = IndexAdvisor.Options()
      options.minimumEffect = minimumEffect
      options.writes = workload.writes
      options.incompleteness = workload.incompleteness
      if conditions.sqliteVersion != Connection.libraryVersion {
        options.otherVersion = conditions.sqliteVersion
      }
      options.otherTables = conditions.otherTables
      options.isCancelled = { ReadingInterruption.isRequested }
      self = try IndexAdvisor(workload.statements, on: connection, options: options) { step in
        switch step {
        case .copied(let pages, let all):
          copying.report(UInt64(pages), of: UInt64(all))
          if pages == all { copying.end() }
        case .tried(let count, let all): trying.report(UInt64(count), of: UInt64(all))
        }
      }.advice()
    } catch AdviceError.otherDatabase(let match) {
      throw Failure.otherDatabase(database, match)
    } catch let error as SQLiteError where error.isInterruption {
      throw Failure.interrupted(before: "the workload was timed")
    } catch let error as SQLiteError {
      throw Failure(LogText.escaped("'\(database)': \(error.message)"))
    }
  }
}
