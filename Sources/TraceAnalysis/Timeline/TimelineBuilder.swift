// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Folds events into a ``Timeline`` while a ``ProfileBuilder`` folds them into a profile, which
/// decides which key each belongs to, so that the buckets add up to the profile.
///
///     width 1 µs   ▏▏▏▏▏▏▏▏     an event beyond the last bucket
///     width 2 µs   ▏ ▏ ▏ ▏ ▏    doubles the width of all: two buckets become one
struct TimelineBuilder {
  // A bucket a pixel of a wide window, and 0.1 % of the trace.
  static let maxBuckets = 1024
  // 24 lanes fill a window; all further threads are drawn as one.
  private static let maxLanes = 24
  private static let shortestWidth: Nanoseconds = 1024

  private var start: Nanoseconds?
  /// The time of the event that is being folded, from the start.
  private var now: Nanoseconds = 0
  private var context = ProfileBuilder.Key(process: 0, id: 0)
  private var time = BucketTime(width: Self.shortestWidth)
  /// Their totals are the totals of the whole trace up to their ends.
  private var buckets: [Timeline.Bucket] = []
  /// A row for each kind of track.
  private var counts = BucketRows<UInt64>(count: Timeline.Track.Kind.allCases.count)
  private var busy = BucketRows<Nanoseconds>(count: Timeline.Track.Kind.allCases.count)
  private var lanes = Numbers<LaneKey>()
  private var hasStatements = false
  private var hasStoreEvents = false
  /// The names of contexts, by which they share lanes.
  private var labels: [ProfileBuilder.Key: String] = [:]
  private var laneBusy = BucketRows<Nanoseconds>(count: 0)
  /// The lane of ``context``, once it is known.
  private var lane: Int?
  /// The lanes of contexts that were looked up lately.
  private var recentLanes = [(context: ProfileBuilder.Key, lane: Int)?](repeating: nil, count: 64)
  private var runs = Numbers<Timeline.Run>()
  private var faults = Numbers<FaultProfile.Origin>()
  private var saves = Numbers<SourceLocation>()
  private var slices = LongestSlices()

  /// The contexts of a process that have one name, or none but the same kind of queue: a program
  /// that makes a context for each request still fits.
  struct LaneKey: TallyKey {
    var process: Int
    var label: String
    var mixed: UInt64 { UInt64(label.utf8.count) ^ UInt64(process) << 8 }
  }

  // MARK: - Time

  /// Moves to an event; one from before the last, as of a clock that was set, counts as now.
  ///
  /// - Parameter totals: the totals of the whole trace before it.
  mutating func move(
    to timestamp: Nanoseconds, in context: ProfileBuilder.Key, after totals: Profile.Totals
  ) {
    let start = self.start ?? timestamp
    self.start = start
    let (elapsed, overflow) = timestamp.subtractingReportingOverflow(start)
    now = overflow ? max(now, timestamp < start ? now : .max) : max(now, elapsed)
    if context != self.context {
      self.context = context
      lane = nil
    }
    if now >= time.end { enterBucket(after: totals) }
  }

  /// Appends the bucket of an event beyond the last one.
  private mutating func enterBucket(after totals: Profile.Totals) {
    record(totals)
    while now / time.width >= Int64(Self.maxBuckets) { doubleTheWidth() }
    let index = Int(now / time.width)
    if index >= buckets.count {
      var empty = Timeline.Bucket()
      empty.totals = buckets.last?.totals ?? Profile.Totals()
      buckets += Array(repeating: empty, count: index + 1 - buckets.count)
    }
    time.last = buckets.count - 1
  }

  /// Records the totals of the whole trace, at the end of the last bucket.
  mutating func record(_ totals: Profile.Totals) {
    guard !buckets.isEmpty else { return }
    buckets[buckets.count - 1].totals = totals
  }

  private mutating func doubleTheWidth() {
    time.width *= 2
    let half = (buckets.count + 1) / 2
    for index in 0..<half {
      // Taken out, so that its sums are changed in place.
      var joined = Timeline.Bucket()
      swap(&joined, &buckets[2 * index])
      if 2 * index + 1 < buckets.count { joined.add(buckets[2 * index + 1]) }
      buckets[index] = joined
    }
    buckets.removeLast(buckets.count - half)
    counts.joinPairs(maximaOf: Timeline.Track.Kind.logSize.rawValue)
    busy.joinPairs()
    laneBusy.joinPairs()
  }

  // MARK: - Events

  mutating func add(_ created: ContextCreated, as context: ProfileBuilder.Key) {
    hasStoreEvents = true
    recentLanes[slot(of: context)] = nil
    lane = nil
    labels[context] =
      if !created.contextName.isEmpty { created.contextName } else {
        created.queue == "main" ? "main queue" : "private queues"
      }
  }

  /// - Parameters:
  ///   - ownTime: its time without that of fetches nested in it.
  ///   - isNested: whether its time is in that of another fetch.
  mutating func add(
    _ fetch: FetchEnd, ownTime: Nanoseconds, from location: SourceLocation, isNested: Bool
  ) {
    hasStoreEvents = true
    let run = runs.number(of: Timeline.Run(statement: fetch.statementID, caller: location))
    last { $0.runs.update(run) { $0.add(fetch, ownTime: ownTime) } }
    draw(.fetches, fetch.totalTime, subject: run, rows: fetch.rows, isInner: isNested)
  }

  mutating func add(_ statement: StatementRun, from location: SourceLocation) {
    hasStatements = true
    useLane(ofConnection: statement.connectionID)
    let run = runs.number(of: Timeline.Run(statement: statement.statementID, caller: location))
    last { $0.runs.update(run) { $0.add(statement) } }
    draw(.fetches, statement.stepTime, subject: run, rows: statement.rows)
  }

  mutating func add(_ miss: CacheMiss, rows: UInt64, from location: SourceLocation) {
    let run = runs.number(of: Timeline.Run(statement: miss.statementID, caller: location))
    last { $0.runs.update(run) { $0.add(miss, rows: rows) } }
    // The fault that it is part of fills the lane already.
    draw(.cacheMisses, miss.duration, subject: run, rows: rows, isInner: true)
  }

  /// - Parameter originIndex: that of its origin among all origins in the order of their first
  ///   faults; nil if it is not known.
  mutating func add(_ fault: FaultFired, originIndex: Int?) {
    let number =
      if let originIndex, originIndex < faults.keys.count { originIndex } else {
        faults.number(of: FaultProfile.Origin(fault))
      }
    hasStoreEvents = true
    last { $0.faults.update(number) { $0.add(fault) } }
    draw(.faults, fault.duration, subject: number, rows: fault.rows)
  }

  mutating func add(_ save: SaveEnd) {
    let number = saves.number(of: save.location)
    hasStoreEvents = true
    last { $0.saves.add(SaveSum(save), to: number) }
    draw(.saves, save.totalTime, subject: number, rows: 0)
  }

  mutating func add(_ wait: BusyWaited) {
    // The probe has the connection's number where a store has its own.
    if !hasStoreEvents { useLane(ofConnection: wait.storeID) }
    draw(.lockWaits, wait.waitTime, subject: nil, rows: 0, isInner: true)
  }

  /// A transaction that wrote, without its wait for the lock.
  mutating func add(_ transaction: TransactionEnded) {
    guard !buckets.isEmpty, transaction.writerTime >= 0 else { return }
    counts.raise(row: Timeline.Track.Kind.logSize.rawValue, at: time.last, to: transaction.logBytes)
    let held = min(transaction.heldTime, now)
    let track = Timeline.Track.Kind.writeLocks.rawValue
    counts.add(1, to: track, at: time.last)
    busy.spread(from: now - held, to: now, over: track, time)
  }

  mutating func add(_ checkpoint: CheckpointDone) {
    draw(
      .checkpoints, checkpoint.totalTime, subject: nil, rows: checkpoint.checkpointedFrames,
      isInner: true)
  }

  private mutating func last(_ body: (inout Timeline.Bucket) -> Void) {
    guard !buckets.isEmpty else { return }
    body(&buckets[buckets.count - 1])
  }

  private mutating func draw(
    _ kind: Timeline.Track.Kind, _ duration: Nanoseconds, subject: Int?, rows: UInt64,
    isInner: Bool = false
  ) {
    guard !buckets.isEmpty else { return }
    let duration = min(max(duration, 0), now)
    counts.add(1, to: kind.rawValue, at: time.last)
    if !(isInner && kind == .fetches) {
      busy.spread(from: now - duration, to: now, over: kind.rawValue, time)
    }
    let lane = currentLane()
    if !isInner { laneBusy.spread(from: now - duration, to: now, over: lane, time) }
    guard slices.accepts(duration) else { return }
    slices.add(
      Timeline.Slice(
        kind: kind, begin: now - duration, duration: duration, lane: lane, subject: subject,
        rows: rows))
  }

  /// The lane of the context of the event that is being folded.
  private mutating func currentLane() -> Int {
    if let lane { return lane }
    let slot = slot(of: context)
    if let recent = recentLanes[slot], recent.context == context {
      self.lane = recent.lane
      return recent.lane
    }
    let lane = lanes.number(
      of: LaneKey(process: context.process, label: currentLabel), most: Self.maxLanes)
    while laneBusy.count <= lane { laneBusy.appendRow() }
    recentLanes[slot] = (context, lane)
    self.lane = lane
    return lane
  }

  // Distinguishes connections from contexts; both are numbered from 1 in each process.
  private static let connectionBit: UInt64 = 1 << 63

  private mutating func useLane(ofConnection id: UInt64) {
    guard context.id == 0 else { return }
    context.id = id | Self.connectionBit
    lane = nil
  }

  private var currentLabel: String {
    if let label = labels[context] { return label }
    if context.id & Self.connectionBit != 0 {
      return "connection \(context.id & ~Self.connectionBit)"
    }
    return context.id == 0 ? "unknown context" : "contexts"
  }

  private func slot(of context: ProfileBuilder.Key) -> Int {
    Int(truncatingIfNeeded: context.mixed ^ context.mixed >> 48) & (recentLanes.count - 1)
  }

  // MARK: - The end

  /// Adds the reads that pinned a log, which are known at the end.
  mutating func add(_ pins: [LockSites.Pin]) {
    guard let start, !buckets.isEmpty else { return }
    let track = Timeline.Track.Kind.pinnedLog.rawValue
    for pin in pins {
      let begin = min(max(pin.start &- start, 0), now)
      let end = min(max(pin.end &- start, begin), now)
      counts.add(1, to: track, at: min(Int(end / time.width), buckets.count - 1))
      busy.spread(from: begin, to: end, over: track, time)
    }
  }

  /// - Parameter name: a lane's name.
  mutating func timeline(named name: (LaneKey) -> String) -> Timeline {
    var timeline = Timeline()
    timeline.start = start ?? 0
    timeline.bucketWidth = time.width
    timeline.isObserved = hasStatements && !hasStoreEvents
    var before = Profile.Totals()
    for index in buckets.indices {
      let totals = buckets[index].totals
      buckets[index].totals = totals.since(before)
      before = totals
    }
    let bucketCount = buckets.count
    timeline.buckets = buckets
    timeline.tracks = Timeline.Track.Kind.allCases.map { kind in
      Timeline.Track(
        kind: kind, counts: counts.row(kind.rawValue, bucketCount),
        busy: busy.row(kind.rawValue, bucketCount))
    }
    timeline.tracks[Timeline.Track.Kind.logSize.rawValue].counts.carryForward()
    timeline.lanes = (0..<laneBusy.count).map { lane in
      let isOthers = lane == Self.maxLanes - 1 && lanes.overflowed
      return Timeline.Lane(
        name: isOthers
          ? (timeline.isObserved ? "other connections" : "other contexts") : name(lanes.keys[lane]),
        busy: laneBusy.row(lane, bucketCount))
    }
    (timeline.runs, timeline.faults, timeline.saves) = (runs.keys, faults.keys, saves.keys)
    timeline.slices = slices.byBeginning
    timeline.sliceable = slices.offered
    return timeline
  }
}

extension Timeline.Bucket {
  private static let sums = Sums<Self, Self>(\.runs, \.faults, \.saves)

  fileprivate mutating func add(_ next: Self) {
    totals = next.totals
    Self.sums.add(next, to: &self)
  }
}

/// Small numbers for things, in the order of their first appearance.
struct Numbers<Key: TallyKey> {
  private(set) var keys: [Key] = []
  private(set) var overflowed = false
  private var numbers: [Key: Int] = [:]
  /// By the mixed key: the number of the last key that fell there, or -1.
  private var recent = [Int32](repeating: -1, count: 256)

  /// - Parameter most: the last number; it represents all further values.
  mutating func number(of key: Key, most: Int = .max) -> Int {
    let slot = Int(truncatingIfNeeded: (key.mixed &* 0x9e37_79b9_7f4a_7c15) >> 56)
    let last = Int(recent[slot])
    if last >= 0, keys[last] == key { return last }
    if let number = numbers[key] {
      recent[slot] = Int32(truncatingIfNeeded: number)
      return number
    }
    guard keys.count < most else {
      overflowed = true
      return most - 1
    }
    numbers[key] = keys.count
    recent[slot] = Int32(truncatingIfNeeded: keys.count)
    keys.append(key)
    return keys.count - 1
  }
}

extension Timeline.Run: TallyKey {
  var mixed: UInt64 { statement.mixed ^ caller.mixed << 16 }
}

extension [UInt64] {
  /// Fills buckets without a sample with the last sample before them.
  fileprivate mutating func carryForward() {
    for index in indices.dropFirst() where self[index] == 0 { self[index] = self[index - 1] }
  }
}
