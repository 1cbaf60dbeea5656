// SPDX-License-Identifier: Apache-2.0

import SQLiteDriver
import Testing

@testable import QueryPlans

/// Other ways to write a term, which return the same rows.
@Suite struct IndexObstacleTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE line(id INTEGER PRIMARY KEY, room INT, at INT, note TEXT);
      CREATE INDEX line_room ON line(room, at, id);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 12000)
        INSERT INTO line SELECT i, i % 2, i * 7919 % 12007, 'Note ' || i FROM n;
      """)
  }

  private func obstacles(_ sql: String, _ values: [BindValue]) -> [IndexObstacle] {
    let explainer = PlanExplainer(connection, values: { _ in [values] })
    return explainer.explain(sql).judgement?.obstacles ?? []
  }

  // MARK: - Pages

  private static let pages: [(terms: String, values: [Int64], order: String, rewritten: String)] = [
    ("at < ? OR (at = ? AND id < ?)", [6000, 6000, 7], "at DESC, id DESC", "(at, id) < (?, ?)"),
    ("at > ? OR (at = ? AND id > ?)", [6000, 6000, 7], "at, id", "(at, id) > (?, ?)"),
    ("at > ? OR (at = ? AND id >= ?)", [6000, 6000, 7], "at, id", "(at, id) >= (?, ?)"),
    ("(? < id AND ? = at) OR ? < at", [7, 6000, 6000], "at, id", "(at, id) > (?, ?)"),
    ("at > :a OR (at = :b AND id > :c)", [6000, 6000, 7], "at, id", "(at, id) > (:a, :c)"),
    (
      "at > ? OR (at = ? AND (id > ? OR (id = ? AND note > 'a')))", [6000, 6000, 7, 7], "at, id",
      "(at, id, note) > (?, ?, 'a')"
    ),
    (
      "at > ? OR (at = ? AND id > ?) OR (at = ? AND id = ? AND note > 'a')",
      [6000, 6000, 7, 6000, 7], "at, id", "(at, id, note) > (?, ?, 'a')"
    ),
  ]

  @Test(arguments: pages.indices)
  func aPageOfRowsBeginsByRowValues(place: Int) throws {
    let (terms, values, order, rewritten) = Self.pages[place]
    let found = try #require(
      obstacles(
        "SELECT id, note FROM line WHERE room = 1 AND (\(terms)) ORDER BY \(order) LIMIT 20",
        values.map { .integer($0) }
      ).first)
    #expect(found.reason == .keyset)
    #expect(found.index == "line_room")
    #expect(found.rewritten == rewritten)
    let steps = try #require(found.steps)
    #expect(steps.before > 10_000 && steps.after < 1000)
  }

  @Test(arguments: [
    "at <= ?1 OR (at = ?2 AND id < ?3)", "at < ?1 OR (at = ?2 AND id > ?3)",
    "at < 6000 OR (at = 6001 AND id < 7) OR ?1 + ?2 + ?3 < 0",
    "at < 6000 + ?1 OR (at = 6000 + ?2 AND id < ?3)",
    // The program does not bind the same value twice.
    "at < ?1 OR (at = ?1 + ?2 AND id < ?3)",
  ])
  func anotherORIsNoPage(terms: String) {
    let found = obstacles(
      "SELECT id FROM line WHERE room = 1 AND (\(terms)) ORDER BY at DESC, id DESC LIMIT 20",
      [.integer(6000), .integer(6000), .integer(7)])
    #expect(!found.contains { $0.reason == .keyset })
  }
}
