// SPDX-License-Identifier: Apache-2.0

import StoreEvents

/// Finds statements that run once for each row of another one, by counts and in bounded memory.
///
///     thread 7   parent 12 rows ── child ─ child ─ … ─ child (12 runs) ── parent ends
///
/// A child may run while the parent's cursor is open, or after it ended; the time at which a run
/// began decides. Runs are reported when they end, so that those within an open cursor come first
/// (``RunsBeforeEnd``).
struct LoopDetector {
  // A page of a list has 10 rows; a loop over fewer rows is not worth a finding.
  static let minRows: UInt64 = 10
  // A loop within a loop is over fewer rows each time. Two runs after two rows are a coincidence.
  static let minInnerRows: UInt64 = 3
  // Arbitrary: loops nest less deep, and run fewer statements for each row.
  private static let maxParents = 8
  // Arbitrary: what a page reads between a list and the loop over it, such as its user and its menu.
  private static let maxRunsBetween: UInt64 = 16
  // Arbitrary: a loop that directly follows its list reads with few statements, a request with many.
  fileprivate static let maxStatementsOfLoop = 4
  // Arbitrary: the threads of a program that run SQL at the same time.
  private static let maxThreads = 4096
  // Arbitrary: as many as a report lists loops.
  private static let maxLists = 1000

  /// A form at a line of code; statements that differ only in literals are one form.
  struct Site: Hashable {
    var form: UInt64
    var location: SourceLocation
  }

  /// The fields of a run that the detector needs.
  struct Run {
    var site: Site
    var connection: Connection
    var statement: StatementID
    var start: Nanoseconds
    var rows: UInt64
    var bindHash: UInt64
    var time: Nanoseconds
    var isReadOnly: Bool
  }

  struct Connection: Hashable {
    var process: Int
    var id: UInt64
    /// Of its file.
    var database: Int
  }

  struct Child {
    var site: Site
    var database: Int
    var statement: StatementID
    /// The runs of other statements since its parent ended.
    var runsBefore: UInt64 = 0
    /// The runs of all statements until its last one.
    var lastRun: UInt64 = 0
    var runs: UInt64 = 0
    var time: Nanoseconds = 0
    var firstValues: UInt64
    var firstStatement: StatementID
    var hasOtherValues = false
    /// Whether a statement wrote between its parent and its last run.
    var followsWrite = false
  }

  fileprivate struct Parent {
    var site: Site
    var connection: Connection
    var statement: StatementID
    var rows: UInt64
    /// Its place among all parents, by their ends.
    var number: UInt64
    var children: [Child] = []
    /// The runs of all statements since it ended.
    var runs: UInt64 = 0
    /// Whether one of them wrote.
    var hasWrite = false
  }

  /// The parents of a thread, oldest first, and the runs that may lie within an open cursor.
  private struct Thread {
    var parents: [Parent] = []
    var unowned = RunsBeforeEnd()
  }

  private var threads: [ProfileBuilder.Key: Thread] = [:]
  private var table = Table()
  private var parentCount: UInt64 = 0
  /// How often each list ran.
  private var lists: [Site: UInt64] = [:]

  private typealias Table = LoopTable<Site, Loop>

  fileprivate struct Loop {
    var sums: QueryLoop
    /// The number of its last parent.
    var parent: UInt64 = 0
    /// Whether each occurrence directly followed its parent, with nothing but such loops in between.
    var isDirect = true
  }

  /// Adds a run that ended.
  mutating func add(_ run: Run, on thread: ProfileBuilder.Key) {
    if threads[thread] == nil, threads.count >= Self.maxThreads { closeAll() }
    // Taken out, so that it is changed in place.
    var state = threads.removeValue(forKey: thread) ?? Thread()
    // Runs that began after this one did so within its open cursor.
    let within = state.unowned.take(since: run)
    if let rerun = state.parents.firstIndex(where: { $0.site == run.site }) {
      var parent = state.parents.remove(at: rerun)
      parent.children.remove(within)
      close(parent)
    }
    if run.isReadOnly {
      for index in state.parents.indices
      where state.parents[index].connection.database == run.connection.database {
        state.parents[index].count(run)
      }
      state.unowned.add(run)
    }
    for index in state.parents.indices {
      state.parents[index].runs.add(1)
      if !run.isReadOnly { state.parents[index].hasWrite = true }
    }
    if run.isReadOnly, run.rows >= Self.minInnerRows { open(run, over: within, in: &state) }
    threads[thread] = state
  }

  /// Ends the parents of a connection: what runs later belongs to another task, such as the next request of a server.
  mutating func close(_ connection: UInt64, of process: Int) {
    for key in Array(threads.keys) where key.process == process {
      guard var state = threads[key],
        state.parents.contains(where: { $0.connection.id == connection })
      else { continue }
      for parent in state.parents where parent.connection.id == connection { close(parent) }
      state.parents.removeAll { $0.connection.id == connection }
      threads[key] = state
    }
  }

  /// Ends what is open, and returns the loops, longest time first.
  mutating func finish() -> [QueryLoop] {
    closeAll()
    let found = table.loops.filter { key, loop in
      loop.isLoop
        && Self.isUsual(loop.sums.occurrences, after: lists[key.parent] ?? loop.sums.occurrences)
    }
    return nearest(found).sorted {
      ($1.time, $0.child.rawValue, $0.childLocation.line)
        < ($0.time, $1.child.rawValue, $1.childLocation.line)
    }
  }

  // Arbitrary: a line that reads a list for several views.
  private static let maxListsOfLoop: UInt64 = 4

  /// Whether a list that ran so often was looped over often enough; pages that are turned are not, if only the last
  /// one has as many runs behind it as rows.
  static func isUsual(_ occurrences: UInt64, after lists: UInt64) -> Bool {
    occurrences > 2 || lists / maxListsOfLoop <= occurrences
  }

  /// Of several statements that returned as many rows before the same runs, the last one.
  private func nearest(_ loops: [Table.Key: Loop]) -> [QueryLoop] {
    struct Runs: Hashable {
      var child: Site
      var runs: UInt64
      var time: Nanoseconds
    }
    let groups = Dictionary(grouping: loops) {
      Runs(child: $0.key.child, runs: $0.value.sums.runs, time: $0.value.sums.time)
    }
    return groups.values.compactMap { $0.max { $0.value.parent < $1.value.parent }?.value.sums }
  }

  private mutating func open(_ run: Run, over children: [Child], in state: inout Thread) {
    parentCount.add(1)
    if lists.count < Self.maxLists || lists[run.site] != nil { lists[run.site, default: 0].add(1) }
    var parent = Parent(
      site: run.site, connection: run.connection, statement: run.statement, rows: run.rows,
      number: parentCount)
    parent.children = children.filter { $0.database == run.connection.database }
    if state.parents.count >= Self.maxParents {
      // The short lists of inner loops go before the long ones around them.
      let short = state.parents.firstIndex { $0.rows < Self.minRows }
      close(state.parents.remove(at: short ?? 0))
    }
    state.parents.append(parent)
  }

  private mutating func closeAll() {
    for thread in threads.values { for parent in thread.parents { close(parent) } }
    threads.removeAll()
  }

  private mutating func close(_ parent: Parent) {
    for (index, child) in parent.children.enumerated()
    where child.hasOtherValues && parent.mayLoop(over: child) {
      // An earlier loop over the same rows lies between as well.
      let runsOfLoops = parent.children[..<index].filter(parent.mayLoop).map(\.runs).reduce(0, +)
      guard child.runsBefore <= runsOfLoops &+ Self.maxRunsBetween else { continue }
      table.update(parent.site, child.site, from: Loop(sums: QueryLoop(parent, child))) {
        $0.sums.addOccurrence(rows: parent.rows, runs: child.runs, time: child.time)
        $0.isDirect = $0.isDirect && parent.isDirectlyFollowed(by: child)
        $0.parent = parent.number
      }
    }
  }
}

/// A statement at a line of code.
protocol StatementAtSite {
  var site: LoopDetector.Site { get }
  var statement: StatementID { get }
}

extension LoopDetector.Run: StatementAtSite {}
extension LoopDetector.Child: StatementAtSite {}
extension LoopDetector.Parent: StatementAtSite {}

extension QueryLoop {
  init(_ parent: some StatementAtSite, _ child: some StatementAtSite) {
    self.init(
      parent: parent.statement, parentLocation: parent.site.location, child: child.statement,
      childLocation: child.site.location)
  }
}

extension LoopDetector.Parent {
  fileprivate mutating func count(_ run: LoopDetector.Run) {
    guard let index = children.index(of: run) else { return }
    if children[index].runs == 0 { children[index].runsBefore = runs }
    children[index].add(run)
    children[index].lastRun = runs
    if hasWrite { children[index].followsWrite = true }
  }

  /// Whether a child ran at most once for each row, or exactly two or three times if it directly follows; exactly once
  /// for each of a few rows.
  fileprivate func mayLoop(over child: LoopDetector.Child) -> Bool {
    guard rows >= LoopDetector.minRows else { return child.runs == rows }
    let isMultiple = child.runs == rows &* 2 || child.runs == rows &* 3
    return child.runs <= rows &+ rows / 10 || isMultiple && isDirectlyFollowed(by: child)
  }

  /// Whether a child, and few others that read, are all that ran until its last run.
  fileprivate func isDirectlyFollowed(by child: LoopDetector.Child) -> Bool {
    let statements = children.count { $0.runsBefore <= child.lastRun }
    return !child.followsWrite && statements <= LoopDetector.maxStatementsOfLoop
  }
}

extension LoopDetector.Loop {
  /// Whether there are too many runs for a coincidence: a run for nine rows of ten; for every second row at a line
  /// that is known if it happened more often, or if the runs directly followed the rows.
  fileprivate var isLoop: Bool {
    let isPartial = (sums.occurrences >= 3 || isDirect) && sums.childLocation != .unknown
    let needed = isPartial ? sums.parentRows / 2 : sums.parentRows - sums.parentRows / 10
    return sums.runs >= LoopDetector.minRows && sums.runs >= needed
  }
}
