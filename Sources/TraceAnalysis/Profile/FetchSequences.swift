// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Finds statements that ran once for each row of a list, or loaded all its batches, where a source has no
/// counters and mostly no values, as Core Data's log.
///
///     SELECT 0, t0.Z_PK FROM ZSTOP t0                                12,800 keys
///     SELECT … IN (SELECT * FROM _Z_intarray0) LIMIT 50              256 runs with 12,800 rows in all
struct FetchSequences {
  // A page of a list has 10 rows.
  static let minRows: UInt64 = 10
  // 1,000 is arbitrary: twenty batches of two screens.
  private static let minBatchedRows: UInt64 = 1000
  // Arbitrary: lists that are read before a loop over one of them, and statements of its body.
  private static let maxLists = 4
  private static let maxChildren = 4
  // Arbitrary: someone who scrolls looks at a batch.
  private static let maxPause: Nanoseconds = 1_000_000_000
  private static let maxThreads = 1024

  /// One fetch that ended.
  struct Run {
    var fetch: FetchEnd
    var rows: UInt64
    var end: Nanoseconds
  }

  private struct Child {
    var first: FetchEnd
    var runs: UInt64 = 0
    var rows: UInt64 = 0
    var time: Nanoseconds = 0
    var end: Nanoseconds
    var hasOtherValues = false
    /// Whether another statement ran, or time passed, between its runs.
    var isInterrupted = false

    mutating func add(_ run: Run) {
      if run.end &- run.fetch.totalTime &- end >= FetchSequences.maxPause { isInterrupted = true }
      if run.fetch.bindHash != first.bindHash { hasOtherValues = true }
      runs.add(1)
      rows.add(run.rows)
      time.add(run.fetch.totalTime)
      end = run.end
    }
  }

  private struct List {
    var run: Run
    var children: [Child] = []
    var isOver = false

    mutating func count(_ other: Run) {
      var childIndex = children.firstIndex { $0.first.statementID == other.fetch.statementID }
      for index in children.indices where index != childIndex && children[index].rows < run.rows {
        children[index].isInterrupted = true
      }
      if childIndex == nil, children.count < FetchSequences.maxChildren {
        children.append(Child(first: other.fetch, end: other.end &- other.fetch.totalTime))
        childIndex = children.count - 1
      }
      guard let childIndex else { return isOver = true }
      children[childIndex].add(other)
    }

    /// Whether it is a loop over the rows: a run for each of them, or for nine of ten.
    func isLoop(_ child: Child) -> Bool {
      child.first.kind != .batch && child.runs >= FetchSequences.minRows && child.runs <= run.rows
        && child.runs >= run.rows - run.rows / 10
        && (child.hasOtherValues || child.first.bindHash == 0)
    }

    /// Whether the batches of the keys were loaded one directly after another.
    func isWhole(_ child: Child) -> Bool {
      child.first.kind == .batch && run.fetch.kind == .ids && child.first.entity == run.fetch.entity
        && !child.isInterrupted && child.rows >= run.rows
        && run.rows >= FetchSequences.minBatchedRows
    }
  }

  private var threads: [ProfileBuilder.Key: [List]] = [:]
  private var sequences = LoopTable<StatementID, QueryLoop>()

  /// Adds a fetch that ended and that no other fetch contains.
  mutating func add(_ run: Run, on thread: ProfileBuilder.Key) {
    if threads[thread] == nil, threads.count >= Self.maxThreads { closeAll() }
    var lists = threads.removeValue(forKey: thread) ?? []
    for index in lists.indices
    where lists[index].run.fetch.statementID != run.fetch.statementID { lists[index].count(run) }
    for list in lists where list.isOver || list.run.fetch.statementID == run.fetch.statementID {
      close(list)
    }
    lists.removeAll { $0.isOver || $0.run.fetch.statementID == run.fetch.statementID }
    if run.rows >= Self.minRows, run.fetch.kind != .batch {
      if lists.count >= Self.maxLists { close(lists.removeFirst()) }
      lists.append(List(run: run))
    }
    threads[thread] = lists
  }

  /// Ends open sequences, and returns all, longest time first; nil without any.
  mutating func finish() -> [QueryLoop]? {
    closeAll()
    let loops = sequences.loops.values.sorted(by: \.time) { "\($0.parent) \($0.child)" }
    return loops.isEmpty ? nil : loops
  }

  private mutating func closeAll() {
    for lists in threads.values { lists.forEach { close($0) } }
    threads.removeAll()
  }

  private mutating func close(_ list: List) {
    for child in list.children where list.isLoop(child) || list.isWhole(child) {
      let (parent, first) = (list.run.fetch.statementID, child.first.statementID)
      sequences.update(
        parent, first,
        from: QueryLoop(
          parent: parent, parentLocation: .unknown, child: first, childLocation: .unknown)
      ) { $0.addOccurrence(rows: list.run.rows, runs: child.runs, time: child.time) }
    }
  }
}
