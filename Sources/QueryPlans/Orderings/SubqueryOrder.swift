// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver

/// The order in which the linked SQLite evaluates the terms of a WHERE clause.
public enum SubqueryOrder {
  public static var sqliteVersion: String { Connection.libraryVersion }

  /// Whether a correlated subquery is evaluated after the other terms, wherever it is written.
  ///
  /// Both orders of two terms run on a few rows: where they take the same steps, it is deferred.
  public static let isDeferred: Bool = {
    let terms = ["(SELECT count(*) FROM r i WHERE i.a <> o.a) > 0", "o.b < 0"]
    let written = try? vmSteps(terms)
    return written != nil && written == (try? vmSteps(terms.reversed()))
  }()

  private static func vmSteps(_ terms: [String]) throws -> UInt64 {
    let connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE r(a, b); INSERT INTO r VALUES (1, 1), (2, 2), (3, 3)")
    let statement = try connection.prepare(
      "SELECT a FROM r o WHERE \(terms.joined(separator: " AND "))")
    while try statement.step() {}
    return statement.takeCounters().vmSteps
  }
}
