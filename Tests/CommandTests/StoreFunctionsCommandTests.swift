// SPDX-License-Identifier: Apache-2.0

import Foundation
import SQLiteDriver
import StoreEvents
import TestSupport
import Testing

/// `orderings` and `advise` on statements with the store's own SQL functions and collations.
@Suite struct StoreFunctionsCommandTests {
  private let report = Program("trace-report")
  private let transit = Program("transit")
  private let folder: TemporaryDirectory
  private var store: String { folder.path("transit.sqlite") }

  init() async throws {
    folder = try TemporaryDirectory()
    let made = try await transit.run(
      "generate", "--stops", "600", "--stop-times", "600", "--seed", "1", "--store", store)
    try #require(made.status == 0, "\(made.error)")
  }

  private struct Orders: Decodable {
    var rows: UInt64
    var storeNames: [String]
    var terms: [Term]
    var orders: [Order]
    var verdict: String
    struct Term: Decodable { var role: String }
    struct Order: Decodable {
      var terms: [Int]
      var medianNs: Double
    }
  }

  /// The names of all stops east of a longitude, to compare with Foundation's results.
  private func names(east longitude: Double) throws -> [String] {
    let query = try Connection(path: store, mode: .readOnly).prepare(
      "SELECT ZNAME FROM ZSTOP WHERE ZLONGITUDE > ?")
    query.bind(longitude, at: 1)
    var names: [String] = []
    while try query.step() { names.append(query.string(0)) }
    return names
  }

  private static let insensitive: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive]

  @Test(arguments: ["CONTAINS", "BEGINSWITH", "LIKE"])
  func ordersOfALogAreMeasuredWithTheirTrueRows(word: String) async throws {
    let names = try names(east: 13.3)
    let term: String
    let pattern: String
    let found: Int
    switch word {
    case "CONTAINS":
      (term, pattern) = ("NSCoreDataStringSearch( t0.ZNAME, ?, 129, 0)", "STRASSE")
      found = names.count {
        $0.replacing("ß", with: "ss").range(of: pattern, options: Self.insensitive) != nil
      }
    case "BEGINSWITH":
      (term, pattern) = ("NSCoreDataStringSearch( t0.ZNAME, ?, 137, 0)", "u ")
      found = names.count {
        $0.range(of: pattern, options: Self.insensitive.union(.anchored)) != nil
      }
    default:
      (term, pattern) = ("NSCoreDataLike( t0.ZNAME, ?, 1, 0)", "*PLATZ*")
      found = names.count { $0.range(of: "platz", options: .caseInsensitive) != nil }
    }
    #expect(found > 0 && found < names.count)
    let sql = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE (\(term) AND  t0.ZLONGITUDE > ?)  LIMIT 200"
    let log = folder.path("debug.log")
    let run = RunBuilder {
      $0.open()
      $0.fetch(sql)
    }
    try run.log.write(toFile: log, atomically: true, encoding: .utf8)
    let orders = try await report.run(
      "orderings", log, "--statement", "\(StatementID(sql: sql))", "--database", store, "--bind",
      "'\(pattern)'", "13.3", "--budget", "6", "--json")
    #expect([0, 3].contains(orders.status), "\(orders.error)")
    let measured = try JSONDecoder().decode(Orders.self, from: Data(orders.output.utf8))
    #expect(measured.rows == UInt64(found))
    #expect(measured.orders.map(\.terms) == [[1, 2], [2, 1]])
    #expect(measured.orders.allSatisfy { $0.medianNs > 0 })
    #expect(measured.terms.first?.role == "residual")
    #expect(measured.storeNames == [String(term.prefix { $0 != "(" })])

    let sampled = try await report.run(
      "orderings", log, "--statement", "\(StatementID(sql: sql))", "--database", store, "--budget",
      "1")
    // A log without values: values are sampled to fit the counts, or nothing is measured.
    if sampled.status == 0 {
      #expect(sampled.output.contains("values sampled, so that a run"), "\(sampled.output)")
    } else {
      #expect(sampled.status == 3, "\(sampled.error)")
      #expect(sampled.output.contains("inconclusive") || !sampled.error.isEmpty)
    }
  }

  private struct Advice: Decodable {
    var statements: [Statement]
    var unmeasured: [Unmeasured]
    var storeNames: [String]
    struct Statement: Decodable {
      var id: String
      var beforeSteps: Double
    }
    struct Unmeasured: Decodable { var reason: String }
  }

  @Test func adviceMeasuresTheSearchesByText() async throws {
    let log = folder.path("search.log")
    let run = try await transit.run(
      "search", "--text", "gorli", "--form", "contains", "--form", "begins", "--store", store,
      environment: ["STORE_SQL_DEBUG": "1", "STORE_SQL_DEBUG_FILE": log])
    try #require(run.status == 0, "\(run.error)")
    let advice = try await self.advice(log)
    #expect(advice.unmeasured.map(\.reason) == [])
    #expect(advice.statements.count == 2)
    #expect(advice.statements.allSatisfy { $0.beforeSteps > 0 })
    #expect(advice.storeNames == ["NSCoreDataStringSearch"])
  }

  /// `traces/before` is a recording of transit: by the box, by departures, and by text.
  @Test func adviceMeasuresTheSearchesOfATrace() async throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let advice = try await self.advice(package.appending(path: "traces/before").path)
    #expect(advice.unmeasured.map(\.reason) == [])
    #expect(advice.statements.count == 4)
    #expect(advice.storeNames == ["NSCoreDataStringSearch"])
  }

  private func advice(_ input: String) async throws -> Advice {
    let run = try await report.run("advise", input, "--database", store, "--json")
    try #require(run.status == 0, "\(run.error)")
    return try JSONDecoder().decode(Advice.self, from: Data(run.output.utf8))
  }

  @Test func functionsOfTheProgramAreInconclusive() async throws {
    for (term, words) in [
      ("NSCoreDataDateFunction(t0.ZNAME) = 1", "needs 'NSCoreDataDateFunction'"),
      ("NSCoreDataLike(t0.ZNAME, 'a')", "calls 'NSCoreDataLike' with arguments whose meaning"),
      ("NSCoreDataStringSearch(t0.ZNAME, 'a', 513, 0)", "(string search with the options 513,"),
    ] {
      let run = try await report.run(
        "orderings", "--database", store, "--sql",
        "SELECT t0.Z_PK FROM ZSTOP t0 WHERE \(term) AND t0.Z_PK > 0")
      #expect(run.status == 3)
      #expect(run.output.isEmpty)
      #expect(run.error.contains(words), "\(run.error)")
      #expect(run.error.contains("let its own program run it"))
      #expect(run.error.split(separator: "\n").count == 1)
    }
  }
}
