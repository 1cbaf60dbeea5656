// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

/// Core Data's logs as terminals, editors and tools change them: wrapped, prefixed, in other encodings.
struct CoreDataPasteTests {
  private static let sql =
    "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZDESCRIPTION, t0.ZLOCATION FROM ZSTOPTIME t0 WHERE "
    + "( t0.ZLOCATION = ? AND  NSCoreDataStringSearch( t0.ZDESCRIPTION, ?, 417, 0)) ORDER BY "
    + "t0.ZLOCATION COLLATE NSCollateLocaleSensitive  LIMIT 100"
  private static let fault =
    "annotation: fault fulfilled from database for : 0xd000000000100002 "
    + "<x-coredata://9A1C0000-1111-2222-3333-444455556666/StopTime/p4>"
  private static let lines = [
    "sql: \(sql)", "annotation: sql connection fetch time: 0.0010s",
    "annotation: total fetch execution time: 0.0040s for 190 rows.",
    "sql: SELECT 0, t0.Z_PK FROM ZSTOPTIME t0 WHERE  t0.Z_PK = ?",
    "annotation: sql connection fetch time: 0.0010s",
    "annotation: total fetch execution time: 0.0040s for 1 rows.", fault,
  ]
  private static let text = lines.map { "CoreData: \($0)\n" }.joined()

  private func check(_ reading: Reading, sql: String = Self.sql) {
    #expect(reading.events.compactMap(\.rowsOfFetch) == ["ZSTOPTIME 190"])
    #expect(reading.events.compactMap(\.sql).first == sql)
    #expect(reading.events.compactMap(\.missedKey) == [4])
    #expect(reading.source.problems == [])
    #expect(reading.source.unrecognizedSamples == [])
  }

  @Test(arguments: ["```", "```text", "{noformat}", "{code:title=a.log}"])
  func aFenceAndTheColumnsOfLogShowAreNoUnknownLines(fence: String) throws {
    let lines = Self.lines.enumerated().map { index, line in
      "2025-03-05 10:11:12.\(100 + index) Df Notes[812:3f2a1] "
        + "[com.apple.coredata:\(line.prefix { $0 != ":" })] CoreData: \(line)\n"
    }
    let columns = "Timestamp               Ty Process[PID:TID]\n"
    let reading = try Reading(log: "\(fence)\n\(columns)\(lines.joined())\(fence)\n")
    check(reading)
    #expect(reading.source.unrecognizedLines == 0)
  }

  @Test func entitiesAreAChangeOfTheInput() throws {
    let text = Self.text.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    let reading = try Reading(log: text)
    check(reading)
    #expect(reading.source.changes?.count == 1)
    #expect(try Reading(log: Self.text).source.changes == nil)
  }

  // MARK: - Wrapped

  /// At a column, as a terminal wraps: within words, names and numbers.
  @Test(arguments: 40...140) func linesOfAFixedWidthAreJoined(width: Int) throws {
    check(try Reading(log: Self.wrapped(Self.text, width)))
  }

  @Test(arguments: [40, 60, 80, 100, 120]) func linesBetweenWordsAreJoined(width: Int) throws {
    let reading = try Reading(log: Self.wrappedBetweenWords(Self.text, width))
    // Two spaces where the line was wrapped are one.
    let sql = reading.events.compactMap(\.sql).first ?? ""
    #expect(sql.replacing("  ", with: " ") == Self.sql.replacing("  ", with: " "))
    check(reading, sql: sql)
  }

  /// A program's output between the lines of a fetch is no part of its SQL.
  @Test(arguments: [
    "2024-01-05 09:10:11.130 Notes[4567:89012] loaded the first page", "20 notes", "OK",
    "<Note: 0x600000c8a2b0>", "-> GET /notes", "(lldb) po note", "10:11:12 DONE", "3", "- done",
    "NOTES LOADED", "'quoted'", "100% of 20 items",
  ])
  func otherLinesAreNoPartOfTheSQL(line: String) throws {
    let reading = try Reading(
      log: Self.text.replacing(
        "COLLATE NSCollateLocaleSensitive  LIMIT 100\n", with: "?\n\(line)\n"))
    let sql = Self.sql.replacing("COLLATE NSCollateLocaleSensitive  LIMIT 100", with: "?")
    #expect(reading.events.compactMap(\.sql).first == sql)
    #expect(reading.events.compactMap(\.rowsOfFetch) == ["ZSTOPTIME 190"])
    #expect(reading.source.unrecognizedLines == 1)
  }

  private static func wrapped(_ text: String, _ width: Int) -> String {
    text.split(separator: "\n").map { line in
      stride(from: 0, to: line.count, by: width).map { line.dropFirst($0).prefix(width) }
        .joined(separator: "\n") + "\n"
    }.joined()
  }

  private static func wrappedBetweenWords(_ text: String, _ width: Int) -> String {
    var result = ""
    for line in text.split(separator: "\n") {
      var length = 0
      for word in line.split(separator: " ") {
        if length > 0, length + word.count + 1 > width {
          result += "\n"
          length = 0
        }
        result += (length > 0 ? " " : "") + word
        length += word.count + (length > 0 ? 1 : 0)
      }
      result += "\n"
    }
    return result
  }

  // MARK: - Prefixed

  @Test(arguments: ["app-1  | ", "> ", "> > ", "    ", "\t", "12:", "  12: "])
  func prefixesOfEachLineAreStripped(prefix: String) throws {
    let log = Self.wrappedBetweenWords(Self.text, 80).split(separator: "\n")
      .map { "\(prefix)\($0)\n" }.joined()
    let reading = try Reading(log: log)
    check(reading, sql: reading.events.compactMap(\.sql).first ?? "")
  }

  @Test(arguments: [
    "app-1  | 2024-01-05 09:10:11.125 Notes[4567:89012] ",
    "> 2024-01-05 09:10:11.125678+0200 Notes[4567:89012] [sql] ",
    "2024-01-05T09:10:11.1234567Z 2024-01-05 10:10:11.125 Notes[4567:89012] ",
    "2024-01-05T09:10:11.123456+0200 Notes[4567:89012] ", "Notes[4567:15bb4] [sql] ",
  ])
  func headsBehindPrefixesAreRead(head: String) throws {
    let reading = try Reading(log: Self.lines.map { "\(head)CoreData: \($0)\n" }.joined())
    check(reading)
    #expect(Set(reading.records.map(\.process.name)) == ["Notes"])
    #expect(Set(reading.records.map(\.process.id)) == [4567])
    #expect(Set(reading.records.map(\.threadID)).isSubset(of: [89012, 0x15bb4]))
  }

  // MARK: - Encodings and formats

  @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian], ["\n", "\r\n", "\r"])
  func utf16IsRead(encoding: String.Encoding, lineEnd: String) throws {
    let text = "\u{feff}" + Self.text.replacing("\n", with: lineEnd)
    let folder = try TemporaryDirectory()
    try #require(text.data(using: encoding)).write(to: folder.url.appending(path: "log"))
    check(try Reading(folder.path("log")))
  }

  @Test func carriageReturnsAloneEndLines() throws {
    check(try Reading(log: Self.text.replacing("\n", with: "\r")))
  }

  /// `log show --style ndjson`, and `--style json` with one object a page.
  @Test(arguments: [false, true], ["", "Filtering the log data using \"subsystem == x\"\n"])
  func jsonOfTheSystemsLogIsRead(isArray: Bool, header: String) throws {
    let objects = Self.lines.enumerated().map { index, line in
      let text = "CoreData: \(line)".replacing("\"", with: "\\\"")
      return """
        {"traceID":71776129,"eventMessage":"\(text)","eventType":"logEvent","threadID":89012,\
        "backtrace":{"frames":[{"imageOffset":1}]},\
        "processImagePath":"\\/Applications\\/My Notes","timestamp":"2024-01-05 09:10:11.12500\(index)+0100",\
        "processID":4567}
        """
    }
    let reading = try Reading(
      log: header
        + (isArray
          ? "[" + objects.map { $0.replacing(",\"", with: ",\n  \"") }.joined(separator: ",")
            + "]\n"
          : objects.joined(separator: "\n") + "\n"))
    #expect(reading.events.compactMap(\.rowsOfFetch) == ["ZSTOPTIME 190"])
    #expect(reading.events.compactMap(\.sql).first == Self.sql)
    #expect(Set(reading.records.map(\.process.name)) == ["My Notes"])
    #expect(Set(reading.records.map(\.threadID)) == [89012])
    #expect(reading.source.problems == [])
    #expect(reading.source.unrecognizedLines == (header.isEmpty ? 0 : 1))
  }

  /// Beginning with no key that shows its kind: not read wrongly at least.
  @Test func textInQuotesIsNoLine() throws {
    let reading = try Reading(
      log:
        "\(Self.text){\"a\":1,\"eventMessage\":\"CoreData: sql: SELECT 0, t0.Z_PK FROM ZX t0\",\"b\":2}\n"
    )
    #expect(reading.events.compactMap(\.sql).count == 2)
    #expect(reading.source.unrecognizedLines == 1)
  }

  /// The system's log cuts messages of more than 1,024 bytes.
  @Test func statementsThatTheSystemCutAreDoubted() throws {
    let cut = "SELECT 0, t0.Z_PK, t0.ZNA<…>"
    let reading = try Reading(
      log: """
        CoreData: sql: \(cut)
        CoreData: annotation: sql connection fetch time: 0.0010s
        CoreData: annotation: fetch using NSSQLiteStatement <0x6> on entity 'Item' with sql text 'SELECT 0, t0<…>
        CoreData: annotation: total fetch execution time: 0.0040s for 3 rows.

        """)
    #expect(reading.events.compactMap(\.rowsOfFetch) == ["Item 3"])
    #expect(
      reading.source.problems == [
        "the system's log cut 1 statement after 1,024 bytes (<…>): those with the same beginning are counted "
          + "as one and have no plan"
      ])
    #expect(reading.source.unrecognizedSamples == [])
  }

  @Test func aNumberAtTheEndOfALineIsDoubted() throws {
    let reading = try Reading(
      log: """
        CoreData: sql: SELECT 0, t0.Z_PK FROM ZITEM t0
        CoreData: annotation: total fetch execution time: 0.0040s for 19
        CoreData: sql: SELECT COUNT(*) FROM ZITEM t0
        CoreData: annotation: total count request execution time: 0.0040s for count of 10
        CoreData: sql: COMMIT

        """)
    #expect(
      reading.source.problems == [
        "line 2 is cut: total fetch execution time: 0.0040s for 19",
        "line 4 is cut: total count request execution time: 0.0040s for count of 10",
      ])
  }
}

extension StoreEvent {
  fileprivate var rowsOfFetch: String? {
    if case .fetchEnd(let end) = self { "\(end.entity) \(end.rows)" } else { nil }
  }

  fileprivate var sql: String? {
    if case .statement(let statement) = self { statement.sql } else { nil }
  }

  fileprivate var missedKey: Int64? {
    if case .cacheMiss(let miss) = self { miss.pk } else { nil }
  }
}
