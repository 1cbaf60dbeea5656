// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import TraceAnalysis
import TraceReading
import TraceRendering

/// The whole inputs that the damage is done to.
enum FuzzedSamples {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// A log with all kinds of events, and a recorded one.
  static func logs() throws -> [[UInt8]] {
    let recorded = try Data(contentsOf: root.appending(path: "traces/before.log"))
    return [Array(log().utf8), Array(recorded.prefix(16 << 10))]
  }

  private static func log() -> String {
    var samples = EventSamples(seed: 30)
    let records = samples.records(39)
    var log = LogBuilder(utcOffset: 3_600_000_000_000)
    log.open(records[0].process, at: records[0].timestamp)
    for record in records { log.add(record) }
    return log.text
  }

  /// Written here, after the forms of several eras.
  static let coreDataLog: String = {
    let heads = [
      "", "2011-03-02 09:10:11.125 Notes[512:207] ", "2014-07-31 09:10:11.125 My Notes[7:2971038] ",
      "2024-01-05 09:10:11.125678+0200 0x1a2b Default 0x0 45 0 Notes: (CoreData) [com.apple.coredata:sql] ",
    ]
    let lines = [
      "sql: SELECT 0, t0.Z_PK, t0.Z_OPT FROM ZNOTE t0 WHERE  t0.ZTITLE = ?  LIMIT 100",
      "details: SQLite bind[0] = \"s\"",
      "annotation: sql connection fetch time: 0.0001s",
      "sql: SELECT Z_PK, t0.ZNAME FROM ZTAG t0 WHERE  t0.Z_PK IN (SELECT * FROM _Z_intarray0)",
      "annotation: total fetch execution time: 0.0004s for 190 rows.",
      "annotation: Prefetching with key 'tags'.  Got 7 rows.",
      "annotation: fetch using NSSQLiteStatement <0x1> on entity 'Note' with sql text 'SELECT' returned 2 rows with values: (",
      "annotation: total fetch execution time: 0.0030s for 2 rows.",
      "annotation: fault fulfilled from database for : 0x1 <x-coredata://1F0A/Note/p4>",
      "details: SQLite: EXPLAIN QUERY PLAN SELECT", "sql: BEGIN EXCLUSIVE",
      "sql: UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ?", "sql: COMMIT", "sql: BEGIN EXCLUSIVE",
      "sql: INSERT INTO ZNOTE(Z_PK) VALUES(?)", "sql: COMMIT",
      "error: (1) I/O error for database at /x. SQLite error code:1, 'no such table: ZNOTE'",
      "annotation: to-many relationship fault \"tags\" for objectID 0x1 <x-coredata://1/Note/p4> fulfilled from database.  Got 3 rows",
      "annotation: total count request execution time: 0.0528s for count of 10456.",
    ]
    return heads.map { head in lines.map { "\(head)CoreData: \($0)\n" }.joined() }.joined()
  }()

  static func report() throws -> [UInt8] {
    let run = RunBuilder { trace in
      trace.open()
      for total in [1000, 5000, 90_000_000] as [Int64] {
        let outer = trace.fetch("SELECT a WHERE x IN (1, \(total))", total: total, sorts: 2)
        trace.fetch("SELECT b", entity: "StopTime", kind: .prefetch, parent: outer, rows: 70)
      }
      trace.fault(pk: 1, source: .rowCache)
      trace.fault(relationship: "stopTimes", pk: 3, rows: 70)
      trace.save()
      trace.busy(2_000_000)
      trace.checkpoint(9, of: 10)
      trace.close()
    }
    var builder = ProfileBuilder()
    for record in run.records { builder.add(record) }
    let source = SourceReport(path: "run.log", kind: .log, eventsRead: UInt64(run.records.count))
    let profile = builder.profile(of: ReadingReport(sources: [source]))
    var report = ReportV1(SharedProfile(profile, withSQL: true))
    // An older one: a report with a check is refused for its damage before anything is decoded.
    report.check = nil
    return Array(try JSONText.encoded(report).utf8)
  }
}
