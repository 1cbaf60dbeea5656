// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
public import TraceAnalysis
import TraceReading

/// The sums of a profile as OpenTelemetry's metrics, in lines of OTLP/JSON.
///
/// Each line is an `ExportMetricsServiceRequest` of one host and version. The values cover the
/// recording, from its first event to its last: deltas, which add up. See
/// <https://opentelemetry.io/docs/specs/semconv/database/database-metrics/>.
public enum OTLPMetrics {
  // The bounds that the conventions advise for db.client.operation.duration.
  private static let bounds: [(seconds: String, nanoseconds: Nanoseconds)] = [
    ("0.001", 1_000_000), ("0.005", 5_000_000), ("0.01", 10_000_000), ("0.05", 50_000_000),
    ("0.1", 100_000_000), ("0.5", 500_000_000), ("1", 1_000_000_000), ("5", 5_000_000_000),
    ("10", 10_000_000_000),
  ]
  // 1,000 is arbitrary: some hundred kilobytes per line.
  private static let rowsPerLine = 1000

  /// Empty for inputs without dates, which a metric needs.
  public static func lines(_ profile: Profile, version: String) -> [String] {
    guard profile.measures.contains(.timeOfDay) else { return [] }
    let spans = profile.reading.sources.compactMap(\.identity).filter(\.isDated)
    let times =
      "\"startTimeUnixNano\":\"\(max(0, spans.map(\.first).min() ?? 0))\","
      + "\"timeUnixNano\":\"\(max(0, spans.map(\.last).max() ?? 0))\""
    let service = profile.processes.map(\.identity.name).min() ?? "unknown"
    var lines: [String] = []
    let groups = Dictionary(grouping: profile.formRows) { row in
      OTLPResource(
        service: service, process: nil, host: row.origin.host, labels: row.origin.labels)
    }
    for (resource, rows) in groups.sorted(by: { $0.key.text < $1.key.text }) {
      for start in stride(from: 0, to: rows.count, by: rowsPerLine) {
        let part = rows[start..<min(start + rowsPerLine, rows.count)]
        lines.append(line(resource, metrics(Array(part), times), version))
      }
    }
    guard profile.recordsLosses else { return lines }
    let lost = profile.completeness.eventsLost
    let own = OTLPResource(service: service, process: nil, host: "", labels: [:])
    let point = "{\(times),\"asInt\":\"\(Int64(clamping: lost))\",\"attributes\":[]}"
    lines.append(
      line(
        own,
        [sum("storescope.events.lost", "{event}", "Events that the recording lost.", [point])],
        version))
    return lines
  }

  private static func metrics(_ rows: [FormProfile], _ times: String) -> [String] {
    let attributes = rows.map(attributes)
    func counter(
      _ name: String, _ unit: String, _ description: String, _ value: (FormProfile) -> UInt64
    ) -> String? {
      let points = zip(rows, attributes).compactMap { row, attributes -> String? in
        let value = value(row)
        guard value > 0 else { return nil }
        return "{\(times),\"asInt\":\"\(Int64(clamping: value))\",\"attributes\":[\(attributes)]}"
      }
      return points.isEmpty ? nil : sum(name, unit, description, points)
    }
    let durations = zip(rows, attributes).compactMap { row, attributes in
      row.work.known(\.totalTime).map { _ in point(of: row, times, attributes) }
    }
    return [
      "{\"name\":\"db.client.operation.duration\",\"unit\":\"s\","
        + "\"description\":\"Duration of database client operations.\",\"histogram\":{"
        + "\"aggregationTemporality\":1,\"dataPoints\":[\(durations.joined(separator: ","))]}}"
    ]
      + [
        counter("storescope.rows", "{row}", "Rows returned.") { $0.work.rows },
        counter("storescope.errors", "{run}", "Runs that failed.") { $0.work.errors },
      ].compactMap(\.self)
      + WorkMetric.counters.compactMap { metric in
        counter("storescope.\(metric.column)", metric.unit, metric.help) {
          $0.work.counter(metric)
        }
      }
  }

  private static func attributes(_ row: FormProfile) -> String {
    var attributes = OTLPAttributes()
    attributes.add("db.system.name", "sqlite")
    attributes.add("db.namespace", row.origin.database)
    attributes.add("storescope.sqlite.version", row.origin.sqliteVersion)
    attributes.add("storescope.form", row.isRest ? row.title : "\(row.form)")
    attributes.add("storescope.plan", row.plan ?? "")
    if let sql = row.sql {
      let statement = SharedStatement(sql: sql)
      attributes.add("db.query.summary", statement.summary)
      attributes.add("db.operation.name", statement.operation)
      if statement.tables.count == 1 { attributes.add("db.collection.name", statement.tables[0]) }
    }
    return attributes.text
  }

  private static func point(
    of row: FormProfile, _ times: String, _ attributes: String
  ) -> String {
    var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    for bucket in row.latency.buckets {
      let index = bounds.firstIndex { bucket.duration <= $0.nanoseconds } ?? bounds.count
      counts[index] &+= bucket.count
    }
    let count = counts.reduce(0) { $0 &+ $1 }
    return "{\(times),\"count\":\"\(count)\",\"sum\":\(MetricsText.seconds(row.work.totalTime)),"
      + "\"max\":\(MetricsText.seconds(row.latency.max)),"
      + "\"bucketCounts\":[\(counts.map { "\"\($0)\"" }.joined(separator: ","))],"
      + "\"explicitBounds\":[\(bounds.map(\.seconds).joined(separator: ","))],"
      + "\"attributes\":[\(attributes)]}"
  }

  private static func sum(
    _ name: String, _ unit: String, _ description: String, _ points: [String]
  ) -> String {
    "{\"name\":\"\(name)\",\"unit\":\"\(unit)\",\"description\":\"\(description)\",\"sum\":{"
      + "\"aggregationTemporality\":1,\"isMonotonic\":true,"
      + "\"dataPoints\":[\(points.joined(separator: ","))]}}"
  }

  private static func line(
    _ resource: OTLPResource, _ metrics: [String], _ version: String
  ) -> String {
    "{\"resourceMetrics\":[{\(resource.text),\"scopeMetrics\":[{"
      + "\(OTLPText.scope(version: version)),\"metrics\":[\(metrics.joined(separator: ","))]}]}]}\n"
  }
}
