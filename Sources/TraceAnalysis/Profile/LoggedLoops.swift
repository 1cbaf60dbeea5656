// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Finds statements that ran again and again, with other values, in a log that has no rows.
///
///     SELECT … FROM book                    before the loop
///     SELECT … FROM author WHERE id = ?     3 · 8 · 1 · 7 · …     ten runs or more, a request each
struct LoggedLoops {
  // A page of a list has 10 rows.
  static let minRuns: UInt64 = 10
  // Arbitrary: a loop runs few statements for each row.
  private static let maxBetween: UInt64 = 4
  private static let maxSites = 64
  private static let maxThreads = 1024

  private struct Sequence {
    var first: LoopDetector.Run
    /// The statement before it; nil at the beginning of a request.
    var before: LoopDetector.Run?
    var runs: UInt64 = 0
    var time: Nanoseconds = 0
    var last: UInt64
    var hasOtherValues = false
    var isDirect = true
  }

  private struct Thread {
    var count: UInt64 = 0
    var last: LoopDetector.Run?
    var sequences: [LoopDetector.Site: Sequence] = [:]
  }

  private var threads: [ProfileBuilder.Key: Thread] = [:]
  private var table = LoopTable<LoopDetector.Site, QueryLoop>()

  /// Adds a run that ended.
  mutating func add(_ run: LoopDetector.Run, on thread: ProfileBuilder.Key) {
    if threads[thread] == nil, threads.count >= Self.maxThreads { closeAll() }
    var state = threads.removeValue(forKey: thread) ?? Thread()
    defer { threads[thread] = state }
    state.count += 1
    defer { state.last = run }
    guard run.isReadOnly else { return }
    if let known = state.sequences[run.site], state.count - known.last > Self.maxBetween {
      close(known, in: state)
      state.sequences[run.site] = nil
    }
    if state.sequences.count >= Self.maxSites, state.sequences[run.site] == nil {
      for sequence in state.sequences.values { close(sequence, in: state) }
      state.sequences.removeAll()
    }
    var sequence =
      state.sequences[run.site] ?? Sequence(first: run, before: state.last, last: state.count)
    sequence.runs += 1
    sequence.time.add(run.time)
    if state.count - sequence.last > 1 { sequence.isDirect = false }
    if run.bindHash != sequence.first.bindHash || run.statement != sequence.first.statement {
      sequence.hasOtherValues = true
    }
    sequence.last = state.count
    state.sequences[run.site] = sequence
  }

  /// Ends open loops, and returns all, longest time first.
  mutating func finish() -> [QueryLoop] {
    closeAll()
    return table.loops.values.sorted(by: \.time) {
      "\($0.childLocation.line) \($0.parent) \($0.child)"
    }
  }

  private mutating func closeAll() {
    for thread in threads.values {
      for sequence in thread.sequences.values { close(sequence, in: thread) }
    }
    threads.removeAll()
  }

  private mutating func close(_ sequence: Sequence, in thread: Thread) {
    guard sequence.runs >= Self.minRuns, sequence.hasOtherValues else { return }
    // Of two statements in the body of a loop, the second one has the list of the first one.
    var parent = sequence.before ?? sequence.first
    if let outer = thread.sequences[parent.site], outer.first.site != sequence.first.site,
      outer.runs >= Self.minRuns
    {
      parent = outer.before ?? parent
    }
    table.update(parent.site, sequence.first.site, from: Self.loop(parent, sequence.first)) {
      $0.addOccurrence(rows: 0, runs: sequence.runs, time: sequence.time)
      $0.isDirect = $0.isDirect != false && sequence.isDirect
    }
  }

  private static func loop(_ parent: LoopDetector.Run, _ child: LoopDetector.Run) -> QueryLoop {
    QueryLoop(
      parent: parent.statement, parentLocation: parent.site.location, child: child.statement,
      childLocation: child.site.location)
  }
}
