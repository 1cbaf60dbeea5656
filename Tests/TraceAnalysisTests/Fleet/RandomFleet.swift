// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport

@testable import TraceAnalysis
@testable import TraceReading
@testable import TraceRendering

/// Runs of several hosts that were drawn at random, each with its events.
struct RandomFleet {
  /// By run.
  private(set) var runs: [[EventRecord]] = []

  private static let queries = [
    "SELECT a FROM book WHERE id = ?", "SELECT b FROM book",
    "SELECT c FROM author WHERE name = 'x'",
    "SELECT c FROM author WHERE name = 'yy'", "UPDATE book SET a = 1", "SELECT d FROM loan LIMIT 7",
  ]

  init(runs count: Int, using random: inout SeededGenerator) {
    for number in 0..<count { runs.append(Self.run(number, using: &random)) }
  }

  private static func run(_ number: Int, using random: inout SeededGenerator) -> [EventRecord] {
    var run = RunBuilder()
    // One database on one host in two traces: who held its lock is found by reading both at once.
    run.process = ProcessIdentity(
      id: Int64(100 + number % 3), name: "app", host: "host-\(number)")
    run.open(path: "shared.sqlite", start: Int64(number + 1))
    let databases = Int.random(in: 0...2, using: &random)
    for id in 0..<UInt64(databases) {
      run.append(
        .connectionOpened(
          ConnectionOpened(
            connectionID: id + 1, path: "data-\(id).db", vfs: "unix", flags: 0,
            sqliteVersion: Bool.random(using: &random) ? "3.40.1" : "3.45.0", sqlitePath: "lib",
            way: "got", device: 1, inode: id + 2, processStart: Int64(number + 1),
            processName: "app")))
    }
    for _ in 0..<Int.random(in: 1...25, using: &random) {
      let sql = queries[Int.random(in: 0..<queries.count, using: &random)]
      let time =
        Int64.random(in: 1...5_000_000_000, using: &random)
        >> Int64.random(
          in: 0...20, using: &random)
      let line = SourceLocation(file: "app.py", line: UInt64.random(in: 1...3, using: &random))
      switch Int.random(in: 0..<9, using: &random) {
      case 0...2 where databases > 0:
        run.announce(sql)
        run.append(
          .statementRun(
            StatementRun(
              connectionID: UInt64.random(in: 1...UInt64(databases), using: &random),
              statementID: StatementID(sql: sql), runID: 1, transactionID: 0, callerID: 0,
              bindHash: UInt64.random(in: 0...3, using: &random), stepTime: time, openTime: time,
              rows: UInt64.random(in: 0...20, using: &random),
              changes: sql.hasPrefix("UPDATE") ? 3 : 0,
              isReadOnly: sql.hasPrefix("UPDATE") ? 0 : 1,
              counters: StatementCounters(vmSteps: 12, fullScanSteps: 4), memory: 0, reprepares: 0,
              filterHits: 0, filterMisses: 0,
              timedSteps: 1, error: "")))
      case 3: run.fault(pk: 1, source: .rowCache)
      case 4: run.fault(pk: 2, origin: 1, at: line, rows: 3, duration: time)
      case 5:
        run.append(
          .transaction(
            TransactionEnded(
              storeID: 1, saveID: 1, outcome: "commit", waitTime: 0, totalTime: time,
              transactionID: 1, kind: "exclusive", writerTime: 0,
              logBytes: UInt64.random(in: 0...1 << 26, using: &random))))
        run.save(wait: time)
      case 6: run.busy(time, gaveUp: Bool.random(using: &random))
      case 7: run.checkpoint(UInt64.random(in: 0...9, using: &random), of: 9)
      default:
        run.fetch(
          sql, entity: "Book", at: line, rows: 5, total: time,
          bindHash: UInt64.random(in: 0...3, using: &random))
      }
    }
    run.close(tracingTime: 5)
    let start = 1_795_262_400_000_000_000 + Int64.random(in: 0...30_000, using: &random)
    return run.records.map { record in
      var record = record
      record.timestamp += start
      return record
    }
  }

  /// The profile of some of the runs, read together.
  func profile(of numbers: [Int]) -> Profile {
    var builder = ProfileBuilder()
    let records = numbers.flatMap { runs[$0] }.enumerated()
      .sorted { ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset) }
    for (_, record) in records { builder.add(record) }
    let sources = numbers.map { number in
      var tally = IdentityTally()
      for record in runs[number] { tally.add(record) }
      var source = SourceReport(
        path: "run-\(number)", kind: .ctf, eventsRead: UInt64(runs[number].count))
      source.identity = tally.identity
      return source
    }
    return builder.profile(of: ReadingReport(sources: sources))
  }
}

extension Profile {
  /// All of it as text, with processes, stores and sources in an order of their own.
  var canonicalText: String {
    get throws {
      var profile = self
      let order = processes.indices.sorted {
        let (a, b) = (processes[$0].identity, processes[$1].identity)
        return (a.host, a.id) < (b.host, b.id)
      }
      profile.processes = order.map { processes[$0] }
      profile.contexts = contexts.map { context in
        var context = context
        context.process = order.firstIndex(of: context.process) ?? -1
        return context
      }.sorted { ($0.process, $0.id) < ($1.process, $1.id) }
      profile.stores.sort { "\($0)" < "\($1)" }
      profile.reading.sources.sort { $0.path < $1.path }
      // Whether the rows are written out or follow from the statements is no difference.
      profile.forms = profile.formRows
      profile.origin = nil
      return try JSONText.encoded(profile)
    }
  }
}
