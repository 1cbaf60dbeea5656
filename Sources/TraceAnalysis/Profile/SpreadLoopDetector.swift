// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Finds loops whose runs use other connections than their list, or other threads, by counts.
///
///     connection 1   list 20 rows ── closed
///     connection 2                     child ── closed      a new connection for each run,
///     connection 3                               child …    or the connections of a pool
///
/// The requests of a server look alike. Therefore a loop has exactly one run for each row, in direct
/// succession, and is certain only where that happens again.
struct SpreadLoopDetector {
  // Arbitrary: lists of several processes may be read at the same time.
  private static let maxLists = 16
  // Arbitrary: a loop that directly follows its list reads with few statements.
  fileprivate static let maxStatementsOfLoop = 4
  private static let maxListsCounted = 1000

  fileprivate struct Child {
    var sums: LoopDetector.Child
    /// Whether a run was on another connection or thread than the list.
    var isSpread = false
    var lastConnection: UInt64 = 0
    /// Whether each run was on a connection that was opened after those of the runs before.
    var hasOwnConnections = true
    /// Whether another statement ran after its last run; later runs belong to another task.
    var isComplete = false
  }

  fileprivate struct List {
    var run: LoopDetector.Run
    var thread: UInt64
    var children: [Child] = []
  }

  private struct Loop {
    var sums: QueryLoop
    /// How often there were as many runs as rows, and how often there were not.
    var matches: UInt64 = 0
    var misses: UInt64 = 0
  }

  private var lists: [List] = []
  private var table = LoopTable<LoopDetector.Site, Loop>()
  /// How often each list ran.
  private var runs: [LoopDetector.Site: UInt64] = [:]

  /// Adds a run that ended.
  mutating func add(_ run: LoopDetector.Run, on thread: UInt64) {
    let isList = run.isReadOnly && run.rows >= LoopDetector.minRows
    guard !lists.isEmpty || isList else { return }
    var index = 0
    while index < lists.count {
      if lists[index].includes(run), lists[index].ends(with: run, on: thread) {
        close(lists.remove(at: index))
      } else {
        index += 1
      }
    }
    guard isList else { return }
    if lists.count >= Self.maxLists { close(lists.removeFirst()) }
    lists.append(List(run: run, thread: thread))
    if runs.count < Self.maxListsCounted || runs[run.site] != nil {
      runs[run.site, default: 0].add(1)
    }
  }

  /// Ends what is open.
  ///
  /// - Parameter known: the loops of single threads and connections.
  /// - Returns: the loops that happened more than once, and those that may be a coincidence.
  mutating func finish(
    without known: [QueryLoop]
  ) -> (certain: [QueryLoop], possible: [QueryLoop]) {
    for list in lists { close(list) }
    lists.removeAll()
    let found = table.loops.filter { key, loop in
      loop.matches > loop.misses
        && LoopDetector.isUsual(loop.matches, after: runs[key.parent] ?? loop.matches)
        && !known.contains { $0.isOfSameLine(as: loop.sums) }
    }.values.sorted(by: \.sums.time) { loop in
      "\(loop.sums.child) \(loop.sums.childLocation.line) \(loop.sums.parent)"
    }
    return (
      found.filter { $0.matches > 1 }.map(\.sums), found.filter { $0.matches == 1 }.map(\.sums)
    )
  }

  private mutating func close(_ list: List) {
    for child in list.children where child.isSpread {
      let new = Loop(sums: QueryLoop(list.run, child.sums))
      table.update(list.run.site, child.sums.site, from: new) { loop in
        guard child.sums.runs == list.run.rows, child.sums.hasOtherValues else {
          return loop.misses.add(1)
        }
        loop.matches.add(1)
        loop.sums.addOccurrence(
          rows: list.run.rows, runs: child.sums.runs, time: child.sums.time)
        loop.sums.connections.add(child.hasOwnConnections ? child.sums.runs : 0)
      }
    }
  }
}

extension SpreadLoopDetector.List {
  func includes(_ other: LoopDetector.Run) -> Bool {
    run.connection.process == other.connection.process
      && run.connection.database == other.connection.database
  }

  /// Counts a run; returns true if the list's task ends with it.
  mutating func ends(with other: LoopDetector.Run, on thread: UInt64) -> Bool {
    if !other.isReadOnly || other.site == run.site { return true }
    if let index = children.firstIndex(where: { $0.sums.site == other.site }) {
      if !children[index].isComplete { count(other, on: thread, at: index) }
      return false
    }
    for index in children.indices where children[index].sums.runs == run.rows {
      children[index].isComplete = true
    }
    guard children.count < SpreadLoopDetector.maxStatementsOfLoop else { return true }
    children.append(SpreadLoopDetector.Child(sums: LoopDetector.Child(other)))
    count(other, on: thread, at: children.count - 1)
    return false
  }

  private mutating func count(_ other: LoopDetector.Run, on thread: UInt64, at index: Int) {
    let connection = other.connection.id
    children[index].sums.add(other)
    if connection != run.connection.id || thread != self.thread { children[index].isSpread = true }
    if connection <= max(children[index].lastConnection, run.connection.id) {
      children[index].hasOwnConnections = false
    }
    children[index].lastConnection = connection
  }
}

extension QueryLoop {
  fileprivate func isOfSameLine(as other: Self) -> Bool {
    child == other.child && childLocation == other.childLocation
  }
}
