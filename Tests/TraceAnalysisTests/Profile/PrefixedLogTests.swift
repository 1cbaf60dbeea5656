// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceReading

/// A log whose lines another program put a prefix before.
@Suite struct PrefixedLogTests {
  private let head = "2026-11-21 14:12:28.633104 transit[2367:2370]"

  private func read(_ lines: [String]) throws -> ReadingReport {
    let folder = try TemporaryDirectory()
    let path = folder.path("web.log")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path))
    return try TraceReader.read([path]) { _ in }
  }

  @Test func linesOfObjectStoreBehindAPrefixAreNotCoreDatas() throws {
    let lines = [
      "web_1  | \(head) ObjectStore: sql: SELECT 0, t0.Z_PK FROM ZSTOP t0",
      "web_1  | \(head) ObjectStore: annotation: sql connection fetch time: 0.0010s",
      "web_1  | \(head) ObjectStore: annotation: total fetch execution time: 0.0012s for 3 rows.",
    ]
    #expect(try read(lines).sources.map(\.kind) == [.log])
    // Behind other text they are none at all.
    #expect(throws: TraceReadingError.self) { try read(lines.map { "got \($0)" }) }
  }

  @Test func theSameLinesOfCoreDataAreRead() throws {
    let report = try read([
      "\(head) CoreData: sql: SELECT 0, t0.Z_PK FROM ZSTOP t0",
      "\(head) CoreData: annotation: sql connection fetch time: 0.0010s",
      "\(head) CoreData: annotation: total fetch execution time: 0.0012s for 3 rows.",
    ])
    #expect(report.sources.map(\.kind) == [.coreDataLog])
  }
}
