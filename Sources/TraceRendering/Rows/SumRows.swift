// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents
public import TraceAnalysis
import TraceReading

/// The sums of a profile as rows: of forms, of their buckets, of loops and of lock waits.
public struct SumRows {
  private let profile: Profile
  private let date: String
  private var labels = RowLabels()
  private var measured = RowMeasures(names: RowMeasures.ofSums)

  public init(_ profile: Profile) {
    self.profile = profile
    var date = RowDate()
    let first = profile.reading.sources.compactMap(\.identity).filter(\.isDated).map(\.first).min()
    self.date = first.map { date.text($0) } ?? ""
  }

  /// The tables of an export, events included.
  public static let tables = ["events", "sums", "buckets", "loops", "locks"]

  /// Creates a file for a table even without rows, so that engines find the table.
  public func partition(of table: String) -> RowPartition {
    let rows = profile.formRows.filter { !$0.isRest }
    return RowPartition(table: table, date: date, host: rows.first?.origin.host ?? "")
  }

  /// Passes each line with its partition; lines of one partition follow one another.
  public mutating func write(_ write: (RowPartition, String) throws -> Void) throws {
    let hosts = Dictionary(grouping: profile.formRows, by: \.origin.host)
    for (host, rows) in hosts.sorted(by: { $0.key < $1.key }) {
      let sums = RowPartition(table: "sums", date: date, host: host)
      for row in rows { try write(sums, JSONText.line(sum(row))) }
      let buckets = RowPartition(table: "buckets", date: date, host: host)
      for row in rows {
        for bucket in self.buckets(row) { try write(buckets, JSONText.line(bucket)) }
      }
    }
    // Loops and waits have no host of their own: it is the recording's, if that has one.
    let origins = profile.formRows.filter { !$0.isRest }.map(\.origin)
    func common(_ value: (OriginProfile) -> String) -> String {
      let values = Set(origins.map(value))
      return values.count == 1 ? values.first ?? "" : ""
    }
    let (host, version) = (common(\.host), common(\.version))
    for loop in profile.observed?.loops ?? [] {
      try write(
        RowPartition(table: "loops", date: date, host: host),
        JSONText.line(row(loop, host: host, version: version)))
    }
    for wait in profile.locks?.waits ?? [] {
      try write(
        RowPartition(table: "locks", date: date, host: host),
        JSONText.line(row(wait, host: host, version: version)))
    }
  }

  private mutating func sum(_ row: FormProfile) -> SumRowV1 {
    let shared = row.sql.map { SharedStatement(sql: $0) }
    var sum = SumRowV1()
    (sum.date, sum.host, sum.version) = (date, row.origin.host, row.origin.version)
    sum.labels = labels.text(row.origin.labels)
    (sum.database, sum.sqliteVersion) = (row.origin.database, row.origin.sqliteVersion)
    (sum.form, sum.plan) = ("\(row.form)", row.plan ?? "")
    (sum.summary, sum.sql) = (shared?.summary ?? "", shared?.text ?? "")
    sum.otherForms = UInt64(row.others?.count ?? 0)
    let work = row.work
    (sum.runs, sum.rows, sum.errors) = (work.count, work.rows, work.errors)
    (sum.changes, sum.cacheMisses) = (work.changes ?? 0, row.misses)
    sum.counters = CounterValues(work.counter)
    (sum.waitNs, sum.stepNs) = (work.waitTime, work.stepTime)
    (sum.totalNs, sum.maxNs) = (work.totalTime, row.latency.max)
    sum.measured = measured.columns(of: work.measures)
    return sum
  }

  private mutating func buckets(_ row: FormProfile) -> [BucketRowV1] {
    var bucket = BucketRowV1()
    (bucket.date, bucket.host, bucket.version) = (date, row.origin.host, row.origin.version)
    bucket.labels = labels.text(row.origin.labels)
    (bucket.database, bucket.sqliteVersion) = (row.origin.database, row.origin.sqliteVersion)
    (bucket.form, bucket.plan) = ("\(row.form)", row.plan ?? "")
    return row.latency.buckets.map {
      (bucket.upperNs, bucket.runs) = ($0.duration, $0.count)
      return bucket
    }
  }

  private func row(_ loop: QueryLoop, host: String, version: String) -> LoopRowV1 {
    func summary(_ id: StatementID) -> String {
      profile.statement(id)?.sql.map { SharedStatement(sql: $0).summary } ?? "\(id)"
    }
    var row = LoopRowV1()
    (row.date, row.host, row.version, row.labels) = (date, host, version, "{}")
    (row.parent, row.child) = (summary(loop.parent), summary(loop.child))
    (row.parentFile, row.parentLine) = (loop.parentLocation.file, loop.parentLocation.line)
    (row.childFile, row.childLine) = (loop.childLocation.file, loop.childLocation.line)
    (row.occurrences, row.parentRows) = (loop.occurrences, loop.parentRows)
    (row.runs, row.timeNs) = (loop.runs, loop.time)
    return row
  }

  private func row(_ wait: LockWait, host: String, version: String) -> LockRowV1 {
    var row = LockRowV1()
    (row.date, row.host, row.version, row.labels) = (date, host, version, "{}")
    (row.database, row.waiterProcess) = (wait.database, wait.waiterProcess)
    (row.waiterFile, row.waiterLine) = (wait.waiter.location.file, wait.waiter.location.line)
    (row.holderProcess, row.holderKind) = (wait.holder?.process ?? "", wait.holder?.kind ?? "")
    row.holderFile = wait.holder?.location.file ?? ""
    row.holderLine = wait.holder?.location.line ?? 0
    (row.waits, row.failures) = (wait.count, wait.failures)
    (row.waitNs, row.longestNs) = (wait.time, wait.longest)
    return row
  }
}
