// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import Testing

@testable import ObjectStore

/// SQL and memory return the same rows; `AGREEMENT_COUNT` sets the number of predicates.
@Suite struct PredicateAgreementTests {
  private let count =
    ProcessInfo.processInfo.environment["AGREEMENT_COUNT"].flatMap { Int($0) } ?? 4_000

  @Test func findsTheSameRowsInSQLAndInMemory() throws {
    let model = PredicateModel()
    let rows = PredicateRows(model)
    let connection = try model.connection()
    try SQLFunctions.register(on: connection)
    var source = RandomPredicates(seed: 7)
    var found = 0
    for index in 0..<count {
      if index.isMultiple(of: 20) {
        source.fill(rows)
        try rows.write(to: connection)
      }
      let predicate = source.predicate()
      let select = try SelectStatement.objectIDs(
        of: model.stop, where: predicate, sortedBy: [SortTerm([])])
      let inSQL = try connection.primaryKeys(select)
      let inMemory = try rows.primaryKeys(model.stop, predicate)
      found += inSQL.count
      if let reordered = predicate.reordered(for: model.stop)?.predicate {
        let select = try SelectStatement.objectIDs(
          of: model.stop, where: reordered, sortedBy: [SortTerm([])])
        #expect(try connection.primaryKeys(select) == inSQL, "\(reordered.predicateFormat)")
      }
      guard inSQL == inMemory else {
        Issue.record(
          "\(predicate.predicateFormat)\n\(select.sql)\nSQL \(inSQL), memory \(inMemory)")
        return
      }
    }
    #expect(found > count / 2, "predicates that find nothing compare nothing")
  }

  @Test func printsAFormatThatReadsBackAsTheSameTree() throws {
    var source = RandomPredicates(seed: 8)
    for _ in 0..<count {
      let predicate = source.predicate()
      let format = predicate.predicateFormat
      // NaN is not equal to itself; its format is.
      let reread = try FetchPredicate(format: format)
      #expect(
        format.contains("nan") ? reread.predicateFormat == format : reread == predicate, "\(format)"
      )
    }
  }
}
