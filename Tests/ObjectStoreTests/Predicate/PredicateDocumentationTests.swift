// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreFunctions
import Testing

@testable import ObjectStore

/// `Documentation/Predicates.md` is correct; `RECORD_SNAPSHOTS=1` writes its SQL again, and fails.
@Suite struct PredicateDocumentationTests {
  private static let url = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Documentation/Predicates.md")

  private let model = PredicateModel()
  private let text: String

  init() throws { text = try String(contentsOf: Self.url, encoding: .utf8) }

  /// The rows of the tables with this head, without the backticks of code.
  private func rows(under head: String) -> [[String]] {
    var isInside = false
    var rows: [[String]] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == head {
        isInside = true
      } else if !line.hasPrefix("|") {
        isInside = false
      } else if isInside, !line.hasPrefix("|---") {
        rows.append(cells(of: line))
      }
    }
    return rows
  }

  private func cells(of line: Substring) -> [String] {
    line.replacing("\\|", with: "\u{1}").split(separator: "|").map { cell in
      let cell = cell.trimmingCharacters(in: .whitespaces).replacing("\u{1}", with: "|")
      return cell.hasPrefix("`") && cell.hasSuffix("`") ? String(cell.dropFirst().dropLast()) : cell
    }
  }

  private func predicate(_ format: String) throws -> FetchPredicate {
    let stop = ManagedObjectID(entityName: "Stop", primaryKey: 1, storeUUID: "S")
    let tag = ManagedObjectID(entityName: "Tag", primaryKey: 1, storeUUID: "S")
    let arguments: [(any PredicateArgument)?] =
      !format.contains("%@")
      ? [] : format.contains("IN %@") ? [[stop]] : [format.hasPrefix("tags") ? tag : stop]
    return try FetchPredicate(format: format, arguments: arguments)
  }

  @Test func showsTheSQLOfEachConstruct() throws {
    let connection = try model.connection()
    try SQLFunctions.register(on: connection)
    let rows = rows(under: "| format | SQL | cost |")
    #expect(rows.count > 100)
    var corrected = text
    for row in rows {
      let select = try SelectStatement.objectIDs(of: model.stop, where: predicate(row[0]))
      let condition = String(select.sql.trimmingPrefix("SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE "))
      #expect(condition == row[1], "\(row[0])")
      corrected.replace(
        "| `\(escaped(row[0]))` | `\(escaped(row[1]))` | \(row[2]) |",
        with: "| `\(escaped(row[0]))` | `\(escaped(condition))` | \(row[2]) |")
      expectCost(row[2], of: row[0], select.sql, plan: try connection.plan(select.sql))
    }
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try corrected.write(to: Self.url, atomically: true, encoding: .utf8)
      Issue.record("wrote \(Self.url.path)")
    }
  }

  private func escaped(_ cell: String) -> String { cell.replacing("|", with: "\\|") }

  private func expectCost(_ cost: String, of format: String, _ sql: String, plan: [PlanStep]) {
    let plan = plan.map(\.detail).joined(separator: "\n")
    let isSearch = plan.contains("SEARCH t0") && !plan.contains("SCAN t0")
    let isSubquery = sql.contains("(SELECT ") && plan.contains("CORRELATED")
    let callsUs = sql.contains("NSCoreData")
    switch cost {
    case "index": #expect(isSearch, "\(format)\n\(plan)")
    case "scan": #expect(!isSubquery && !callsUs, "\(format)\n\(plan)")
    case "function": #expect(callsUs && !isSearch && !isSubquery, "\(format)\n\(plan)")
    case "subquery": #expect(isSubquery, "\(format)\n\(plan)")
    default: Issue.record("\(cost) is no cost")
    }
  }

  @Test func leavesNoConstructOut() {
    let formats = rows(under: "| format | SQL | cost |").map { $0[0] }
    let words =
      FetchPredicate.Comparator.allCases.map(\.rawValue)
      + PredicateFunction.allCases.map(\.rawValue)
      + FetchPredicate.CollectionOperator.allCases.map { "@" + $0.rawValue }
      + FetchPredicate.ArithmeticOperator.allCases.map { " " + $0.rawValue + " " }
      + [
        "ANY", "SOME", "ALL", "NONE", "SUBQUERY", "CAST", "now()", "noindex:", "[c]", "[d]", "[n]",
      ]
      + ["[l]", "[cd]", "SELF", "TRUEPREDICATE", "FALSEPREDICATE", "&&", "||", "! ", "nil"]
    for word in words {
      #expect(formats.contains { $0.contains(word) }, "\(word) is missing")
    }
  }

  @Test func answersAsDocumented() throws {
    let connection = try model.connection()
    try SQLFunctions.register(on: connection)
    let rows = PredicateRows(model)
    let examples = self.rows(under: "| format | value | answer |")
    #expect(examples.count > 40)
    for row in examples {
      rows.removeAll()
      let name = String(row[0].prefix { $0.isLetter || $0 == ":" || $0 == "(" })
      let property = try #require(
        model.stop.attributes.first { row[0].contains($0.name) }?.name, "\(name)")
      guard case .comparison(let literal) = try FetchPredicate("x == \(row[1])"),
        case .constant(let value) = literal.right
      else { throw CancellationError() }
      rows.add("Stop", [property: value])
      try rows.write(to: connection)
      let predicate = try predicate(row[0])
      for (predicate, isFound) in [(predicate, row[2] == "yes"), (!predicate, row[2] == "no")] {
        let select = try SelectStatement.objectIDs(of: model.stop, where: predicate)
        #expect(try connection.primaryKeys(select) == (isFound ? [1] : []), "\(row) \(select.sql)")
        #expect(try rows.primaryKeys(model.stop, predicate) == (isFound ? [1] : []), "\(row)")
      }
    }
  }

  @Test func refusesWithTheWordsThatItQuotes() throws {
    let rows = rows(under: "| format | part of the error message |")
    #expect(rows.count > 10)
    for row in rows {
      let sentence: String
      do {
        let predicate = try FetchPredicate(row[0])
        _ = try SelectStatement.objectIDs(of: model.stop, where: predicate)
        sentence = "nothing"
      } catch { sentence = "\(error)" }
      #expect(sentence.contains(row[1]), "\(row[0]): \(sentence)")
    }
  }
}
