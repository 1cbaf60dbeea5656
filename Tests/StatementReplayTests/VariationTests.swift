// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StatementReplay

/// The dependencies of a result in addition to its rows and values.
@Suite struct VariationTests {
  private static let statements: [(String, Variation)] = [
    ("SELECT a, date FROM t WHERE time > ?", []),
    ("SELECT randomised(a) FROM random", []),
    ("SELECT a FROM t ORDER BY random()", .random),
    ("INSERT INTO t DEFAULT VALUES", []),
    ("CREATE TABLE t(a DEFAULT (hex(randomblob (8))))", .random),
    ("SELECT strftime('%s', a) FROM t", .clock), ("SELECT CURRENT_TIMESTAMP", .clock),
    ("PRAGMA table_info(t)", .surroundings),
    ("SELECT * FROM pragma_table_info('t')", .surroundings),
    ("SELECT name FROM \"sqlite_master\"", .surroundings), ("SELECT changes()", .surroundings),
    ("SELECT random(), datetime('now'), sqlite_version()", [.random, .clock, .surroundings]),
  ]

  @Test(arguments: statements)
  func variationIsReadFromTheSQL(sql: String, variation: Variation) {
    #expect(Variation(sql: sql) == variation)
  }
}
