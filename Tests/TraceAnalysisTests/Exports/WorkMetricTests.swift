// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceReading

@testable import TraceRendering

/// A counter that is added to `WorkMetric` needs no other line in a reader, a report or an export.
@Suite struct WorkMetricTests {
  private static let sql = "SELECT t0.Z_PK FROM ZSTOP t0"

  /// A number that no other counter has.
  private static func number(_ place: Int) -> UInt64 { UInt64(1_000_007 + 11 * place) }

  /// A fetch whose counters are all different.
  private static let records: [EventRecord] = {
    let run = RunBuilder { trace in
      trace.open()
      trace.fetch(sql)
      trace.close()
    }
    return run.records.map { record in
      var record = record
      guard case .fetchEnd(var fetch) = record.event else { return record }
      for (place, metric) in WorkMetric.counters.enumerated() {
        if case .count(let path)? = metric.fetch { fetch[keyPath: path] = number(place) }
      }
      record.event = .fetchEnd(fetch)
      return record
    }
  }()

  private func expectAllCounters(in texts: [String], _ spelling: (WorkMetric, UInt64) -> String) {
    for (place, metric) in WorkMetric.counters.enumerated() {
      let field = spelling(metric, Self.number(place))
      #expect(texts.contains { $0.contains(field) }, "no \(field)")
    }
  }

  private func profile() -> Profile {
    var builder = ProfileBuilder()
    for record in Self.records { builder.add(record) }
    return builder.profile(of: .init(sources: []))
  }

  @Test func everyCounterIsReadFromTheLogAndTheTrace() throws {
    let folder = try TemporaryDirectory()
    var run = RunBuilder { _ in }
    run.records = Self.records
    var log = LogBuilder()
    log.open(run.process, at: 0)
    for record in run.records { log.add(record) }
    log.close(run.process)
    try log.text.write(toFile: folder.path("run.log"), atomically: true, encoding: .utf8)
    try run.writeTrace(to: URL(filePath: folder.path("trace")))
    for name in ["run.log", "trace"] {
      let profile = try Profile(reading: [folder.path(name)])
      let work = try #require(profile.statements.first).work
      for (place, metric) in WorkMetric.counters.enumerated() {
        #expect(work.counter(metric) == Self.number(place), "\(metric.key) of \(name)")
      }
    }
  }

  @Test func everyCounterIsInEachJSON() throws {
    let profile = profile()
    for text in [
      try JSONText.encoded(ReportV1(SharedProfile(profile, withSQL: true))),
      try JSONText.encoded(BaselineV1(profile)),
    ] { expectAllCounters(in: [text]) { "\"\($0.key)\" : \($1)" } }
  }

  @Test func everyCounterIsInEachExport() throws {
    let profile = profile()
    var (events, rows, sums, spans): ([String], [String], [String], [String]) = ([], [], [], [])
    let lines = Lines()
    var table = try EventTable { lines.texts.append($0) }
    var eventRows = EventRows(labels: [:]) { lines.texts.append($1) }
    var otlp = OTLPSpans(labels: [:], version: "1") { lines.texts.append($0) }
    for record in Self.records { try table.add(record) }
    events = lines.take()
    for record in Self.records { try eventRows.add(record) }
    rows = lines.take()
    for record in Self.records { try otlp.add(record) }
    try otlp.finish()
    spans = lines.take()
    var sumRows = SumRows(profile)
    try sumRows.write { lines.texts.append($1) }
    sums = lines.take()
    for texts in [events, [StatementTable.csv(profile)]] {
      expectAllCounters(in: [texts[0]]) { metric, _ in ",\(metric.column)" }
      expectAllCounters(in: texts) { _, number in ",\(number)" }
    }
    for texts in [rows, sums] { expectAllCounters(in: texts) { "\"\($0.column)\":\($1)" } }
    expectAllCounters(in: spans) { #""storescope.\#($0.column)","value":{"intValue":"\#($1)"}"# }
    expectAllCounters(in: [ProfileMetrics.text(profile)]) { metric, _ in
      "storescope_statement_\(metric.column)_total"
    }
    expectAllCounters(in: OTLPMetrics.lines(profile, version: "1")) { metric, _ in
      "\"storescope.\(metric.column)\""
    }
  }

  @Test func theGateComparesEveryCounter() {
    let before = BaselineV1(profile())
    var records = Self.records
    for index in records.indices {
      guard case .fetchEnd(var fetch) = records[index].event else { continue }
      for case .count(let path)? in WorkMetric.counters.map(\.fetch) { fetch[keyPath: path] *= 3 }
      records[index].event = .fetchEnd(fetch)
    }
    var builder = ProfileBuilder()
    for record in records { builder.add(record) }
    let result = Gate().compare(builder.profile(of: .init(sources: [])), with: before)
    let names = result.regressions.flatMap(\.changes).map(\.metric.rawValue)
    #expect(Set(names).isSuperset(of: WorkMetric.counters.map(\.key)))
  }

  private final class Lines {
    var texts: [String] = []

    func take() -> [String] {
      defer { texts = [] }
      return texts
    }
  }
}
