// SPDX-License-Identifier: Apache-2.0

import QueryPlans
public import StoreEvents

/// A finding, or a regression, that is accepted, and the reason.
public struct FindingException: Hashable, Sendable {
  /// The rule's name, or `Gate` for a regression that the gate would report.
  public var rule: String
  /// `transit/Search.swift`, or with its line `transit/Search.swift:42`.
  public var caller: String?
  /// The lines of the file to which a comment in the code applies; nil for all lines.
  var callerLines: ClosedRange<UInt64>?
  /// The statement's id, or nil for any.
  public var statement: StatementID?
  /// A part of the statement's SQL, as written.
  public var sql: String?
  /// The index, table, column or relationship that the finding is about.
  public var object: String?
  /// The reason, in the words of its author.
  public var reason: String
  /// The last day on which it holds, such as `2027-03-01`.
  public var expires: String?
  /// The file that declares it.
  public var path: String
  /// The location of the exception in that file.
  public var line: Int

  /// Whether it is about this; whatever it leaves out may be anything.
  func matches(
    rule: String, caller: SourceLocation, statement: StatementID?, sql: String?, object: String
  ) -> Bool {
    guard rule.lowercased() == self.rule.lowercased() else { return false }
    if let wanted = self.caller, wanted != caller.file, wanted != caller.text { return false }
    if let lines = callerLines, !lines.contains(caller.line) { return false }
    if let wanted = self.statement, wanted != statement {
      // The id that a shared report has.
      guard wanted == sql.map({ SharedStatement(sql: $0).id }) else { return false }
    }
    if let wanted = self.sql, sql?.contains(wanted) != true { return false }
    if let wanted = self.object, wanted != object { return false }
    return true
  }

  /// Dates such as `2027-03-01` sort in chronological order.
  func isExpired(on today: String) -> Bool { expires.map { $0 < today } ?? false }
}
