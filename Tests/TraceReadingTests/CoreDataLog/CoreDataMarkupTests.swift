// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing

@testable import TraceReading

/// Core Data's logs as web pages and consoles change them: HTML entities, spaces that do not break, lines of
/// metadata.
@Suite struct CoreDataMarkupTests {
  private static let times = """
    CoreData: annotation: sql connection fetch time: 0.0211s
    CoreData: annotation: total fetch execution time: 0.0234s for 12 rows.
    """

  private func read(_ text: String) throws -> (events: [EventRecord], source: SourceReport) {
    let folder = try TemporaryDirectory()
    let path = folder.path("console.log")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    var events: [EventRecord] = []
    let report = try TraceReader.read([path]) { events.append($0) }
    return (events, report.sources[0])
  }

  private func sql(_ events: [EventRecord]) -> [String] {
    events.compactMap { if case .statement(let event) = $0.event { event.sql } else { nil } }
  }

  private func values(_ events: [EventRecord]) -> [String] {
    events.compactMap { if case .values(let event) = $0.event { "\(event.values)" } else { nil } }
  }

  @Test func entitiesOfAWebPageAreDecoded() throws {
    let (events, source) = try read(
      """
      CoreData: sql: SELECT 0, t0.Z_PK FROM ZNOTE t0 WHERE ( t0.ZTITLE &gt;= ? AND  t0.ZTITLE &lt; ?)
      CoreData: details: SQLite bind[0] = &quot;Tom &amp;amp; Jerry&quot;
      CoreData: details: SQLite bind[1] = &quot;z&quot;
      \(Self.times)
      CoreData: sql: SELECT 0, t0.Z_PK, t0.ZNAME FROM ZFOLDER t0 WHERE  t0.Z_PK = ?
      CoreData: annotation: sql connection fetch time: 0.0002s
      CoreData: annotation: total fetch execution time: 0.0004s for 1 rows.
      CoreData: annotation: fault fulfilled from database for : 0x90000001 &lt;x-coredata://1111/Folder/p1&gt;

      """)
    #expect(
      sql(events).first
        == "SELECT 0, t0.Z_PK FROM ZNOTE t0 WHERE ( t0.ZTITLE >= ? AND  t0.ZTITLE < ?)")
    #expect(source.unrecognizedLines == 0)
    #expect(source.remarks.contains { $0.contains("HTML entities") })
    let bound = values(events)
    #expect(bound.first?.contains("Tom &amp; Jerry") == true, "\(bound)")
  }

  /// A value may have an entity of its own, where the log's words have none.
  @Test func aValueWithAnEntityStaysAsItIs() throws {
    let (events, source) = try read(
      """
      CoreData: sql: SELECT 0, t0.Z_PK FROM ZNOTE t0 WHERE  t0.ZTITLE = ?
      CoreData: details: SQLite bind[0] = "a &lt; b"
      \(Self.times)

      """)
    let bound = values(events)
    #expect(bound.first?.contains("a &lt; b") == true, "\(bound)")
    #expect(!source.remarks.contains { $0.contains("HTML entities") })
  }

  @Test func spacesThatDoNotBreakAreSpaces() throws {
    let log = "CoreData: sql: SELECT 0, t0.Z_PK FROM ZNOTE t0\n\(Self.times)\n"
    let (events, source) = try read(log.replacing(" ", with: "\u{a0}"))
    #expect(sql(events) == ["SELECT 0, t0.Z_PK FROM ZNOTE t0"])
    #expect(source.unrecognizedLines == 0)
  }

  /// Two threads with mixed lines: lines of metadata separate them.
  @Test(arguments: ["| Process: Notes ", ""])
  func aLineOfMetadataBelongsToTheMessageBeforeIt(process: String) throws {
    let offset = process.isEmpty ? "+0200" : "+02:00"
    func line(_ text: String, _ time: Int, _ thread: String) -> String {
      """
      CoreData: \(text)
      Type: Default | Timestamp: 2025-10-03 09:14:07.12\(time)000\(offset) \(process)| Library: CoreData \
      | Subsystem: com.apple.coredata | Category: sql | TID: \(thread)

      """
    }
    let (events, source) = try read(
      [
        line("sql: SELECT 0, t0.Z_PK FROM ZNOTE t0", 0, "0x9d13"),
        line("sql: SELECT 0, t0.Z_PK FROM ZFOLDER t0", 1, "0x9e20"),
        line("annotation: sql connection fetch time: 0.0211s", 2, "0x9d13"),
        line("annotation: total fetch execution time: 0.0234s for 1200 rows.", 3, "0x9d13"),
        line("annotation: sql connection fetch time: 0.0002s", 4, "0x9e20"),
        line("annotation: total fetch execution time: 0.0004s for 3 rows.", 5, "0x9e20"),
      ].joined())
    #expect(source.unrecognizedLines == 0, "\(source.unrecognizedSamples)")
    #expect(source.problems == [])
    let fetches: [(EventRecord, FetchEnd)] = events.compactMap { record in
      if case .fetchEnd(let fetch) = record.event { (record, fetch) } else { nil }
    }
    #expect(fetches.map(\.1.entity) == ["ZNOTE", "ZFOLDER"])
    #expect(fetches.map(\.1.rows) == [1200, 3])
    #expect(fetches.map(\.0.threadID) == [0x9d13, 0x9e20])
    // 2025-10-03 07:14:07.123 UTC
    #expect(fetches.first?.0.timestamp == 1_759_475_647_123_000_000)
  }
}
