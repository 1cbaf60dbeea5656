// SPDX-License-Identifier: Apache-2.0

public import DatabaseLocks
import QueryPlans
import StoreEvents
public import TraceAnalysis

/// The counts and times of a profile as metrics for Prometheus.
public enum ProfileMetrics {
  /// - Parameters:
  ///   - top: how many statements and entities have metrics of their own, longest total time first:
  ///     each is a time series.
  ///   - exemplars: whether the buckets of histograms name a statement that is in them. The older text
  ///     format, which node_exporter's collector of files reads, has none.
  ///   - more: families beside the profile's, see ``recordings(added:failed:verdicts:)``.
  public static func text(
    _ profile: Profile, top: Int = 100, exemplars: Bool = false, adding more: String = ""
  ) -> String {
    var text = MetricsText(more)
    addTotals(of: profile, to: &text)
    addStatements(of: profile, top: top, to: &text)
    addDurations(of: profile, top: top, exemplars: exemplars, to: &text)
    addReading(of: profile, to: &text)
    return text.finished
  }

  /// The results of the recordings of a folder: a text for `text(_:top:adding:)`.
  public static func recordings(
    added: UInt64, failed: UInt64, verdicts: [String: UInt64]
  ) -> String {
    var text = MetricsText()
    text.family(
      "storescope_recordings", .counter, help: "Recordings that were read, or could not be.",
      [.init(added, [("result", "added")]), .init(failed, [("result", "failed")])])
    text.family(
      "storescope_gate_recordings", .counter, help: "Recordings by the verdict of the gate.",
      verdicts.sorted { $0.key < $1.key }.map { .init($0.value, [("verdict", $0.key)]) })
    return text.unfinished
  }

  /// The hazards of databases: a text for `text(_:top:adding:)`.
  public static func hazards(of samples: [LockSample]) -> String {
    var text = MetricsText()
    text.family(
      "storescope_open_databases", .gauge, help: "Databases that are open on this host.",
      [.init(UInt64(samples.count), [])])
    var counts: [[String]: UInt64] = [:]
    for sample in samples {
      for hazard in sample.hazards {
        counts[[sample.path, hazard.kind, hazard.severity.rawValue], default: 0] += 1
      }
    }
    text.family(
      "storescope_hazards", .gauge,
      help: "States that endanger a database, as trace-report locks reports them.",
      counts.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, count in
        .init(count, Array(zip(["database", "kind", "severity"], key)))
      })
    return text.unfinished
  }

  private static func addTotals(of profile: Profile, to text: inout MetricsText) {
    typealias Sample = MetricsText.Sample
    func count(_ path: KeyPath<Profile, UInt64>, _ labels: [(String, String)] = []) -> [Sample] {
      profile.known(path).map { [Sample($0, labels)] } ?? []
    }
    func time(_ path: KeyPath<Profile, Int64>, _ labels: [(String, String)] = []) -> [Sample] {
      profile.known(path).map { [Sample(nanoseconds: $0, labels)] } ?? []
    }
    func counter(_ name: String, _ help: String, _ path: KeyPath<Profile, UInt64>) {
      text.family("storescope_\(name)", .counter, help: help, count(path))
    }
    counter(
      "fetches", "Fetch requests; counts, prefetches and batches left out.", \.totals.fetches)
    counter("counts", "Count requests.", \.totals.counts)
    counter("nested_fetches", "Prefetches and batches.", \.totals.nestedFetches)
    counter("fetched_rows", "Rows that fetch requests returned.", \.totals.rows)
    text.family(
      "storescope_faults", .counter, help: "Faults fired.",
      count(\.totals.faults, [("kind", "object")])
        + count(\.totals.relationshipFaults, [("kind", "relationship")]))
    counter("cache_hits", "Faults that the row cache answered.", \.totals.cacheHits)
    counter("cache_misses", "Faults that went to the database.", \.totals.cacheMisses)
    counter("saves", "Saves.", \.totals.saves)
    text.family(
      "storescope_errors", .counter, help: "Fetches and saves that failed.",
      profile.known(profile.totals.errors, .rows).map { [Sample($0)] } ?? [])
    text.family(
      "storescope_time_seconds", .counter, unit: "seconds",
      help: "Time in fetches and counts, in SQLite for them, in faults and in saves.",
      time(\.totals.totalTime, [("in", "fetches")])
        + time(\.totals.connectionTime, [("in", "sqlite")])
        + time(\.totals.faultTime, [("in", "faults")])
        + time(\.totals.saveTime, [("in", "saves")]))
    counter("busy_waits", "Waits for another connection's lock.", \.waits.busyWaits)
    text.family(
      "storescope_busy_seconds", .counter, unit: "seconds",
      help: "Time spent waiting for another connection's lock.",
      time(\.waits.busyTime))
    counter("busy_failures", "Waits that ended in SQLITE_BUSY.", \.waits.busyFailures)
    text.family(
      "storescope_longest_lock_wait_seconds", .gauge, unit: "seconds",
      help: "The longest wait for another connection's lock.",
      time(\.waits.longestBusy))
    text.family(
      "storescope_wal_frames", .gauge,
      help: "Frames in the write-ahead log when it was longest, as checkpoints found it.",
      count(\.waits.largestLog))
    counter("checkpoints", "Checkpoints of the write-ahead log.", \.waits.checkpoints)
  }

  private static func addStatements(
    of profile: Profile, top: Int, to text: inout MetricsText
  ) {
    let groups = profile.statementGroups(by: .total).prefix(top)
    func labels(_ group: StatementGroup) -> [(String, String)] {
      [
        ("statement", "\(group.statement.sharedID)"), ("entity", group.statement.entity),
        ("caller", group.caller.text ?? ""),
      ]
    }
    func counter(
      _ name: String, _ help: String, _ value: (StatementGroup) -> UInt64?
    ) {
      text.family(
        "storescope_statement_\(name)", .counter, help: help,
        groups.compactMap { group in value(group).map { .init($0, labels(group)) } })
    }
    text.family(
      "storescope_statement", .info, help: "The SQL of a statement, without its values.",
      groups.map { group in
        .init(1, labels(group) + [("sql", SharedStatement(sql: group.statement.sql ?? "").text)])
      })
    counter("runs", "Runs of a statement.") { $0.work.count }
    counter("rows", "Rows that a statement returned.") { $0.work.known(\.rows) }
    counter("cache_misses", "Runs of a statement that faults caused.") { group in
      group.work.measures.contains(.cacheMisses) ? group.misses : nil
    }
    for metric in WorkMetric.counters {
      counter(metric.column, metric.help) { group in
        group.work.known(metric).map { UInt64(clamping: $0) }
      }
    }
    text.family(
      "storescope_statement_time_seconds", .counter, unit: "seconds",
      help: "Time in a statement, and its parts.",
      groups.flatMap { group in
        [
          ("total", \StatementCounts.totalTime), ("wait", \.waitTime), ("prepare", \.prepareTime),
          ("step", \.stepTime), ("materialize", \.materializeTime),
        ].compactMap { part, path in
          group.work.known(path).map {
            .init(nanoseconds: $0, labels(group) + [("part", part)])
          }
        }
      })
  }

  // From 100 µs to 10 s: a frame is 16 ms, and users tolerate about a second.
  private static let bounds: [Nanoseconds] = [
    100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000,
    50_000_000, 100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000,
    5_000_000_000, 10_000_000_000,
  ]

  private static func addDurations(
    of profile: Profile, top: Int, exemplars: Bool, to text: inout MetricsText
  ) {
    var samples: [MetricsText.Sample] = []
    let slowest = exemplars ? DurationExemplars(profile, bounds: bounds) : nil
    let entities = profile.groups(by: .entity).filter { group in
      group.work.count > 0 && group.work.known(\.totalTime) != nil
    }.prefix(top)
    for group in entities.sorted(by: { $0.name < $1.name }) {
      let entity = [("entity", group.name)]
      var buckets = group.latency.buckets[...]
      var sum: UInt64 = 0
      for (index, bound) in bounds.enumerated() {
        while let bucket = buckets.first, bucket.duration <= bound {
          sum &+= bucket.count
          buckets.removeFirst()
        }
        samples.append(
          .init(suffix: "_bucket", "\(sum)", entity + [("le", MetricsText.seconds(bound))]))
        samples[samples.count - 1].exemplar = slowest?.exemplar(of: group.name, index)
      }
      let count = buckets.reduce(sum) { $0 &+ $1.count }
      samples.append(.init(suffix: "_bucket", "\(count)", entity + [("le", "+Inf")]))
      samples[samples.count - 1].exemplar = slowest?.exemplar(of: group.name, bounds.count)
      samples.append(
        .init(suffix: "_sum", MetricsText.seconds(group.work.totalTime), entity))
      samples.append(.init(suffix: "_count", "\(count)", entity))
    }
    text.family(
      "storescope_run_duration_seconds", .histogram, unit: "seconds",
      help: "How long runs of statements took, by the entity they are for.", samples)
  }

  private static func addReading(of profile: Profile, to text: inout MetricsText) {
    let completeness = profile.completeness
    text.family(
      "storescope_events_read", .counter, help: "Events in the report.",
      [.init(completeness.eventsRead)])
    text.family(
      "storescope_events_lost", .counter, help: "Events that were lost: counts may be too low.",
      profile.recordsLosses ? [.init(completeness.eventsLost)] : [])
    text.family(
      "storescope_findings", .gauge, help: "What is worth changing, by rule.",
      Dictionary(grouping: profile.findings, by: \.rule).sorted { $0.key < $1.key }
        .map { .init(UInt64($1.count), [("rule", $0)]) })
  }
}
