// SPDX-License-Identifier: Apache-2.0

import StoreEvents
import Testing
import TraceAnalysis
import TraceRendering

@Suite struct LogTrackTests {
  /// A reader with its snapshot for a minute, while another program commits and the log grows.
  private func timed(commits: Int) -> TimedProfile {
    var runs = LockRuns()
    let (writer, reader) = (runs.open(1, "writer"), runs.open(2, "reader"))
    runs.run("BEGIN", line: 1, of: reader, at: 1, transaction: 1)
    runs.run("SELECT a FROM t", line: 2, of: reader, at: 2, transaction: 1, rows: 9)
    for number in 1...commits {
      let (id, time) = (UInt64(number), Double(number) * 60_000 / Double(commits))
      runs.run("INSERT INTO t VALUES (?)", line: 9, of: writer, at: time, transaction: id)
      runs.end(id, of: writer, at: time, total: 0.1, log: number % 10 == 0 ? id << 20 : 0)
    }
    runs.end(1, of: reader, at: 60_001, total: 60_000, kind: "deferred", writer: nil)
    runs.run("COMMIT", line: 3, of: reader, at: 60_001, transaction: 1)
    return runs.timed
  }

  @Test func theLogsSizeIsATrackWithoutGaps() throws {
    let timeline = try #require(timed(commits: 200).timeline)
    let track = try #require(timeline.tracks.first { $0.kind == .logSize })
    #expect(track.counts.max() == 200 << 20)
    let first = try #require(track.counts.firstIndex { $0 > 0 })
    #expect(track.counts[first...].allSatisfy { $0 > 0 })
    #expect(zip(track.counts, track.counts.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test func theReaderThatPinsTheLogIsNamedByTheReportAndByItsTrack() throws {
    let timed = timed(commits: 200)
    #expect(
      timed.profile.findings.map { "\($0.rule) \($0.caller.line)" } == ["EndReadTransaction 2"])
    let timeline = try #require(timed.timeline)
    let pin = try #require(timeline.pins.first)
    #expect(timeline.pins.count == 1)
    #expect(pin.process == "reader[2]")
    #expect(pin.location.line == 2)
    #expect((59_000_000_000...61_000_000_000).contains(pin.duration))
    let track = try #require(timeline.tracks.first { $0.kind == .pinnedLog })
    #expect(track.busy.reduce(0, +) == pin.duration)
    let page = try DashboardPage(timed).html()
    #expect(page.contains("reader.py:2 of reader[2], 60.0 s"))
    #expect(page.contains("up to 210 MB"))
  }

  @Test func aReadDuringFewCommitsPinsNothing() throws {
    let timeline = try #require(timed(commits: 50).timeline)
    #expect(timeline.pins == [])
    #expect(timeline.tracks.first { $0.kind == .pinnedLog }?.busy.allSatisfy { $0 == 0 } == true)
  }
}
