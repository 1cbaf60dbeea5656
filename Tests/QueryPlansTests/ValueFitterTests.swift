// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

struct ValueFitterTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    // The middle of the key has other places than its beginning: the first 10,000 rows are no sample.
    try connection.execute(
      """
      CREATE TABLE place(id INTEGER PRIMARY KEY, x REAL, y REAL, kind TEXT, name TEXT, n INTEGER);
      WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 40000)
        INSERT INTO place SELECT i, (i * 7919 % 40000) / 100.0, (i * 104729 % 39979) / 100.0,
          CASE WHEN i % 2000 = 7 THEN 'rare' WHEN i % 10 = 3 THEN 'some' ELSE 'usual' END,
          'place ' || printf('%x', i * 48271 % 40009), i / 4 FROM n;
      CREATE INDEX byName ON place(name);
      """)
  }

  private func fit(_ sql: String, _ counted: CountedRuns) throws -> StatementValues {
    let numbered = ParameterNumbering(sql)
    let sampler = ParameterSampler(
      outline: StatementOutline(numbered.sql), parameterCount: numbered.count,
      connection: connection)
    return try ValueFitter(
      try connection.prepare(numbered.sql), sampler: sampler, counted: counted
    ).values()
  }

  /// Rows of a run with the fitted values, on average, counted apart from the fitter.
  private func rows(_ sql: String, _ values: StatementValues) throws -> Double {
    try values.runs.reduce(0) { sum, run in
      let query = try connection.prepare(sql)
      for (index, value) in run.values.enumerated() { value.bind(to: query, at: Int32(index) + 1) }
      var rows = 0.0
      while try query.step() { rows += 1 }
      return sum + run.weight * rows
    }
  }

  /// Each pattern begins with the column's text, so that an index with COLLATE NOCASE serves it.
  @Test(arguments: [(60_000, 10), (160_000, 0)])
  func aPatternOfRareTextEndsWithItsWildcard(vmSteps: Double, rows: Double) throws {
    let values = try fit(
      "SELECT id FROM place WHERE name LIKE ? LIMIT 10", CountedRuns(rows: rows, vmSteps: vmSteps))
    for run in values.runs {
      guard case .text(let pattern) = run.values.first else { throw SQLiteError.interruption }
      #expect(pattern.hasPrefix("p") && pattern.hasSuffix("%"), "\(pattern)")
      #expect(pattern.count { $0 == "%" } == 1, "\(pattern)")
    }
  }

  /// Each seek would compute a view that sorts or groups.
  @Test func aViewIsReadOnceForItsValues() throws {
    try connection.execute(
      "CREATE VIEW counts AS SELECT name, count(*) AS c, max(x) AS m FROM place GROUP BY name")
    var pauses = 0
    let values = try connection.interrupting(
      when: {
        pauses += 1
        return pauses > 200_000
      }, every: 1000
    ) { try fit("SELECT c FROM counts WHERE m = ?", CountedRuns(rows: 1)) }
    #expect(try rows("SELECT c FROM counts WHERE m = ?", values) == 1)
  }

  @Test(arguments: [
    ("SELECT ? AS a FROM place WHERE name = ? LIMIT 1", [0] as [Int]),
    ("SELECT id, coalesce(kind, ?) FROM place WHERE id = ?", [0]),
    (
      "SELECT ?, (SELECT count(*) FROM place p WHERE p.n = ?), ? FROM place WHERE place.id = ?",
      [0, 2]
    ),
  ])
  func aParameterOfAResultColumnHasAnyValue(sql: String, free: [Int]) throws {
    let values = try fit(sql, CountedRuns(rows: 1))
    let run = try #require(values.runs.first)
    for (place, value) in run.values.enumerated() {
      #expect((value == .integer(0)) == free.contains(place), "\(run.values)")
    }
  }

  @Test func aParameterThatNothingTellsAboutIsNotSampled() throws {
    let sql = "SELECT (SELECT 1 FROM place WHERE abs(x) + ? > 3) FROM place"
    #expect(throws: OrderingError.self) { try fit(sql, CountedRuns(rows: 1)) }
  }

  @Test(arguments: [
    ("x BETWEEN ? AND ?", 20.0), ("? <= x AND x <= ? AND ? <= y AND y <= ?", 15),
    ("x >= ?", 30), ("n < ?", 400), ("? < x AND x < ?", 12_000), ("name LIKE ?", 3),
    ("instr(name, ?) > 0", 250), ("kind = ?", 20), ("kind = ?", 4000), ("kind = ?", 36_000),
    ("n = ?", 4), ("n IN (?, ?, ?)", 12), ("x BETWEEN ? AND ?", 0.4), ("n = ?", 0),
    ("n IN (SELECT value FROM json_each(?))", 120), ("name >= ? AND name < ?", 500),
    ("kind = ?", 2000),
  ])
  func sampledValuesReturnTheRowsThatWereCounted(filter: String, counted: Double) throws {
    let sql = "SELECT id FROM place WHERE \(filter)"
    let values = try fit(sql, CountedRuns(rows: counted))
    let rows = try rows(sql, values)
    #expect(abs(rows - counted) <= max(0.5, 0.2 * counted), "\(rows) for \(counted)")
    guard case .fitted(let mean, counted) = values.source else {
      Issue.record("\(values.source)")
      return
    }
    #expect(abs(mean - rows) < 0.001)
  }

  @Test func countsAreFittedByTheirResult() throws {
    let sql = "SELECT count(*) FROM place WHERE x > ?"
    let values = try fit(sql, CountedRuns(rows: 700, rowsAreResult: true))
    #expect(values.source == .fitted(rows: 700, counted: 700) || values.runs.count == 5)
    let query = try connection.prepare(sql)
    values.runs[0].values[0].bind(to: query, at: 1)
    #expect(try query.step())
    #expect((560...840).contains(query.int64(0)))
  }

  @Test func aggregatesAreFittedByTheirSteps() throws {
    try connection.execute("CREATE INDEX byX ON place(x)")
    let sql = "SELECT sum(n) FROM place WHERE x BETWEEN ? AND ?"
    let values = try fit(sql, CountedRuns(rows: 1, vmSteps: 5000))
    guard case .fittedSteps(let steps, 5000) = values.source else {
      Issue.record("\(values.source)")
      return
    }
    #expect((3500...6500).contains(steps))
  }

  @Test func valuesThatCannotReproduceTheCountsAreInconclusive() throws {
    do {
      _ = try fit("SELECT id FROM place WHERE id = ?", CountedRuns(rows: 50))
      Issue.record("fitted 50 rows of a key")
    } catch let error as OrderingError {
      #expect(error == .noFit(counted: 50, best: 1))
      #expect("\(error)".contains("record --values"))
    }
  }

  @Test func theSameCountsReturnTheSameValues() throws {
    func values() throws -> [[BindValue]] {
      try fit(
        "SELECT id FROM place WHERE x BETWEEN ? AND ? AND kind = ?", CountedRuns(rows: 9)
      ).runs.map(\.values)
    }
    #expect(try values() == values())
  }

  @Test func withoutCountsTheMiddleOfTheWholeColumnIsTaken() throws {
    let values = try fit("SELECT id FROM place WHERE n BETWEEN ? AND ?", CountedRuns())
    #expect(values.source == .sampled)
    guard case .integer(let low) = values.runs[0].values[0],
      case .integer(let high) = values.runs[0].values[1]
    else {
      Issue.record("\(values.runs)")
      return
    }
    #expect((4400...4600).contains(low) && (5400...5600).contains(high))
  }
}
