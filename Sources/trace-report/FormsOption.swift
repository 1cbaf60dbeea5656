// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import QueryPlans
import StoreEvents
import TraceAnalysis
import TraceRendering

/// JSON that may leave the machine.
struct FormsOption: ParsableArguments {
  @Flag(help: "With --json: ? for each value of a statement, in its text and in its id.")
  var forms = false

  func validate(json: Bool) throws {
    if forms, !json { throw ValidationError("--forms needs --json.") }
  }
}

extension PlansV1 {
  /// The plans with statements as other reports have them.
  var withForms: Self {
    var plans = self
    plans.statements = statements.map { statement in
      var statement = statement
      guard !statement.sql.isEmpty else { return statement }
      let shared = SharedStatement(sql: statement.sql)
      (statement.sql, statement.id) = (shared.template, shared.id.description)
      // SQLite's message may quote a part of the text.
      statement.error = statement.error.map { String($0.prefix { $0 != "\"" }) }
      return statement
    }
    return plans
  }
}

extension AdviceV1 {
  /// The advice with the ids that other reports have.
  func withForms(of profile: Profile) -> Self {
    let ids = Dictionary(
      profile.statements.map { ("\($0.id)", "\($0.sharedID)") },
      uniquingKeysWith: { first, _ in first })
    var advice = self
    for index in advice.statements.indices {
      advice.statements[index].id = ids[statements[index].id] ?? statements[index].id
    }
    for index in advice.unmeasured.indices {
      advice.unmeasured[index].id = ids[unmeasured[index].id] ?? unmeasured[index].id
    }
    for index in advice.statistics.indices {
      advice.statistics[index].changed = statistics[index].changed.map { ids[$0] ?? $0 }
    }
    return advice
  }
}
