// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import TestSupport
import Testing
import TraceAnalysis
import TraceReading

@testable import TraceRendering

struct OpenMetricsTests {
  private static let profile = RunBuilder { trace in
    trace.open()
    for total in [50_000, 1_000_000, 1_000_001, 20_000_000_000] as [Int64] {
      trace.fetch("SELECT 'a \"quoted\\' value'", total: total, fullScanSteps: 12_800)
    }
    trace.fetch("SELECT b", entity: "Stop\nTime")
    trace.fault(pk: 2, duration: 500)
    trace.save(total: 9_000_000)
    trace.close()
  }.profile()

  @Test func isValid() throws {
    let metrics = try OpenMetrics(ProfileMetrics.text(Self.profile))
    #expect(metrics["storescope_fetches_total"] == ["": "5"])
    #expect(
      metrics["storescope_faults_total"]
        == [#"kind="object""#: "1", #"kind="relationship""#: "0"])
    #expect(metrics["storescope_time_seconds_total"]?[#"in="saves""#] == "0.009")
    #expect(metrics["storescope_events_lost_total"] == ["": "0"])
    #expect(metrics["storescope_findings"]?[#"rule="AvoidFullTableScan""#] == "1")
    #expect(metrics["storescope_statement_info"]?.count == 3)
    // The event of a miss has its whole time, and no parts of it.
    #expect(metrics["storescope_statement_time_seconds_total"]?.count == 11)
  }

  @Test func bucketsCountUp() throws {
    let buckets = try #require(
      try OpenMetrics(ProfileMetrics.text(Self.profile))["storescope_run_duration_seconds_bucket"])
    func bucket(_ bound: String) -> String? { buckets[#"entity="Stop",le="\#(bound)""#] }
    // The miss of 500 ns and the fetch of 50 µs; a duration on a bound lies within 1 % of it.
    #expect(bucket("0.0001") == "2")
    #expect(bucket("0.0025") == "4")
    #expect(bucket("10.0") == "4")
    #expect(bucket("+Inf") == "5")
  }

  @Test func exemplarsNameTheStatementWithTheLongestRun() throws {
    let profile = RunBuilder { trace in
      trace.open()
      trace.fetch("SELECT a", total: 50_000)
      trace.fetch("SELECT b", total: 60_000)
      trace.fetch("SELECT c", total: 20_000_000_000)
      trace.close()
    }.profile()
    #expect(!ProfileMetrics.text(profile).contains(" # {"))
    let metrics = try OpenMetrics(ProfileMetrics.text(profile, exemplars: true))
    func statement(_ bound: String) throws -> String {
      let exemplars = metrics.exemplars.filter { $0.key.contains("le=\"\(bound)\"") }
      return try #require(exemplars.first?.value)
    }
    #expect(try statement("0.0001").contains("\(StatementID(sql: "SELECT b"))"))
    #expect(try statement("+Inf").contains("\(StatementID(sql: "SELECT c"))"))
    // No run lies between 100 and 250 µs.
    #expect(metrics.exemplars.count == 2)
  }

  @Test func anEmptyProfileAndAnOddOneAreValid() throws {
    _ = try OpenMetrics(ProfileMetrics.text(RunBuilder().profile()))
    var samples = EventSamples(seed: 53)
    var builder = ProfileBuilder()
    for record in samples.records(1200) { builder.add(record) }
    let metrics = try OpenMetrics(
      ProfileMetrics.text(builder.profile(of: .init(sources: [])), top: 3))
    #expect(metrics["storescope_statement_info"]?.count == 3)
  }

  @Test func fewerStatementsAreFewerSeries() throws {
    let metrics = try OpenMetrics(ProfileMetrics.text(Self.profile, top: 1))
    #expect(metrics["storescope_statement_runs_total"]?.values.map { $0 } == ["4"])
  }
}

/// A strict reader of the format, apart from the writer: the values by name and labels.
private struct OpenMetrics {
  enum Invalid: Error { case line(String) }

  private var values: [String: [String: String]] = [:]
  /// The labels of exemplars by their buckets' labels.
  private(set) var exemplars: [String: String] = [:]
  subscript(_ name: String) -> [String: String]? { values[name] }

  init(_ text: String) throws {
    guard text.hasSuffix("# EOF\n") else { throw Invalid.line("no EOF") }
    var family = (name: "", type: "", hasHelp: false, hasSamples: false)
    var families: Set<String> = []
    let lines = text.dropLast("# EOF\n".count).split(
      separator: "\n", omittingEmptySubsequences: false
    ).dropLast()
    for line in lines.map(String.init) {
      let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
      if line.hasPrefix("# TYPE ") {
        guard words.count == 4, families.insert(String(words[2])).inserted,
          ["counter", "gauge", "histogram", "info"].contains(words[3]),
          words[2].wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil, !words[2].hasSuffix("_total")
        else { throw Invalid.line(line) }
        family = (String(words[2]), String(words[3]), false, false)
      } else if line.hasPrefix("# UNIT ") {
        guard words[2] == family.name, family.name.hasSuffix("_" + words[3]), !family.hasSamples
        else { throw Invalid.line(line) }
      } else if line.hasPrefix("# HELP ") {
        guard words[2] == family.name, !family.hasSamples, !family.hasHelp else {
          throw Invalid.line(line)
        }
        family.hasHelp = true
      } else {
        family.hasSamples = true
        try addSample(line, family.name, family.type)
      }
    }
    try checkHistograms()
  }

  private mutating func addSample(_ line: String, _ family: String, _ type: String) throws {
    let suffixes = [
      "counter": ["_total"], "gauge": [""], "info": ["_info"],
      "histogram": ["_bucket", "_sum", "_count"],
    ]
    let parts = line.split(separator: " # ", maxSplits: 1)
    let line = String(parts[0])
    guard
      let match = line.wholeMatch(
        of: /([a-zA-Z_:][a-zA-Z0-9_:]*)(\{([^\n]*)\})? (-?[0-9]+(\.[0-9]+)?)/),
      suffixes[type]?.contains(where: { match.1 == family + $0 }) == true
    else { throw Invalid.line(line) }
    let labels = match.3.map(String.init) ?? ""
    let pair = /[a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\\\|\\"|\\n)*"/
    if !labels.isEmpty {
      var rest = labels[...]
      var names: Set<Substring> = []
      while let label = rest.prefixMatch(of: pair) {
        guard names.insert(label.0.prefix { $0 != "=" }).inserted else { throw Invalid.line(line) }
        rest = rest[label.range.upperBound...]
        if rest.first == "," { rest.removeFirst() }
      }
      guard rest.isEmpty else { throw Invalid.line(line) }
    }
    guard !labels.unicodeScalars.contains(where: { $0.value < 0x20 }),
      values[String(match.1), default: [:]].updateValue(String(match.4), forKey: labels) == nil
    else { throw Invalid.line(line) }
    if parts.count > 1 {
      guard match.1.hasSuffix("_bucket"),
        let exemplar = parts[1].wholeMatch(of: /\{([^\n}]*)\} ([0-9]+(\.[0-9]+)?)/),
        exemplar.1.count <= 128, exemplar.1.hasPrefix("statement=\""),
        let bound = labels.split(separator: "\"").last.map({ Double($0) ?? .infinity }),
        Double(exemplar.2) ?? .infinity <= bound
      else { throw Invalid.line(String(parts[1])) }
      exemplars[labels] = String(exemplar.1)
    }
    if type != "gauge", match.4.hasPrefix("-") { throw Invalid.line(line) }
  }

  private func checkHistograms() throws {
    for (name, buckets) in values where name.hasSuffix("_bucket") {
      let counts = values[name.dropLast("_bucket".count) + "_count"] ?? [:]
      for (labels, count) in counts {
        let own = buckets.filter { $0.key.hasPrefix(labels + ",le=") }
          .map { key, value in
            (
              bound: Double(key.split(separator: "\"").last ?? "") ?? .infinity,
              count: Double(value)
            )
          }
          .sorted { $0.bound < $1.bound }.map(\.count)
        guard !own.isEmpty, own.last == Double(count),
          zip(own, own.dropFirst()).allSatisfy({ ($0 ?? 0) <= ($1 ?? 0) })
        else { throw Invalid.line("\(name) \(labels)") }
      }
    }
  }
}
