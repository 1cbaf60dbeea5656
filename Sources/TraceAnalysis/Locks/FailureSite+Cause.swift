// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

extension FailureSite {
  /// The obstacle, or the fix, as far as the recording shows it; nil otherwise.
  public var cause: String? {
    if let obstacle {
      let locationText = obstacle.location.text.map { " at \($0)" } ?? ""
      let name = obstacle.sql.map { "the \(StatementCommand.name(of: $0))" } ?? "a statement"
      return
        "\(name)\(locationText) of \(sharesCache ? "another" : "the same") connection was still open"
    }
    if let transaction {
      let locationText = transaction.location.text.map { " at \($0)" } ?? ""
      let name = transaction.sql.map(StatementCommand.name(of:)) ?? "a statement"
      return """
        the transaction that \(name)\(locationText) began on this connection was still open: use SAVEPOINT for an inner one
        """
    }
    return limit ?? Self.remedies.first { error.contains($0.text) }?.remedy
  }

  /// A limit of SQLite that the statement exceeds, and how to stay below it.
  ///
  /// See <https://www.sqlite.org/limits.html>.
  var limit: String? {
    guard error.contains("too many SQL variables") else {
      return Self.limits.first { error.contains($0.text) }?.remedy
    }
    let numbers = error.split { !$0.isNumber }.compactMap { UInt64($0) }
    let written = UInt64(site.sql.map { FoldedSQL.parameterCount(of: $0) } ?? 0)
    let (count, limit) = numbers.count == 2 ? (numbers[0], numbers[1]) : (written, 0)
    let more = numbers.isEmpty ? " or more" : ""
    return """
      \(count > 0 ? "it has \(count.grouped) parameters\(more), and " : "")\
      \(limit > 0 ? "this connection accepts \(limit.grouped)" : "SQLite accepts 32,766 by default"): \
      split the list, or join json_each(?) or a temporary table
      """
  }

  private static let limits = [
    (
      text: "string or blob too big",
      remedy: "a value is longer than 1,000,000,000 bytes: store it in parts, or in a file"
    ),
    (
      text: "too many terms in compound SELECT",
      remedy: "it has more than 500 SELECTs: write rows of VALUES, or use executemany()"
    ),
    (
      text: "Expression tree is too large",
      remedy: "it has more than 1,000 nested terms: replace OR by IN, or join json_each(?)"
    ),
    (text: "parser stack overflow", remedy: "it is nested too deep: use common table expressions"),
    (text: "at most 64 tables in a join", remedy: "split the join, or materialize a part of it"),
    (
      text: "too many attached databases",
      remedy: "10 databases can be attached: detach one first"
    ),
    (text: "pattern too complex", remedy: "the pattern is longer than 50,000 bytes: shorten it"),
  ]

  private static let remedies = [
    (
      text: "cannot start a transaction within a transaction",
      remedy: "a transaction of this connection was open: use SAVEPOINT for an inner one"
    ),
    (
      text: "no transaction is active",
      remedy: "its transaction had ended: an error or a driver ended it"
    ),
    (text: "SQLITE_INTERRUPT", remedy: "sqlite3_interrupt() or a progress handler ended it"),
    (text: "SQLITE_AUTH", remedy: "an authorizer of the program denied it"),
    (
      text: "SQLITE_CANTOPEN",
      remedy: "a file or its folder does not exist, or this user cannot open or create it"
    ),
    (
      text: "SQLITE_SCHEMA",
      remedy: "the schema has changed since it was compiled: prepare it by sqlite3_prepare_v2()"
    ),
  ]
}
