// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreEvents
import TestSupport
import Testing
import TraceAnalysis

@Suite struct TimelineTests {
  /// A run of every kind of event, its timestamps stretched by a factor.
  private func run(events: Int, spacing: Int64, seed: UInt64 = 1) -> StretchedRun {
    var generator = SeededGenerator(seed: seed)
    var run = RunBuilder { $0.open() }
    while run.records.count < events {
      let table = Int.random(in: 0..<100, using: &generator)
      let id = run.fetch(
        "SELECT a FROM t\(table)", at: SourceLocation(file: "app/A.swift", line: UInt64(table % 7)),
        rows: UInt64(table), total: .random(in: 0...5000, using: &generator))
      run.fault(pk: Int64(table), source: table % 2 == 0 ? .database : .rowCache, origin: id)
      if table % 10 == 0 { run.save() }
      if table % 25 == 0 { run.busy(3000) }
    }
    run.close()
    return run.stretched(by: spacing)
  }

  @Test(arguments: [1, 1000, 1_000_000_000] as [Int64]) func bucketsAddUpToTheProfile(
    spacing: Int64
  ) throws {
    let timed = run(events: 20_000, spacing: spacing).timedProfile()
    let timeline = try #require(timed.timeline)
    #expect(timeline.buckets.count <= 1024)
    var sum = Profile.Totals()
    for bucket in timeline.buckets { sum.add(bucket.totals) }
    #expect(sum == timed.profile.totals)
  }

  @Test func runsOfBucketsAddUpToTheStatements() throws {
    let timed = run(events: 20_000, spacing: 1000).timedProfile()
    let timeline = try #require(timed.timeline)
    var counts: [StatementID: UInt64] = [:]
    var times: [StatementID: Int64] = [:]
    for bucket in timeline.buckets {
      #expect(bucket.runs.others == RunSum())
      for (key, sum) in bucket.runs.sums {
        counts[timeline.runs[key].statement, default: 0] += sum.count
        times[timeline.runs[key].statement, default: 0] += sum.totalTime
      }
    }
    for statement in timed.profile.statements {
      #expect(counts[statement.id] == statement.work.count)
      #expect(times[statement.id] == statement.work.totalTime)
    }
    let saves = timeline.buckets.reduce(0) { $0 + $1.saves.sums.values.reduce(0) { $0 + $1.count } }
    #expect(saves == timed.profile.totals.saves)
    let faults = timeline.buckets.reduce(0) { sum, bucket in
      sum + bucket.faults.sums.values.reduce(0) { $0 + $1.hits + $1.misses }
    }
    #expect(faults == timed.profile.totals.faults)
  }

  @Test func timelineDoesNotChangeTheProfile() {
    let run = run(events: 5000, spacing: 1)
    var plain = ProfileBuilder()
    for record in run.records { plain.add(record) }
    let timed = run.timedProfile().profile
    #expect(plain.profile(of: timed.reading) == timed)
  }

  @Test func filteredEventsAreInNoBucket() throws {
    var filter = EventFilter()
    filter.entity = "Trip"
    let timed = run(events: 1000, spacing: 1).timedProfile(filter: filter)
    let timeline = try #require(timed.timeline)
    #expect(timeline.slices.isEmpty)
    #expect(timeline.buckets.allSatisfy { $0.totals == Profile.Totals() })
  }

  @Test func sumsBeyondTheLimitAreOthersAndNotLost() throws {
    var run = RunBuilder()
    for table in 0..<1000 { run.fetch("SELECT a FROM t\(table)", total: Int64(table)) }
    // All in one bucket.
    let timeline = try #require(run.stretched(by: 0).timedProfile().timeline)
    #expect(timeline.buckets.count == 1)
    let runs = timeline.buckets[0].runs
    #expect(runs.sums.count <= 128)
    #expect(runs.sums.values.reduce(0) { $0 + $1.count } + runs.others.count == 1000)
    #expect(
      runs.sums.values.reduce(0) { $0 + $1.totalTime } + runs.others.totalTime
        == (0..<1000).reduce(0, +))
  }

  @Test func faultsBeyondTheBoundOfTheProfileHaveOriginsOfTheirOwn() throws {
    var run = RunBuilder()
    for _ in 0..<2 { for number in 0..<10_005 { run.fault("Entity\(number)", source: .rowCache) } }
    let timeline = try #require(run.stretched(by: 1_000_000).timedProfile().timeline)
    #expect(timeline.faults.map(\.entity) == (0..<10_005).map { "Entity\($0)" })
    var hits = [UInt64](repeating: 0, count: timeline.faults.count)
    for bucket in timeline.buckets {
      for (key, sum) in bucket.faults.sums { hits[key] += sum.hits }
    }
    #expect(hits.allSatisfy { $0 == 2 })
  }

  @Test func longEventsAreBusyWhereTheyRanAndCountWhereTheyEnded() throws {
    var run = RunBuilder { $0.open() }
    run.fetch("SELECT a", total: 1)
    for _ in 0..<200 { run.announce("SELECT a") }
    run.fetch("SELECT b", total: 150_000)
    let timeline = try #require(run.timedProfile().timeline)
    let fetches = timeline.tracks[Timeline.Track.Kind.fetches.rawValue]
    #expect(fetches.busy.reduce(0, +) == 150_001)
    #expect(fetches.counts.last == 1)
    #expect(fetches.busy.count { $0 == timeline.bucketWidth } >= 140)
    let slice = try #require(timeline.slices.first { $0.duration == 150_000 })
    #expect(timeline.runs[try #require(slice.subject)].statement == StatementID(sql: "SELECT b"))
  }

  @Test func theLongestSlicesStayAndNestInTheirLane() throws {
    var run = RunBuilder { $0.open() }
    for _ in 0..<3000 { run.fetch("SELECT a", total: 10) }
    let outer = run.begin()
    run.fetch("SELECT b", kind: .prefetch, parent: outer, total: 2000)
    run.end(outer, "SELECT a", total: 5000)
    let timeline = try #require(run.timedProfile().timeline)
    #expect(timeline.sliceable == 3002)
    #expect(timeline.slices.count == 2000)
    let inner = try #require(timeline.slices.first { $0.duration == 2000 })
    #expect(timeline.slices.first { $0.duration == 5000 }?.depth == 0)
    #expect(inner.depth == 1)
    #expect(timeline.lanes.map(\.name) == ["contexts"])
  }

  @Test func aClockThatWasSetBackMovesNothing() throws {
    var run = RunBuilder { $0.open() }
    run.fetch("SELECT a")
    var records = run.records
    records[records.count - 1].timestamp = -5_000_000_000
    var builder = ProfileBuilder(isTimed: true)
    for record in records { builder.add(record) }
    let timed = builder.timedProfile(of: run.profile().reading)
    #expect(timed.profile.totals.fetches == 1)
    #expect(try #require(timed.timeline).buckets.map(\.totals.fetches).reduce(0, +) == 1)
  }

  @Test func theEndsOfTimeDoNotTrap() {
    var run = RunBuilder { $0.open() }
    run.fetch("SELECT a", total: .max)
    var builder = ProfileBuilder(isTimed: true)
    for (index, record) in run.records.enumerated() {
      var record = record
      record.timestamp = [.min, .max, 0, .max][index % 4]
      builder.add(record)
    }
    let timed = builder.timedProfile(of: run.profile().reading)
    #expect(timed.timeline?.buckets.count ?? 0 <= 1024)
  }

  @Test(arguments: [("", 1, "private queues"), ("name", 24, "other contexts")])
  func
    contextsShareLanes(name: String, lanes: Int, last: String) throws
  {
    var run = RunBuilder()
    run.append(
      .contextCreated(
        ContextCreated(storeID: 1, parentID: 0, queue: "private", contextName: name)))
    run.fetch("SELECT a")
    let fetch = run.records
    var builder = ProfileBuilder(isTimed: true)
    for context in 1...100 as ClosedRange<UInt64> {
      for record in fetch {
        var record = record
        record.contextID = context
        if case .contextCreated(var created) = record.event, !name.isEmpty {
          created.contextName = "\(name) \(context)"
          record.event = .contextCreated(created)
        }
        record.timestamp += Int64(context) * 10_000
        builder.add(record)
      }
    }
    let timeline = try #require(builder.timedProfile(of: run.profile().reading).timeline)
    #expect(timeline.lanes.count == lanes)
    #expect(timeline.lanes.last?.name == last)
  }

  /// The lanes of a program without a store are its connections, their waits included.
  @Test func connectionsAreLanes() throws {
    let run = RunBuilder {
      $0.connect()
      $0.run("SELECT a")
      $0.run("SELECT b", connection: 2)
      $0.busy(50)
      $0.run("SELECT a")
    }
    let timeline = try #require(run.timeline)
    #expect(timeline.isObserved)
    #expect(timeline.lanes.map(\.name) == ["connection 1", "connection 2"])
    var (fetch, fault) = (run, run)
    fetch.fetch("SELECT c")
    fault.fault()
    #expect(try #require(fetch.timeline).isObserved == false)
    #expect(try #require(fault.timeline).isObserved == false)
  }
}

extension RunBuilder {
  /// The run with its timestamps multiplied.
  fileprivate func stretched(by factor: Int64) -> StretchedRun {
    StretchedRun(
      run: self,
      records: records.map { record in
        var record = record
        record.timestamp *= factor
        return record
      })
  }
}

private struct StretchedRun {
  var run: RunBuilder
  var records: [EventRecord]

  func timedProfile(filter: EventFilter = EventFilter()) -> TimedProfile {
    var builder = ProfileBuilder(filter, isTimed: true)
    for record in records { builder.add(record) }
    return builder.timedProfile(of: run.profile().reading)
  }
}

extension RunBuilder {
  fileprivate var timeline: Timeline? {
    var builder = ProfileBuilder(isTimed: true)
    for record in records {
      var record = record
      record.contextID = 0
      builder.add(record)
    }
    return builder.timedProfile(of: profile().reading).timeline
  }
}
