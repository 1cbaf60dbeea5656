// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import TraceReading

/// The events and the report that a reader returns for some inputs.
struct Reading {
  var records: [EventRecord] = []
  var report = ReadingReport(sources: [])

  init(_ paths: String...) throws {
    report = try TraceReader.read(paths) { records.append($0) }
  }

  /// Reads a text as a log.
  init(log text: String) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store.log")
    try Data(text.utf8).write(to: URL(filePath: path))
    try self.init(path)
  }

  /// The only source.
  var source: SourceReport { report.sources[0] }
  var events: [StoreEvent] { records.map(\.event) }
}

let transit = ProcessIdentity(id: 2367, name: "transit", host: "")
let noon: Nanoseconds = 1_795_262_400_000_000_000

extension EventRecord {
  /// The record as in a trace of a host.
  func on(host: String) -> EventRecord {
    var record = self
    record.process.host = host
    return record
  }
}
