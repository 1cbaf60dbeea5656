// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

@testable import ObjectStore

/// A collected statement returns the same as the statement row by row.
@Suite struct PageCollectorTests {
  private final class Columns: RowCollector {
    let count: Int32
    var rows: [[String]] = []

    init(count: Int32) { self.count = count }

    override func collect(_ row: CollectedRow) { rows.append(row.texts(count)) }
  }

  @Test func collectsTheSameRowsInTheSameOrderByTheSamePlan() throws {
    let model = PredicateModel()
    let rows = PredicateRows(model)
    let connection = try model.connection()
    try SQLFunctions.register(on: connection)
    try connection.execute(
      "CREATE INDEX i1 ON ZSTOP(ZNAME); CREATE INDEX i2 ON ZSTOP(ZLATITUDE, ZLONGITUDE)")
    let statements = EntityStatements(model.stop)
    let count = Int32(model.stop.columns.count + 3)
    var source = RandomPredicates(seed: 11)
    var found = 0
    for index in 0..<1_000 {
      if index.isMultiple(of: 20) {
        source.fill(rows)
        try rows.write(to: connection)
      }
      let select = try SelectStatement.objects(of: model.stop, where: source.predicate())
      let columns = Columns(count: count)
      try connection.register(columns, as: PageCollector.function)
      let sql = try #require(statements.collected(select.sql))
      #expect(try connection.planTexts(sql) == connection.planTexts(select.sql), "\(select.sql)")

      let statement = try connection.prepare(select.sql, select.bindings)
      var stepped: [[String]] = []
      while try statement.step() { stepped.append(statement.texts(count)) }
      try connection.prepare(sql, select.bindings).run()
      #expect(columns.rows == stepped, "\(select.sql)")
      found += stepped.count
    }
    #expect(found > 500, "predicates that find nothing compare nothing")
  }

  @Test func aStatementOfTheProgramsOwnCollectsNothing() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("A")
    try fixture.context.save()
    let rows = try fixture.container.read {
      try $0.rows("SELECT store_rows(), store_rows(1), store_rows(Z_PK, ZNAME) FROM ZSTOP")
    }
    #expect(rows.map { row in (0..<3).map { row[$0] } } == [[.null, .null, .null]])
    #expect(try fixture.context.fetch(FetchRequest<Stop>()).map(\.name) == ["A"])
  }

  @Test func theStatementIsLoggedAndIdentifiedWithoutTheFunction() throws {
    let fixture = try StoreFixture()
    fixture.makeStop("A")
    try fixture.context.save()
    let container = try fixture.reopened(observer: fixture.observer)
    #expect(try container.mainContext.fetch(FetchRequest<Stop>()).count == 1)
    let stop = try #require(container.model.entity(of: Stop.self))
    let sql = try SelectStatement.objects(of: stop).sql
    let end = try #require(
      fixture.observer.events.compactMap { event -> FetchEnd? in
        if case .fetchEnd(let end) = event { end } else { nil }
      }.last)
    #expect(end.statementID == StatementID(sql: sql))
    #expect(end.rows == 1 && end.counters.fullScanSteps == 0 && end.counters.vmSteps > 0)
  }
}

extension RowColumns {
  fileprivate func texts(_ count: Int32) -> [String] {
    (0..<count).map { isNull($0) ? "NULL" : String(decoding: value($0).utf8, as: UTF8.self) }
  }
}

extension Connection {
  fileprivate func prepare(_ sql: String, _ values: [StoreValue]) throws -> Statement {
    let statement = try prepare(sql)
    for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index + 1)) }
    return statement
  }

  fileprivate func planTexts(_ sql: String) throws -> [String] {
    let statement = try prepare("EXPLAIN QUERY PLAN " + sql)
    var steps: [String] = []
    while try statement.step() { steps.append(statement.string(3)) }
    return steps
  }
}
