// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceReading

@testable import TraceRendering

struct CSVTests {
  private final class Lines { var text = "" }

  private func csv(_ records: [EventRecord]) throws -> String {
    let lines = Lines()
    var table = try EventTable { lines.text += $0 }
    for record in records { try table.add(record) }
    return lines.text
  }

  /// A reader after RFC 4180, apart from the writer.
  private func parsed(_ text: String) -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var field = String.UnicodeScalarView()
    var isQuoted = false
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\"" where isQuoted && scalars.first == "\"":
        field.append(scalar)
        scalars.removeFirst()
      case "\"": isQuoted.toggle()
      case "," where !isQuoted:
        row.append(String(field))
        field = .init()
      case "\r" where !isQuoted && scalars.first == "\n":
        scalars.removeFirst()
        rows.append(row + [String(field)])
        row = []
        field = .init()
      default: field.append(scalar)
      }
    }
    #expect(row.isEmpty && field.isEmpty && !isQuoted)
    return rows
  }

  private static func run() -> RunBuilder {
    RunBuilder { trace in
      trace.open()
      trace.fetch("SELECT 'a,\"b\"'\nFROM x", rows: 15, vmSteps: 77)
      trace.fault(relationship: "stopTimes", pk: 2, duration: 500)
      trace.save(error: "=cmd|' /C calc'!A0")
      trace.append(.busy(BusyWaited(storeID: 1, attempts: 3, waitTime: 2000, gaveUp: 1)))
      trace.append(
        .checkpoint(
          CheckpointDone(
            storeID: 1, mode: "passive", logFrames: 10, checkpointedFrames: 9, totalTime: 7000)))
      trace.close()
    }
  }

  @Test func everyRowHasAllColumns() throws {
    let rows = parsed(try csv(Self.run().records))
    #expect(rows[0] == EventTable.columns)
    #expect(rows.map(\.count) == [Int](repeating: EventTable.columns.count, count: 7))
    func value(_ row: Int, _ column: String) -> String {
      EventTable.columns.firstIndex(of: column).map { rows[row][$0] } ?? "no such column"
    }
    #expect(
      (1...6).map { value($0, "event") }
        == ["fetch_end", "cache_miss", "fault", "save_end", "busy", "checkpoint"])
    #expect(value(1, "sql") == "SELECT 'a,\"b\"'\nFROM x")
    #expect(value(1, "vm_steps") == "77")
    #expect(value(1, "caller") == "transit/Search.swift:42")
    #expect(value(2, "vm_steps") == "12")
    #expect(value(2, "statement_id").count == 16)
    #expect(value(3, "relationship") == "stopTimes")
    #expect(value(3, "kind") == "database")
    #expect(value(3, "rows") == "1")
    #expect(value(4, "deleted") == "3")
    #expect(value(4, "wait_ns") == "1000")
    #expect(value(4, "statements") == "8")
    #expect(value(5, "duration_ns") == "2000")
    #expect(value(6, "rows") == "9")
  }

  @Test func lossesAreARowOfTheCSV() throws {
    let lines = Lines()
    let table = try EventTable { lines.text += $0 }
    try table.finish(missing: ["trace: the tracer discarded 12 events, \"x\""])
    let rows = parsed(lines.text)
    #expect(rows.map(\.count) == [Int](repeating: EventTable.columns.count, count: 2))
    #expect(
      rows[1].filter { !$0.isEmpty } == [
        "incomplete", "trace: the tracer discarded 12 events, \"x\"",
      ])
    var profile = RunBuilder { trace in
      trace.open()
      trace.fetch("SELECT a")
      trace.close()
    }.profile()
    profile.reading.sources[0].eventsLost = 12
    let statements = parsed(StatementTable.csv(profile))
    #expect(statements.map(\.count) == [Int](repeating: StatementTable.columns.count, count: 3))
    #expect(statements[2][0].contains("the tracer discarded 12 events"))
  }

  @Test func aTextIsNoFormula() throws {
    let rows = parsed(try csv(Self.run().records))
    #expect(rows[4].last == "'=cmd|' /C calc'!A0")
    for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"] {
      var row = CSVRow()
      row.append(text)
      #expect(parsed(row.finished) == [["'" + text]])
    }
    var number = CSVRow()
    number.append(Int64(-5))
    #expect(number.finished == "-5\r\n")
  }

  @Test func anyEventIsOneRowOrNone() throws {
    var samples = EventSamples(seed: 52)
    let records = samples.records(600)
    let rows = parsed(try csv(records))
    #expect(rows.allSatisfy { $0.count == EventTable.columns.count })
    let written: Set<StoreEvent.Kind> = [
      .fetchEnd, .fault, .cacheMiss, .saveEnd, .checkpoint, .busy, .statementRun,
    ]
    #expect(rows.count == 1 + records.count { written.contains($0.event.kind) })
  }

  @Test func statementsOfOneFormAreOneRow() throws {
    let profile = RunBuilder { trace in
      trace.open()
      trace.fetch("SELECT a WHERE x IN (1)", total: 1000)
      trace.fetch("SELECT a WHERE x IN (1, 2)", total: 2000)
      trace.fetch("SELECT b", total: 100)
      trace.close()
    }.profile()
    let rows = parsed(StatementTable.csv(profile))
    #expect(rows[0] == StatementTable.columns)
    #expect(rows.map(\.count) == [22, 22, 22])
    #expect(rows.map { $0[3] } == ["runs", "2", "1"])
    #expect(rows[1][0] == "SELECT a WHERE x IN (?)")
    #expect(rows[1][8] == "1500.0")
  }
}
