// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// The runs of a thread that may lie within the open cursor of a statement that has not ended.
///
///     list begins ── one ── one ── … ── list ends: takes the runs that began after it
///     outer begins ── (list ── one …) ── (list ── one …) ── outer ends: takes them all
struct RunsBeforeEnd {
  /// The runs since the last list ended.
  private var recent: [RecentRuns] = []
  /// The runs within the lists that ended before, oldest first.
  private var layers: [Layer] = []

  // Arbitrary: cursors nest less deep.
  private static let maxLayers = 8

  /// The runs within lists of one statement that followed each other, and those between them.
  private struct Layer {
    /// Nil for the runs before a list.
    var site: LoopDetector.Site?
    var start: Nanoseconds
    var children: [LoopDetector.Child] = []
  }

  mutating func add(_ run: LoopDetector.Run) {
    if let index = recent.firstIndex(where: { $0.child.site == run.site }) {
      recent[index].add(run)
    } else if recent.count < [LoopDetector.Child].maxCount {
      recent.append(RecentRuns(run))
    }
  }

  /// The runs that began after another one; a list keeps them for a list around it.
  mutating func take(since run: LoopDetector.Run) -> [LoopDetector.Child] {
    let isList = run.isReadOnly && run.rows >= LoopDetector.minInnerRows
    guard isList || recent.contains(where: { $0.lastStart >= run.start }) else { return [] }
    var within: [LoopDetector.Child] = []
    var inner = layers.count
    while inner > 0, layers[inner - 1].start >= run.start { inner -= 1 }
    for layer in layers[inner...] { within.add(layer.children) }
    within.add(recent.compactMap { $0.part(since: run.start) })
    if isList {
      layers.removeSubrange(inner...)
      append(within, of: run)
    }
    within.removeAll { $0.site == run.site }
    return within
  }

  /// Keeps the runs before a list, and those within it.
  private mutating func append(_ within: [LoopDetector.Child], of list: LoopDetector.Run) {
    let before = recent.compactMap { $0.part(before: list.start) }
    let start = recent.map(\.firstStart).min()
    recent.removeAll(keepingCapacity: true)
    // Of lists that follow each other, with other runs in between, one layer is enough.
    if layers.count > 1, layers[layers.count - 1].site == nil,
      layers[layers.count - 2].site == list.site
    {
      let between = layers.removeLast()
      layers[layers.count - 1].children.add(between.children)
    }
    if let last = layers.indices.last, layers[last].site == list.site {
      layers[last].children.add(before)
      layers[last].children.add(within)
      return
    }
    if let start, !before.isEmpty {
      layers.append(Layer(site: nil, start: start, children: before))
    }
    layers.append(Layer(site: list.site, start: list.start, children: within))
    while layers.count > Self.maxLayers {
      let oldest = layers.removeFirst()
      layers[0].start = oldest.start
      layers[0].children.add(oldest.children)
    }
  }
}

/// Runs of one site, with the times at which the first and the last of them began.
private struct RecentRuns {
  private(set) var child: LoopDetector.Child
  private var first: [Nanoseconds]
  /// The last ones, as a ring.
  private var last: [Nanoseconds] = []

  // Drivers read a row ahead, so that the last run of a loop follows its list.
  private static let firstCount = 8
  // The runs of a short list.
  private static let lastCount = 32

  init(_ run: LoopDetector.Run) {
    child = LoopDetector.Child(run)
    child.add(run)
    first = [run.start]
    lastStart = run.start
  }

  private(set) var lastStart: Nanoseconds
  var firstStart: Nanoseconds { first[0] }

  mutating func add(_ run: LoopDetector.Run) {
    if first.count < Self.firstCount {
      first.append(run.start)
    } else if last.count < Self.lastCount {
      last.append(run.start)
    } else {
      last[Int((child.runs - UInt64(Self.firstCount)) % UInt64(Self.lastCount))] = run.start
    }
    lastStart = run.start
    child.add(run)
  }

  /// The number of runs that began before a time; of many runs, some in the middle count as later ones.
  private func runs(before start: Nanoseconds) -> UInt64 {
    let early = UInt64(first.count { $0 < start })
    guard early == UInt64(first.count) else { return early }
    let late = UInt64(last.count { $0 >= start })
    return late < UInt64(last.count) || last.isEmpty ? child.runs - late : early
  }

  func part(since start: Nanoseconds) -> LoopDetector.Child? {
    child.part(of: child.runs - runs(before: start))
  }

  func part(before start: Nanoseconds) -> LoopDetector.Child? {
    child.part(of: runs(before: start))
  }
}

extension LoopDetector.Child {
  fileprivate static let sums = Sums<Self, Self>(\.runs, \.time)

  init(_ run: LoopDetector.Run) {
    self.init(
      site: run.site, database: run.connection.database, statement: run.statement,
      firstValues: run.bindHash, firstStatement: run.statement)
  }

  mutating func add(_ run: LoopDetector.Run) {
    runs.add(1)
    time.add(run.time)
    // A statement with other literals has other values as well.
    if run.bindHash != firstValues || run.statement != firstStatement { hasOtherValues = true }
  }

  /// Some of its runs; nil for none.
  fileprivate func part(of count: UInt64) -> Self? {
    guard count > 0 else { return nil }
    guard count < runs else { return self }
    var part = self
    part.runs = count
    let share = Double(time) * Double(count) / Double(runs)
    part.time = Nanoseconds(exactly: share.rounded(.towardZero)) ?? time
    part.hasOtherValues = hasOtherValues && count > 1
    return part
  }
}

extension [LoopDetector.Child] {
  // Arbitrary: loops run fewer statements for each row.
  static var maxCount: Int { 16 }

  /// The place of a run's site, which is added unless there are too many.
  mutating func index(of run: LoopDetector.Run) -> Int? {
    if let index = firstIndex(where: { $0.site == run.site }) { return index }
    guard count < Self.maxCount else { return nil }
    append(LoopDetector.Child(run))
    return count - 1
  }

  mutating func add(_ others: [LoopDetector.Child]) {
    for other in others {
      if let index = firstIndex(where: { $0.site == other.site }) {
        LoopDetector.Child.sums.add(other, to: &self[index])
        self[index].hasOtherValues =
          self[index].hasOtherValues || other.hasOtherValues
          || self[index].firstValues != other.firstValues
      } else if count < Self.maxCount {
        append(other)
      }
    }
  }

  /// Leaves out runs that belong to a later list.
  mutating func remove(_ others: [LoopDetector.Child]) {
    for other in others {
      guard let index = firstIndex(where: { $0.site == other.site }) else { continue }
      self[index].runs -= Swift.min(other.runs, self[index].runs)
      // A trace is data: times may be of any size.
      let (time, isTooLarge) = self[index].time.subtractingReportingOverflow(other.time)
      self[index].time = isTooLarge ? 0 : Swift.max(time, 0)
    }
  }
}
