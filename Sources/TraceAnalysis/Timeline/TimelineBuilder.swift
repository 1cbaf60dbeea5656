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
  // 24 lanes fill a window; what others do is drawn as one.
  private static let maxLanes = 24
  private static let shortestWidth: Nanoseconds = 1024

  private var start: Nanoseconds?
  /// The time of the event that is being folded, from the start.
  private var now: Nanoseconds = 0
  private var context = ProfileBuilder.Key(process: 0, id: 0)
  private var width = Self.shortestWidth
  /// Their totals are those of the whole trace up to their ends.
  private var buckets: [Timeline.Bucket] = []
  private var tracks: [Timeline.Track] = Timeline.Track.Kind.allCases.map {
    Timeline.Track(kind: $0, counts: [], busy: [])
  }
  private var lanes = Numbers<LaneKey>()
  /// The names of contexts, by which they share lanes.
  private var labels: [ProfileBuilder.Key: String] = [:]
  private var laneBusy: [[Nanoseconds]] = []
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
  /// - Parameter totals: what the whole trace added up to before it.
  mutating func move(
    to timestamp: Nanoseconds, in context: ProfileBuilder.Key, after totals: Profile.Totals
  ) {
    let start = self.start ?? timestamp
    self.start = start
    let (elapsed, overflow) = timestamp.subtractingReportingOverflow(start)
    now = overflow ? max(now, timestamp < start ? now : .max) : max(now, elapsed)
    self.context = context
    guard now / width >= Int64(buckets.count) else { return }
    note(totals)
    while now / width >= Int64(Self.maxBuckets) { doubleTheWidth() }
    appendBuckets(through: Int(now / width))
  }

  /// Notes what the whole trace adds up to, at the end of the last bucket.
  mutating func note(_ totals: Profile.Totals) {
    guard !buckets.isEmpty else { return }
    buckets[buckets.count - 1].totals = totals
  }

  private mutating func appendBuckets(through index: Int) {
    guard buckets.count <= index else { return }
    var empty = Timeline.Bucket()
    empty.totals = buckets.last?.totals ?? Profile.Totals()
    buckets += Array(repeating: empty, count: index + 1 - buckets.count)
    for track in tracks.indices {
      tracks[track].counts.grow(to: buckets.count)
      tracks[track].busy.grow(to: buckets.count)
    }
  }

  private mutating func doubleTheWidth() {
    width *= 2
    buckets = stride(from: 0, to: buckets.count, by: 2).map { index in
      guard index + 1 < buckets.count else { return buckets[index] }
      return buckets[index].joined(with: buckets[index + 1])
    }
    for track in tracks.indices {
      let isSize = tracks[track].kind == .logSize
      let counts = tracks[track].counts
      tracks[track].counts = isSize ? counts.pairMaxima : counts.pairSums
      tracks[track].busy = tracks[track].busy.pairSums
    }
    for lane in laneBusy.indices { laneBusy[lane] = laneBusy[lane].pairSums }
  }

  // MARK: - Events

  mutating func add(_ created: ContextCreated, as context: ProfileBuilder.Key) {
    recentLanes[slot(of: context)] = nil
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
    let run = runs.number(of: Timeline.Run(statement: fetch.statementID, caller: location))
    var own = fetch
    own.totalTime = ownTime
    last { $0.runs.add(RunSum(own), to: run) }
    draw(.fetches, fetch.totalTime, subject: run, rows: fetch.rows, isInner: isNested)
  }

  mutating func add(_ statement: StatementRun, from location: SourceLocation) {
    let run = runs.number(of: Timeline.Run(statement: statement.statementID, caller: location))
    last { $0.runs.add(RunSum(statement), to: run) }
    draw(.fetches, statement.stepTime, subject: run, rows: statement.rows)
  }

  mutating func add(_ miss: CacheMiss, rows: UInt64, from location: SourceLocation) {
    let run = runs.number(of: Timeline.Run(statement: miss.statementID, caller: location))
    last { $0.runs.add(RunSum(miss, rows: rows), to: run) }
    // The fault that it is part of fills the lane already.
    draw(.cacheMisses, miss.duration, subject: run, rows: rows, isInner: true)
  }

  mutating func add(_ fault: FaultFired, at origin: FaultProfile.Origin) {
    let number = faults.number(of: origin)
    last { $0.faults.add(FaultSum(fault), to: number) }
    draw(.faults, fault.duration, subject: number, rows: fault.rows)
  }

  mutating func add(_ save: SaveEnd) {
    let number = saves.number(of: save.location)
    last { $0.saves.add(SaveSum(save), to: number) }
    draw(.saves, save.totalTime, subject: number, rows: 0)
  }

  mutating func add(_ wait: BusyWaited) {
    draw(.lockWaits, wait.waitTime, subject: nil, rows: 0, isInner: true)
  }

  /// A transaction that wrote, without its wait for the lock.
  mutating func add(_ transaction: TransactionEnded) {
    guard !buckets.isEmpty, transaction.writerTime >= 0 else { return }
    let size = Timeline.Track.Kind.logSize.rawValue
    tracks[size].counts[buckets.count - 1] = max(
      tracks[size].counts[buckets.count - 1], transaction.logBytes)
    let held = min(transaction.heldTime, now)
    let track = Timeline.Track.Kind.writeLocks.rawValue
    tracks[track].counts[buckets.count - 1].add(1)
    tracks[track].busy.spread(from: now - held, to: now, width: width)
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
    tracks[kind.rawValue].counts[buckets.count - 1].add(1)
    if !(isInner && kind == .fetches) {
      tracks[kind.rawValue].busy.spread(from: now - duration, to: now, width: width)
    }
    let lane = currentLane()
    if !isInner {
      laneBusy[lane].grow(to: buckets.count)
      laneBusy[lane].spread(from: now - duration, to: now, width: width)
    }
    slices.add(
      Timeline.Slice(
        kind: kind, begin: now - duration, duration: duration, lane: lane, subject: subject,
        rows: rows))
  }

  /// The lane of the context of the event that is being folded.
  private mutating func currentLane() -> Int {
    let slot = slot(of: context)
    if let recent = recentLanes[slot], recent.context == context { return recent.lane }
    let lane = lanes.number(
      of: LaneKey(
        process: context.process,
        label: labels[context] ?? (context.id == 0 ? "unknown context" : "contexts")),
      most: Self.maxLanes)
    if laneBusy.count <= lane {
      laneBusy += Array(repeating: [], count: lane + 1 - laneBusy.count)
    }
    recentLanes[slot] = (context, lane)
    return lane
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
      tracks[track].counts[min(Int(end / width), buckets.count - 1)].add(1)
      tracks[track].busy.spread(from: begin, to: end, width: width)
    }
  }

  /// - Parameter name: a lane's name.
  consuming func timeline(named name: (LaneKey) -> String) -> Timeline {
    var timeline = Timeline()
    timeline.start = start ?? 0
    timeline.bucketWidth = width
    var before = Profile.Totals()
    timeline.buckets = buckets.map { bucket in
      var bucket = bucket
      let totals = bucket.totals
      bucket.totals = totals.since(before)
      before = totals
      return bucket
    }
    timeline.tracks = tracks
    timeline.tracks[Timeline.Track.Kind.logSize.rawValue].counts.carryForward()
    timeline.lanes = laneBusy.enumerated().map { index, busy in
      var busy = busy
      busy.grow(to: buckets.count)
      let isOthers = index == Self.maxLanes - 1 && lanes.overflowed
      return Timeline.Lane(name: isOthers ? "other contexts" : name(lanes.keys[index]), busy: busy)
    }
    (timeline.runs, timeline.faults, timeline.saves) = (runs.keys, faults.keys, saves.keys)
    timeline.slices = slices.byBeginning
    timeline.sliceable = slices.offered
    return timeline
  }
}

extension Timeline.Bucket {
  fileprivate func joined(with next: Self) -> Self {
    var joined = self
    joined.totals = next.totals
    joined.runs.add(next.runs)
    joined.faults.add(next.faults)
    joined.saves.add(next.saves)
    return joined
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
    let place = Int(recent[slot])
    if place >= 0, keys[place] == key { return place }
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
  fileprivate var pairMaxima: Self {
    stride(from: 0, to: count, by: 2).map { Swift.max(self[$0], $0 + 1 < count ? self[$0 + 1] : 0) }
  }

  /// Fills buckets without a sample with the last sample before them.
  fileprivate mutating func carryForward() {
    for index in indices.dropFirst() where self[index] == 0 { self[index] = self[index - 1] }
  }
}

extension Array where Element: FixedWidthInteger {
  fileprivate mutating func grow(to count: Int) {
    if self.count < count { self += Self(repeating: 0, count: count - self.count) }
  }

  fileprivate var pairSums: Self {
    stride(from: 0, to: count, by: 2).map { index in
      var sum = self[index]
      if index + 1 < count { sum.add(self[index + 1]) }
      return sum
    }
  }
}

extension [Nanoseconds] {
  /// Adds to each bucket the part of a time span that it covers.
  fileprivate mutating func spread(
    from begin: Nanoseconds, to end: Nanoseconds, width: Nanoseconds
  ) {
    var begin = begin
    while begin < end {
      let index = Int(begin / width)
      guard index < count else { return }
      let (next, overflow) = (Int64(index) + 1).multipliedReportingOverflow(by: width)
      let part = (overflow ? end : Swift.min(next, end))
      self[index].add(part - begin)
      begin = part
    }
  }
}
