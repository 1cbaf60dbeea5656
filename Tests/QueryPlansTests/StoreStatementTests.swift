// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

/// Statements that call a store's own functions: they run, and return the store's own rows.
@Suite struct StoreStatementTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE ZSTOP(Z_PK INTEGER PRIMARY KEY, ZLINE INTEGER, ZLONGITUDE FLOAT, ZNAME VARCHAR);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 600)
        INSERT INTO ZSTOP SELECT i, i % 30, i / 10.0,
          CASE i % 3 WHEN 0 THEN 'Görlitzer Straße ' WHEN 1 THEN 'Bahnhof (Süd) ' ELSE 'Ä*b ' END || i
        FROM n;
      """)
  }

  private func compare(_ filter: String, _ values: [BindValue]? = nil) throws -> OrderingComparison
  {
    try compare(
      sql: "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE (\(filter) AND  t0.Z_PK > 0)", values)
  }

  /// Runs the statement, with values sampled from the middle of its columns if none are given.
  private func compare(sql: String, _ values: [BindValue]? = nil) throws -> OrderingComparison {
    try StoreNames.define(on: connection)
    let numbered = ParameterNumbering(sql)
    let sampler = ParameterSampler(
      outline: StatementOutline(numbered.sql), parameterCount: numbered.count,
      connection: connection)
    var options = OrderingComparison.Options()
    options.values = try values ?? sampler.values()
    options.budget = .seconds(1)
    return try OrderingComparison(sql, on: connection, options: options)
  }

  @Test(arguments: [
    ("NSCoreDataStringSearch( t0.ZNAME, ?, 129, 0)", "STRASSE", 200),
    ("NSCoreDataStringSearch( t0.ZNAME, ?, 137, 0)", "gor", 200),
    ("NSCoreDataStringSearch( t0.ZNAME, ?, 137, 0)", "traße", 0),
    ("NSCoreDataStringSearch( t0.ZNAME, ?, 12, 0)", "0 ", 0),
    ("NSCoreDataStringSearch( t0.ZNAME, ?, 417, 1)", "ｓuｄ", 200),
    ("NSCoreDataLike( t0.ZNAME, ?, 1, 0)", "bahn*1?", 20),
    ("NSCoreDataMatches( t0.ZNAME, ?, 129)", "a.b \\d", 3),
    ("NSCoreDataStringFold( t0.ZNAME, 129) = ?", "a*b 2", 1),
    ("NSCoreDataStringCompare( t0.ZNAME, ?, 32) < 0", "B", 200),
    ("NSCoreDataLength( t0.ZNAME) > ?", "19", 167),
  ])
  func returnsTheRowsOfTheStore(term: String, value: String, rows: UInt64) throws {
    let comparison = try compare(term, [Int64(value).map(BindValue.integer) ?? .text(value)])
    #expect(comparison.rows == rows)
    #expect(comparison.storeNames == [String(term.prefix { $0 != "(" })])
    #expect(comparison.variants.count == 2)
    #expect(comparison.variants.allSatisfy { $0.medianTime ?? 0 > 0 })
  }

  /// The median text is one of the `Görlitzer Straße`.
  @Test(arguments: [
    ("NSCoreDataStringSearch( t0.ZNAME, ?, 129, 0)", "Gör"),
    ("NSCoreDataLike( t0.ZNAME, ?, 1, 0)", "*Gör*"),
    ("NSCoreDataMatches( t0.ZNAME, ?, 1)", ".*Gör.*"),
    ("instr( t0.ZNAME, ?) > 0", "Gör"),
  ])
  func samplesAPatternThatFindsSomething(term: String, pattern: String) throws {
    let comparison = try compare(term)
    #expect(comparison.values == [.text(pattern)])
    #expect(comparison.rows == 200)
  }

  @Test func samplesTheEndAndEscapesOtherCharactersThanLetters() throws {
    try connection.execute("UPDATE ZSTOP SET ZNAME = 'a*(c)'")
    #expect(
      try compare("NSCoreDataStringSearch( t0.ZNAME, ?, 12, 0)").values == [.text("(c)")])
    #expect(try compare("NSCoreDataLike( t0.ZNAME, ?, 0, 0)").values == [.text("*a\\*\\(*")])
    let matches = try compare("NSCoreDataMatches( t0.ZNAME, ?, 0)")
    #expect(matches.values == [.text(".*a\\*\\(.*")])
    #expect(matches.rows == 600)
  }

  @Test func samplesExpressionsOfAColumn() throws {
    let fold = try compare("NSCoreDataStringFold( t0.ZNAME, 129) = ?")
    guard case .text(let text)? = fold.values.first else {
      Issue.record("\(fold.values)")
      return
    }
    #expect(text.hasPrefix("bahnhof (sud) "))
    #expect(fold.rows == 1)
    let box = try compare("(NSCoreDataSqrt( t0.ZLONGITUDE) Between ? AND ?)")
    #expect(box.values.count == 2)
    #expect((40...80).contains(box.rows), "\(box.rows) of 600")
    #expect((40...80).contains(try compare("(? <= abs(t0.Z_PK) AND abs(t0.Z_PK) <= ?)").rows))
    #expect(try compare("NSCoreDataStringFold( t0.ZNAME, 1) IN (?, ?)").rows == 2)
    #expect(
      throws: OrderingError.noSample(parameter: 1, term: "NSCoreDataModulusBy( t0.Z_PK, ?1) = 1")
    ) {
      try compare("NSCoreDataModulusBy( t0.Z_PK, ?) = 1")
    }
  }

  @Test func samplesAUUIDAsTheBytesThatItIs() throws {
    try connection.execute(
      "CREATE TABLE ZFILE(Z_PK INTEGER PRIMARY KEY, ZID BLOB); INSERT INTO ZFILE VALUES (1, x'00ff')"
    )
    let comparison = try compare(
      sql: "SELECT 0 FROM ZFILE t0 WHERE ( t0.ZID = ? AND  t0.Z_PK > 0)")
    #expect(comparison.values == [.blob([0, 255])])
    #expect(comparison.values.map(\.description) == ["x'00ff'"])
    #expect(comparison.rows == 1)
  }

  @Test func samplesListsOfTypedValues() throws {
    for column in ["ZNAME", "ZLONGITUDE", "ZLINE"] {
      let comparison = try compare(
        "t0.\(column) IN (SELECT NSCoreDataValue(value) FROM json_each(?))")
      #expect(comparison.rows == (column == "ZLINE" ? 600 : 50), "\(column)")
    }
  }

  @Test func fillsCoreDatasTablesOfKeys() throws {
    let comparison = try compare(
      "t0.ZLINE IN (SELECT * FROM _Z_intarray0) AND  t0.Z_PK NOT IN (SELECT * FROM _Z_intarray1)")
    #expect(comparison.keys.map(\.table) == ["_Z_intarray0", "_Z_intarray1"])
    #expect(comparison.values.isEmpty)
    #expect(comparison.rows == 550)
    #expect(throws: OrderingError.noKeys(table: "_Z_intarray0")) {
      try compare("EXISTS (SELECT 1 FROM _Z_intarray0)")
    }
  }

  @Test(arguments: [
    (
      "NSCoreDataDateFunction(t0.ZLONGITUDE) = 1",
      OrderingError.needsProgram("NSCoreDataDateFunction")
    ),
    ("t0.ZNAME = 'a' COLLATE NSOther", .needsProgram("NSOther")),
    ("NSCoreDataLike(t0.ZNAME, 'a', 1)", .otherArguments("NSCoreDataLike")),
    (
      "NSCoreDataStringFold(t0.ZNAME, 2) = 'a'",
      .failsHere(
        reason: "string search with the options 2, of which 1, 32, 128 and 256 are known")
    ),
  ])
  func doesNotMeasureUnknownValues(term: String, error: OrderingError) {
    #expect(throws: error) { try compare(term) }
  }

  @Test func advisesOnStatementsWithCoreDataFunctions() throws {
    let statements = [
      "SELECT 0 FROM ZSTOP t0 WHERE NSCoreDataStringSearch( t0.ZNAME, ?, 129, 0)",
      "SELECT 0 FROM ZSTOP t0 WHERE  t0.ZLINE IN (SELECT * FROM _Z_intarray0)",
      "SELECT 0 FROM ZSTOP t0 WHERE  t0.Z_PK IN (SELECT * FROM _Z_intarray0)",
      "SELECT 0 FROM ZSTOP t0 ORDER BY t0.ZNAME COLLATE NSCollateFinderlike ",
      "SELECT 0 FROM ZSTOP t0 WHERE NSCoreDataStringSearch( t0.ZNAME, ?, 513, 0)",
      "SELECT 0 FROM ZSTOP t0 WHERE NSCoreDataDateFunction( t0.ZNAME) = 1",
    ]
    let advice = try IndexAdvisor(
      statements.enumerated().map { WorkloadStatement(id: "\($0)", sql: $1, runs: 1) },
      on: connection
    ).advice()
    #expect(advice.effects.map(\.statement) == ["0", "1", "2", "3"])
    #expect(advice.effects.allSatisfy { $0.before > 0 })
    #expect(advice.storeNames == ["NSCollateFinderlike", "NSCoreDataStringSearch"])
    // Statements that do not compile come first.
    #expect(advice.unmeasured.map(\.statement) == ["5", "4"])
    #expect(advice.unmeasured.first?.reason.contains("needs 'NSCoreDataDateFunction'") == true)
    #expect(advice.unmeasured.last?.reason.contains("options 513") == true)
  }

  /// The order of a language other than ours: an index of the copy is rebuilt.
  @Test func anIndexOfAnotherLanguageIsRebuiltOnTheCopy() throws {
    try connection.createCollation("NSCollateLocaleSensitive") { a, b in
      Int32(b.count - a.count)
    }
    try connection.execute("CREATE INDEX byName ON ZSTOP (ZNAME COLLATE NSCollateLocaleSensitive)")
    let copy = try DatabaseCopy(of: connection, progress: { _, _ in })
    try copy.reorder()
    let check = try copy.connection.prepare("PRAGMA integrity_check")
    #expect(try check.step())
    #expect(check.string(0) == "ok")
  }
}

extension OrderingComparison {
  fileprivate var values: [BindValue] { runs.first ?? [] }
}
