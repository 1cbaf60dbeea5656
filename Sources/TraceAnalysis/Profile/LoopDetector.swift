// SPDX-License-Identifier: Apache-2.0

import QueryPlans
import StoreEvents

/// Finds statements that run once for each row of another one, by the rows that their values come from.
///
///     list 7   32 rows of SELECT id, author FROM book      app.py:20
///     runs     row 1 · row 2 · row 3 · …                   app.py:22
///
/// The probe compares the values of a run with the first rows of earlier ones, on all threads and connections. Keys are
/// often small numbers, so that a value may be equal by coincidence: a loop visits two fifths of the rows or more, in
/// their order.
struct LoopDetector {
  // A loop over fewer rows is not worth a finding.
  static let minRuns: UInt64 = 10
  // The rows of a list that the probe keeps.
  private static let keptRows: UInt64 = 32
  // Arbitrary: the lists with rows that later runs may have, the lines that run statements, and the
  // loops.
  private static let maxLists = 4096
  private static let maxSites = 20_000
  private static let maxLoops = 1000

  /// A form at a line of code; statements that differ only in literals are one form.
  struct Site: Hashable {
    var form: UInt64
    var location: SourceLocation
  }

  /// The fields of a run that the detector needs.
  struct Run {
    var site: Site
    var connection: Connection
    var thread: UInt64
    var statement: StatementID
    var rows: UInt64
    var bindHash: UInt64
    var time: Nanoseconds
    var isReadOnly: Bool
    var listID: UInt64
    var originID: UInt64
    var originRow: UInt64
    var ownValues: UInt64
  }

  struct Connection: Hashable {
    var process: Int
    var id: UInt64
    /// Of its file; a database in memory has a negative one of its own.
    var database: Int
  }

  private struct Key: Hashable {
    var process: Int
    var id: UInt64
  }

  private struct Line: Hashable {
    var process: Int
    var site: Site
  }

  /// The last run of a line, and the list that it was for.
  private struct Last {
    var list: Key
    var statement: StatementID
    var bindHash: UInt64
  }

  /// A list, known when it has ended, and the runs with its values, which may end before it does.
  fileprivate struct List {
    var run: Run?
    var children: [Child] = []
  }

  private struct LoopKey: Hashable {
    var parent: Site
    var child: Site
  }

  private struct Loop {
    var sums: QueryLoop
    var order = Order()
  }

  private var lists: [Key: List] = [:]
  private var lines: [Line: Last] = [:]
  private var loops: [LoopKey: Loop] = [:]

  /// The role that a statement may have in a loop.
  enum Role {
    case ofOneRow
    /// It has an IN list, or writes rows that the program made: values that are no row's make it no part of a loop.
    case ofSeveralRows
    /// Tools and drivers read the schema for each table.
    case ofSchema

    init(_ sql: String) {
      let isInsertion = ["INSERT", "REPLACE"].contains(StatementCommand.name(of: sql))
      self =
        StatementCommand.readsSchema(sql)
        ? .ofSchema
        : isInsertion || SQLFingerprint(sql: sql).description.uppercased().contains("IN (?)")
          ? .ofSeveralRows : .ofOneRow
    }
  }

  /// Whether a run without a list and an origin may be of a loop.
  var hasLines: Bool { !lines.isEmpty }

  /// Adds a run that ended.
  mutating func add(_ run: Run) {
    let process = run.connection.process
    if run.listID != 0 {
      if lists.count >= Self.maxLists { closeOld() }
      lists[Key(process: process, id: run.listID), default: List()].run = run
    }
    let line = Line(process: process, site: run.site)
    if run.originID != 0 {
      let list = Key(process: process, id: run.originID)
      lists[list, default: List()].add(run)
      if lines.count >= Self.maxSites { lines.removeAll() }
      lines[line] = Last(list: list, statement: run.statement, bindHash: run.bindHash)
    } else if let last = lines[line],
      last.bindHash != run.bindHash || last.statement != run.statement
    {
      lists[last.list]?.addOther(run)
      lines[line]?.bindHash = run.bindHash
      lines[line]?.statement = run.statement
    }
  }

  /// Ends open loops, and returns all, longest time first.
  mutating func finish() -> [QueryLoop] {
    close(lists)
    lists.removeAll()
    let found = loops.values.filter { $0.sums.runs >= Self.minRuns && $0.order.isThatOfRows }
    return found.map(\.sums).sorted {
      ($1.time, $0.child.rawValue, $0.childLocation.line, $0.parent.rawValue)
        < ($0.time, $1.child.rawValue, $1.childLocation.line, $1.parent.rawValue)
    }
  }

  /// Ends the lists that no line's last run was for.
  private mutating func closeOld() {
    let used = Set(lines.values.map(\.list))
    let kept = lists.filter { used.contains($0.key) }
    close(lists.filter { kept[$0.key] == nil })
    lists = kept
    if kept.count >= Self.maxLists / 2 { lines.removeAll() }
  }

  /// In the order in which they began: a loop has the statements of its first list.
  private mutating func close(_ lists: [Key: List]) {
    for (_, list) in lists.sorted(by: { ($0.key.process, $0.key.id) < ($1.key.process, $1.key.id) })
    {
      close(list)
    }
  }

  private mutating func close(_ list: List) {
    guard let parent = list.run else { return }
    let kept = min(parent.rows, Self.keptRows)
    for child in list.children where child.isLoop(over: parent.rows, kept) {
      // Keys of two databases are often equal by coincidence, and a job may copy rows from one to the other.
      guard
        child.database == parent.connection.database || child.isReadOnly && child.isComplete(kept)
      else { continue }
      let key = LoopKey(parent: parent.site, child: child.site)
      guard loops.count < Self.maxLoops || loops[key] != nil else { continue }
      var loop =
        loops[key]
        ?? Loop(
          sums: QueryLoop(
            parent: parent.statement, parentLocation: parent.site.location, child: child.statement,
            childLocation: child.site.location))
      let others = child.others(over: parent.rows, kept)
      loop.sums.addOccurrence(
        rows: parent.rows, runs: child.runs.saturatingSum(others),
        time: others == 0
          ? child.time
          : child.time.saturatingSum(
            child.otherTime / Int64(clamping: child.others) * Int64(clamping: others)))
      loop.sums.connections.add(
        child.hasOwnConnections(parent.connection.id) ? child.runs : nil)
      // The runs that followed were like the runs of the rows with kept values.
      let computed = child.computed.saturatingSum(
        child.runs == 0 ? 0 : others / child.runs * child.computed)
      loop.sums.computed.add(computed > 0 ? computed : nil)
      let isComplete = kept >= Self.minRuns && child.isComplete(kept)
      if isComplete {
        loop.order.addAll(child.runs)
      } else {
        for order in child.orders.values { loop.order.add(order) }
      }
      loops[key] = loop
    }
  }

  fileprivate struct Child {
    var site: Site
    var database: Int
    var statement: StatementID
    /// The runs with values of the list, and their rows, a bit each.
    var runs: UInt64 = 0
    var time: Nanoseconds = 0
    var rows: UInt64 = 0
    /// By thread: threads of a pool follow the rows each.
    var orders: [UInt64: Order] = [:]
    /// The runs at the same line, without values of any list, that followed.
    var others: UInt64 = 0
    var otherTime: Nanoseconds = 0
    var isReadOnly = true
    /// The runs that wrote values other than those of their row.
    var computed: UInt64 = 0
    /// The first connections that they used.
    var connections: Set<UInt64> = []
    static let maxConnections: UInt64 = 64
    static let maxThreads = 64

    var uncertain: UInt64 { orders.values.reduce(0) { $0.saturatingSum($1.uncertain) } }

    /// Two fifths of the rows that are kept, and half of the runs without runs of further rows.
    func isLoop(over all: UInt64, _ kept: UInt64) -> Bool {
      let found = max(UInt64(rows.nonzeroBitCount), min(uncertain, runs))
      return found >= 2 && found &* 5 >= kept &* 2
        && others <= runs.saturatingSum(others(over: all, kept))
    }

    /// The runs for rows that are not kept: a loop may visit a list several times.
    func others(over all: UInt64, _ kept: UInt64) -> UInt64 {
      let (count, isTooLarge) = (all - kept).multipliedReportingOverflow(
        by: max(runs / max(kept, 1), 1))
      return isTooLarge ? others : min(others, count)
    }

    /// Whether nearly each row was visited, once: the order may then be any, as that of threads or of a dictionary.
    func isComplete(_ kept: UInt64) -> Bool {
      let found = UInt64(rows.nonzeroBitCount)
      return found == runs && found >= kept - kept / 10
    }

    func hasOwnConnections(_ list: UInt64) -> Bool {
      !connections.contains(list) && UInt64(connections.count) == min(runs, Self.maxConnections)
    }
  }

  /// How many runs followed the rows in their order.
  fileprivate struct Order {
    var last: UInt64 = 0
    var pairs: UInt64 = 0
    var ascending: UInt64 = 0
    var descending: UInt64 = 0
    var uncertain: UInt64 = 0

    mutating func add(_ row: UInt64) {
      if last != 0 || uncertain > 0 {
        pairs.add(1)
        if row != 0, last != 0 {
          if row >= last { ascending.add(1) }
          if row <= last { descending.add(1) }
        }
      }
      if row == 0 { uncertain.add(1) }
      last = row
    }

    mutating func add(_ other: Order) {
      pairs.add(other.pairs)
      ascending.add(other.ascending)
      descending.add(other.descending)
    }

    mutating func addAll(_ runs: UInt64) {
      pairs.add(runs)
      ascending.add(runs)
      descending.add(runs)
    }

    // By coincidence half of them would.
    var isThatOfRows: Bool { pairs > 0 && max(ascending, descending) >= pairs - pairs / 5 }
  }
}

extension LoopDetector.List {
  // Arbitrary: a loop runs fewer statements for each row.
  private static let maxChildren = 16

  fileprivate mutating func add(_ run: LoopDetector.Run) {
    var index = children.firstIndex { $0.site == run.site }
    if index == nil, children.count < Self.maxChildren {
      index = children.count
      children.append(
        LoopDetector.Child(
          site: run.site, database: run.connection.database, statement: run.statement))
    }
    guard let index else { return }
    children[index].runs.add(1)
    children[index].time.add(run.time)
    if run.originRow > 0 { children[index].rows |= 1 << ((run.originRow - 1) & 63) }
    if children[index].orders.count < LoopDetector.Child.maxThreads
      || children[index].orders[run.thread] != nil
    {
      children[index].orders[run.thread, default: .init()].add(run.originRow)
    }
    if !run.isReadOnly { children[index].isReadOnly = false }
    if !run.isReadOnly, run.ownValues > 0 { children[index].computed.add(1) }
    if children[index].connections.count < Int(LoopDetector.Child.maxConnections) {
      children[index].connections.insert(run.connection.id)
    }
  }

  fileprivate mutating func addOther(_ run: LoopDetector.Run) {
    guard let index = children.firstIndex(where: { $0.site == run.site }) else { return }
    children[index].others.add(1)
    children[index].otherTime.add(run.time)
  }
}
