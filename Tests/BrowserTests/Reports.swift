// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport

/// Reports that the tests look at, made by the real program.
struct Reports {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Runs `trace-report html` on a log of events.
  func html(of records: [EventRecord], _ arguments: String...) async throws -> String {
    let log = folder.path("trace.log")
    try Self.log(of: records).write(toFile: log, atomically: false, encoding: .utf8)
    return try await html(of: log, arguments)
  }

  /// Runs `trace-report html` on an input.
  func html(of input: String, _ arguments: [String] = []) async throws -> String {
    let path = folder.path("report.html")
    let run = try await Program("trace-report").run(["html", input, "-o", path] + arguments)
    guard run.status == 0 else { throw Chromium.Failure(description: run.error) }
    return path
  }

  static func log(of records: [EventRecord]) -> String {
    var log = LogBuilder()
    if let first = records.first { log.open(first.process, at: first.timestamp) }
    for record in records { log.add(record) }
    return log.text
  }
}

/// A morning and an evening with nothing in between: a test drags over one or the other.
///
///     0 s        1 s                    9 s       10 s
///     A A A A A A                        B B B B B B B
struct MorningAndEvening {
  static let morning = "SELECT 0, t0.Z_PK FROM ZSTOP t0 WHERE t0.ZNAME = ?"
  static let evening = "SELECT 0, t0.Z_PK FROM ZTRIP t0 WHERE t0.ZTIME > ? ORDER BY t0.ZTIME"

  private(set) var records: [EventRecord] = []

  init() {
    var run = RunBuilder { $0.open() }
    let start: Int64 = 1_795_270_348_000_000_000
    var times: [Int64] = [start]
    func next(_ seconds: Double) {
      // Events that one call of the builder appended happen at one time.
      while times.count < run.records.count {
        times.append(start + Int64(seconds * 1e9) + Int64(times.count) * 1000)
      }
    }
    for index in 0..<20 {
      run.fetch(Self.morning, rows: 3, total: 2_000_000)
      next(Double(index) / 20 + 0.01)
    }
    for index in 0..<30 {
      let place = SourceLocation(file: "transit/Trips.swift", line: 7)
      let id = run.fetch(Self.evening, entity: "Trip", at: place, rows: 5, total: 1_000_000)
      run.fault("Trip", pk: Int64(index), origin: id, at: place)
      if index % 10 == 0 { run.save() }
      next(9 + Double(index) / 30)
    }
    run.close()
    next(10)
    records = zip(run.records, times).map { record, time in
      var record = record
      record.timestamp = time
      return record
    }
  }
}
